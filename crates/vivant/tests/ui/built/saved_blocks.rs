//! A saved actor lists its blocks of behaviours.

use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved)]
pub struct Account {}

#[behaviours(module = till)]
impl Account {
    fn deposit(&mut self, _amount: u64) {}
}

#[vivant::interface]
trait Ledger {
    fn enter(&mut self, amount: u64);
}

#[behaviours]
impl Ledger for Account {
    fn enter(&mut self, _amount: u64) {}
}

fn main() {}
