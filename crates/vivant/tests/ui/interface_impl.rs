use vivant::prelude::*;

#[interface]
trait Ledger {
    fn deposit(&mut self, amount: u64) -> u64;
    fn withdraw(&mut self, amount: u64) -> u64;
}

#[derive(Actor)]
struct Short;

#[behaviours]
impl Ledger for Short {
    fn deposit(&mut self, amount: u64) -> u64 {
        amount
    }
}

#[derive(Actor)]
struct Different;

#[behaviours]
impl Ledger for Different {
    fn deposit(&mut self, amount: u32) -> u64 {
        amount.into()
    }

    fn withdraw(&mut self, amount: u64) -> Promise<u64> {
        Promise::ready(amount)
    }
}

fn main() {}
