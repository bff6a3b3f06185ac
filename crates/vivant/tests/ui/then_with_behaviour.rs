use vivant::prelude::*;

#[derive(Actor)]
struct Account {
    balance: u64,
}

#[behaviours]
impl Account {
    fn balance(&self) -> u64 {
        self.balance
    }

    fn twice(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(t.me().balance()).then(t.me().balance())
    }
}

fn main() {}
