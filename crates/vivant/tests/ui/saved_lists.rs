//! Only saved actors are listed, and their blocks exist.

use vivant::SavedKinds;
use vivant::prelude::*;

#[derive(Actor)]
struct Plain {}

#[derive(Actor)]
#[actor(saved, blocks(till))]
struct Shop {}

#[vivant::interface]
trait Ledger {
    fn enter(&mut self, amount: u64);
}

#[derive(Actor)]
#[actor(saved, blocks(dyn Ledger))]
struct Account {}

fn main() {
    let _ = SavedKinds::of::<(Plain,)>();
}
