use vivant::prelude::*;

#[derive(Actor)]
struct Stock {
    left: u64,
}

#[behaviours]
impl Stock {
    fn left(&self) -> u64 {
        self.left
    }
}

#[derive(Actor)]
struct Shop {
    stock: Address<Stock>,
    seen: u64,
}

#[behaviours]
impl Shop {
    fn look(&mut self, t: &Turn<Self>) {
        t.ask(self.stock.left()).then(|left| println!("{left:?}"));
    }

    fn keep(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.stock.left()).then(|shop, t, left: Result<u64, AskError>| {
            shop.seen = left.unwrap_or(0);
            shop.seen
        })
    }
}

fn outside(stock: Promise<u64>) {
    stock.then(|left: Result<u64, AskError>| println!("{left:?}"));
}

fn main() {}
