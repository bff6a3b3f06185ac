//! Publish and subscribe, and lookup by name.
//!
//! A topic sends each value to every subscriber as a message of its own; it never waits for a slow
//! one. Look at the slow board: its subscription has room for four values in flight. Of twenty
//! values sent at once it gets four, and one `Lagged` with the number of the others; then it goes
//! on. The first lookup of a name makes the topic or group; an actor has a name when it is given
//! one. Try a larger bound, or a second topic.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Lagged, LookupError, Subscription};

#[derive(Actor)]
struct Board {
    heard: Vec<u64>,
    missed: u64,
    /// Unsubscribes when the state is dropped.
    _prices: Subscription,
}

#[behaviours]
impl Board {
    /// The topic is found by its name, and subscribed to with a bound.
    #[start]
    fn new(t: &Turn<Self>, room: usize) -> Self {
        let prices = t.topic::<u64>("prices").expect("prices are numbers");
        Board {
            heard: Vec::new(),
            missed: 0,
            _prices: prices.subscribe_bounded(room, t.me().price()),
        }
    }

    #[then]
    fn price(&mut self, price: Result<u64, Lagged>) {
        match price {
            Ok(price) => self.heard.push(price),
            Err(lagged) => self.missed += lagged.missed,
        }
    }

    fn heard(&self) -> (Vec<u64>, u64) {
        (self.heard.clone(), self.missed)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    for (name, room) in [("quick", 1_024), ("slow", 4)] {
        let board = Board::spawn(system, room);
        system.register(name, &board)?;
        system.group("boards")?.join(&board);
        // A name and a group do not keep an actor alive; its subscription does, once it has
        // started.
    }
    simulation.run();

    let prices = system.topic::<u64>("prices")?;
    println!(
        "{} boards hear of prices; 20 at once:",
        prices.subscribers()
    );
    (1..=20).for_each(|price| prices.publish(price));
    simulation.run();
    let (heard, missed) = system.lookup::<Board>("quick")?.heard().ask_blocking()?;
    println!("  the quick one heard {} and missed {missed}", heard.len());
    assert_eq!((heard.len(), missed), (20, 0));
    let slow = system.lookup::<Board>("slow")?;
    let (heard, missed) = slow.heard().ask_blocking()?;
    println!("  the slow one heard {heard:?} and missed {missed}");
    assert_eq!((heard.as_slice(), missed), ([1, 2, 3, 4].as_slice(), 16));

    prices.publish(21);
    simulation.run();
    for board in system.group::<Board>("boards")?.members() {
        let (heard, _) = board.heard().ask_blocking()?;
        println!("  then {board} heard {:?}", heard.last());
        assert_eq!(heard.last(), Some(&21));
    }

    // An error names the actor that has the name. A name is free when its actor has ended.
    let error = system
        .topic::<String>("prices")
        .expect_err("prices are numbers");
    println!("{error}");
    assert!(matches!(error, LookupError::OtherType { .. }));
    Address::stop(&slow);
    simulation.run();
    let error = system.lookup::<Board>("slow").expect_err("it has ended");
    println!("{error}; {} board hears of prices", prices.subscribers());
    assert_eq!(prices.subscribers(), 1);
    Ok(())
}
