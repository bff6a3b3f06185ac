//! A private start function makes a private `spawn` and `child`: the error shows the `#[start]`.

use vivant::prelude::*;

mod bank {
    use vivant::prelude::*;

    #[derive(Actor)]
    pub struct Account {
        balance: u64,
    }

    #[behaviours]
    impl Account {
        #[start]
        fn new(balance: u64) -> Self {
            Account { balance }
        }

        pub fn deposit(&mut self, amount: u64) {
            self.balance += amount;
        }
    }
}

fn main() {
    let account = bank::Account::spawn(&System::new(), 1);
    account.deposit(1).send();
    let _ = bank::Account::child(1);
}
