//! A private behaviour, and a local method, that nothing calls are reported by their own names.

#![deny(dead_code)]

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

    fn forget(&mut self) {
        self.balance = 0;
    }

    #[local]
    fn is_empty(&self) -> bool {
        self.balance == 0
    }
}

fn main() {
    let account = System::new().spawn(Account { balance: 0 });
    account.deposit(1).send();
}
