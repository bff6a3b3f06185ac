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

    async fn twice(&self, t: &Turn<Self>) -> u64 {
        2 * t.me().balance().ask().await.unwrap()
    }
}

fn main() {}
