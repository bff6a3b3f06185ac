//! Joins: an actor takes several messages as if they were one. Cars and groups of passengers wait
//! for each other at a taxi rank, and each car takes the first group for which it has the seats.
//!
//! Where to look: `free` and `call` have no body, so they only wait; `ride` takes one of each in
//! one turn and answers both. Try: remove the guard, and the first car takes the first group.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;

#[derive(Actor)]
struct Rank {
    rides: u64,
}

#[behaviours]
impl Rank {
    #[start]
    fn new() -> Self {
        Rank { rides: 0 }
    }

    /// A car is free. Its driver is told where to go.
    pub fn free(seats: u32, car: String) -> String;

    /// A group of passengers wants to go somewhere. It is told the car.
    pub fn call(persons: u32, place: String) -> String;

    /// The number of rides so far, once the rank closes.
    pub fn rides() -> u64;

    pub fn close();

    /// The first car and the first group for which it has enough seats.
    #[join(free, call)]
    #[when(persons <= seats)]
    fn ride(&mut self, seats: u32, car: String, persons: u32, place: String) -> (String, String) {
        self.rides += 1;
        println!("{car} with {seats} seats takes {persons} to {place}");
        (place, car)
    }

    #[join(rides, close)]
    fn end(&mut self, t: &Turn<Self>) -> u64 {
        t.stop();
        self.rides
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), AskError> {
    let system = System::new();
    let rank = Rank::spawn(&system);
    // No car is free yet: both groups wait.
    let two = rank.call(2, "the station".into()).ask();
    let five = rank.call(5, "the harbour".into()).ask();
    // Two seats are enough for the first group only.
    assert_eq!(rank.free(2, "Ada".into()).ask().await?, "the station");
    assert_eq!(two.await?, "Ada");
    // Four seats are too few for the second: this car waits for another group.
    let bob = rank.free(4, "Bob".into()).ask();
    assert_eq!(rank.free(6, "Cid".into()).ask().await?, "the harbour");
    assert_eq!(five.await?, "Cid");
    rank.call(4, "the theatre".into()).send();
    assert_eq!(bob.await?, "the theatre");
    rank.close().send();
    assert_eq!(rank.rides().ask().await?, 3);
    Ok(())
}
