use vivant::prelude::*;

#[derive(Actor)]
struct Prices;

#[behaviours]
impl Prices {
    fn price(&self) -> u64 {
        1
    }
}

#[derive(Actor)]
struct ShopState<'gc> {
    prices: Address<Prices>,
    item: Option<Gc<'gc, Mut<u64>>>,
}

#[behaviours]
impl<'gc> ShopState<'gc> {
    #[start]
    fn new(prices: Address<Prices>) -> Self {
        ShopState { prices, item: None }
    }

    fn sell(&mut self, t: &Turn<'gc, Shop>) -> Promise<()> {
        let item = t.alloc(Mut::new(0));
        t.ask(self.prices.price()).then(t.me().priced(item))
    }

    #[then]
    fn priced(&mut self, _price: Result<u64, AskError>, item: Gc<'gc, Mut<u64>>) {
        self.item = Some(item);
    }
}

fn main() {}
