//! What a topic's values do not fit into.

use vivant::prelude::*;
use vivant::Topic;

#[derive(Actor)]
struct Board;

#[behaviours]
impl Board {
    /// The hole is not `Result<u64, Lagged>`.
    #[then]
    fn heard(&mut self, _price: u64) {}

    fn subscribe(&mut self, t: &Turn<Self>, prices: Topic<u64>) {
        prices.subscribe(t.me().heard()).forever();
    }
}

fn main() {}
