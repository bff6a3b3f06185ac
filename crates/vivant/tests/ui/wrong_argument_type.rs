use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn deposit(&mut self, amount: u64, note: String) {
        self.balance += amount + note.len() as u64;
    }
}

fn main() {
    let account = System::new().spawn(Account { balance: 0 });
    account.deposit(10, 7).send();
    account.deposit(10).send();
}
