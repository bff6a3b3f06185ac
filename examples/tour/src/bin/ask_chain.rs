//! Requests inside actors: a promise continues in a later turn; several are joined; one has a time
//! limit.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::prelude::*;

#[derive(Actor)]
struct Shelf {
    price: u64,
}

#[behaviours]
impl Shelf {
    fn price(&mut self, pieces: u64) -> u64 {
        self.price * pieces
    }
}

#[derive(Actor)]
struct Till {
    shelves: Vec<Address<Shelf>>,
}

#[behaviours]
impl Till {
    /// Sends a request to every shelf at once, then adds the tax in a later turn.
    fn bill(&mut self, t: &Turn<Self>, pieces: u64) -> Promise<String> {
        let prices: Vec<_> = self
            .shelves
            .iter()
            .map(|shelf| t.ask(shelf.price(pieces)))
            .collect();
        t.all(prices)
            .within(Duration::from_secs(1))
            .then(t.me().priced(19))
    }

    /// The continuation: its first argument is the promise's value, the others were given above.
    #[then]
    fn priced(&mut self, prices: Result<Vec<u64>, AskError>, tax: u64) -> String {
        match prices {
            Ok(prices) => {
                let net: u64 = prices.iter().sum();
                format!("net {net}, tax {}", net * tax / 100)
            }
            Err(error) => format!("no bill: {error}"),
        }
    }
}

fn main() -> Result<(), AskError> {
    let system = System::new();
    let shelves = [100, 250, 50]
        .map(|price| system.spawn(Shelf { price }))
        .to_vec();
    let till = system.spawn(Till { shelves });
    let bill = till.bill(2).ask_blocking()?;
    println!("{bill}");
    assert_eq!(bill, "net 800, tax 152");
    Ok(())
}
