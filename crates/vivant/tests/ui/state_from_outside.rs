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
}

fn main() {
    let account = System::new().spawn(Account { balance: 1 });
    let _ = account.balance;
    Account::deposit(&mut account, 1);
}
