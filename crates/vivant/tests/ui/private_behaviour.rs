use vivant::prelude::*;

mod bank {
    use vivant::prelude::*;

    #[derive(Actor)]
    pub struct Account {
        pub balance: u64,
    }

    #[behaviours]
    impl Account {
        pub fn deposit(&mut self, amount: u64) {
            self.balance += amount;
        }

        fn forget(&mut self) {
            self.balance = 0;
        }
    }
}

fn main() {
    let account = System::new().spawn(bank::Account { balance: 0 });
    account.deposit(1).send();
    account.forget().send();
    let _: vivant::Call<bank::account_messages::Forget<bank::Account>>;
}
