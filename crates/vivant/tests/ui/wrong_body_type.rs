use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

type Later = Promise<u64>;

#[behaviours]
impl Account {
    fn name(&self) -> String {
        self.balance
    }

    fn later(&self) -> Later {
        Promise::ready(self.balance)
    }

    fn many(&self) -> Option<Promise<u64>> {
        Some(Promise::ready(self.balance))
    }
}

fn main() {}
