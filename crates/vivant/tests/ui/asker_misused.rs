use vivant::prelude::*;

#[derive(Actor)]
struct Shop;

#[behaviours]
impl Shop {
    #[start]
    fn new(_t: &Turn<Self>, _asker: &Asker) -> Self {
        Shop
    }

    fn last(&mut self, _amount: u64, _asker: &Asker) {}

    #[if_awaited(true)]
    fn with_arguments(&mut self) -> u64 {
        1
    }

    #[if_awaited]
    #[stop]
    fn stopping(&mut self) {}

    #[if_awaited]
    fn plain() -> u64 {
        1
    }
}

#[derive(Actor)]
struct Door;

#[behaviours]
impl Door {
    fn open(key: u64);
    fn knock(name: String);

    #[join(open, knock)]
    fn enter(&mut self, _asker: &Asker, _key: u64, _name: String) {}
}

#[interface]
trait Searching {
    fn search(&mut self, asker: &Asker) -> u64;
}

fn main() {}
