#![deny(unused_must_use)]
use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn deposit(&mut self, amount: u64) {
        self.balance += amount;
    }

    fn twice(&mut self, t: &Turn<Self>, amount: u64) {
        t.ask(t.me().deposit(amount));
        t.me().deposited();
    }

    #[then]
    fn deposited(&mut self, _: Result<(), AskError>) {}
}

fn main() {
    let account = System::new().spawn(Account { balance: 0 });
    account.deposit(10);
    account.twice(10).ask();
}
