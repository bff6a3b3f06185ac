use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    #[when(self.balance >= amuont)]
    fn withdraw(&mut self, amount: u64) {
        self.balance -= amount;
    }

    #[when(self.balence >= amount)]
    fn pay(&mut self, amount: u64) {
        self.balance -= amount;
    }

    #[when(self.balance)]
    fn close(&mut self) {}
}

fn main() {}
