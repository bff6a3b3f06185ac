use vivant::prelude::*;

#[interface]
trait Ledger {
    fn deposit(&mut self, amount: u64);
}

trait InlineState {}

#[derive(Actor)]
struct Account;

#[behaviours]
impl Account {
    fn deposit(&mut self, _: u64) {}
}

#[derive(Actor)]
struct Purse;

impl Ledger for Purse {
    fn deposit(&mut self, _: u64) {}
}

fn main() {
    let system = System::new();
    let account: Address<dyn Ledger> = Address::upcast(&system.spawn(Account));
    let purse: Address<dyn Ledger> = Address::upcast(&system.spawn(Purse));
    let _: Address<dyn InlineState>;
    let _ = (account, purse);
}
