use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    #[when(self.balance >)]
    fn open(&mut self) {
        self.balance = 0;
    }

    #[when]
    fn close(&mut self) {}
}

fn main() {
    System::new().spawn(Account { balance: 0 }).open().send();
}
