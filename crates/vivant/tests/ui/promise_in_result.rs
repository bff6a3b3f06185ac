use vivant::prelude::*;

mod anyhow {
    pub type Error = std::io::Error;
    pub type Result<T> = std::result::Result<T, Error>;
}

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn balance(&self) -> u64 {
        self.balance
    }
}

#[derive(Actor)]
struct Teller {
    account: Address<Account>,
}

#[behaviours]
impl Teller {
    fn look(&mut self, t: &Turn<Self>) -> anyhow::Result<Promise<u64>> {
        Ok(t.ask(self.account.balance()))
    }
}

fn main() {}
