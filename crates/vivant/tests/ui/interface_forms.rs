use vivant::prelude::*;

#[interface]
trait Generic<T> {
    fn put(&mut self, value: T);
}

#[interface]
trait Bank {
    type Money;
    const LIMIT: u64;
}

#[interface]
trait Ledger {
    fn open() -> u64;
    fn deposit(&mut self, amount: u64) -> u64 {
        amount
    }
    #[when(true)]
    fn withdraw(&mut self, amount: u64);
    fn merge(&mut self, other: Address<Self>);
    fn clone(&self) -> u64;
    fn note(&mut self, text: &str);
    async fn wait(&mut self);
}

#[interface]
struct NoTrait;

fn main() {}
