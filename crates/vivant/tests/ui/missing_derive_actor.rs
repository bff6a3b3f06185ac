use vivant::prelude::*;

struct Account {
    balance: u64,
    next: Option<Address<Account>>,
}

#[behaviours]
impl Account {
    fn deposit(&mut self, t: &Turn<Self>, amount: u64) -> u64 {
        let _ = t;
        self.balance += amount;
        self.balance
    }

    #[when(self.balance >= amount)]
    fn withdraw(&mut self, amount: u64) -> u64 {
        self.balance -= amount;
        self.balance
    }

    fn forward(&mut self, t: &Turn<Self>, to: Address<Account>) -> Promise<u64> {
        t.ask(to.deposit(self.balance)).then(t.me().forwarded(1))
    }

    #[then]
    fn forwarded(&mut self, left: Result<u64, AskError>, amount: u64) -> u64 {
        left.unwrap_or(amount)
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>) {
        if let Some(next) = &self.next {
            t.send(next.deposit(self.balance));
        }
    }
}

#[derive(Actor)]
struct Teller {
    account: Address<Account>,
}

#[behaviours]
impl Teller {
    fn pay(&mut self, t: &Turn<Self>, from: Address<Account>) -> Promise<u64> {
        t.ask(from.withdraw(7))
    }
}

fn main() {
    let system = System::new();
    let account = system.spawn(Account { balance: 0, next: None });
    account.deposit(7).send();
}
