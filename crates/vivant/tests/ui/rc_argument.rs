use std::rc::Rc;
use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn share(&mut self, amount: Rc<u64>) {
        self.balance += *amount;
    }

    fn share_with(&mut self, factor: u64, amount: Option<Rc<u64>>) {
        self.balance += factor * *amount.unwrap_or_default();
    }

    fn shared(&self) -> Rc<u64> {
        Rc::new(self.balance)
    }
}

fn main() {}
