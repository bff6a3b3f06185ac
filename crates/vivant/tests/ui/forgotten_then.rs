use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn withdraw(&mut self, amount: u64) -> u64 {
        self.balance -= amount;
        self.balance
    }
}

#[derive(Actor)]
struct Teller;

#[behaviours]
impl Teller {
    fn transfer(&mut self, t: &Turn<Self>, from: Address<Account>, amount: u64) -> Promise<u64> {
        t.ask(from.withdraw(amount)).then(t.me().debited(amount))
    }

    fn debited(&mut self, left: Result<u64, AskError>, amount: u64) -> u64 {
        left.map_or(0, |_| amount)
    }
}

fn main() {}
