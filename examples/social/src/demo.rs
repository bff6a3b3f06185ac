//! The network that the program starts with.

use crate::network::Network;
use crate::person::PersonId;
use fastrand::Rng;
use std::error::Error;

const NAMES: [&str; 8] = ["Ada", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus", "Hedy"];
/// Number of people that each one follows at first.
const FOLLOWS: usize = 8;

/// Adds people, each with followed people at random, and a post of each.
///
/// # Errors
///
/// A shard has ended.
pub async fn fill(network: &Network, people: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut chance = Rng::with_seed(seed);
    let mut ids: Vec<PersonId> = Vec::with_capacity(people);
    for number in 0..people {
        let name = format!("{} {number}", NAMES[number % NAMES.len()]);
        ids.push(network.any().join(name).ask().await?);
    }
    for &from in &ids {
        let others = (0..FOLLOWS).map(|_| ids[chance.usize(..ids.len())]);
        // All at once; the answers are awaited afterwards.
        let asked: Vec<_> = others
            .filter(|to| *to != from)
            .map(|to| network.of(from).follow(from, to).ask())
            .collect();
        for asked in asked {
            asked.await??;
        }
    }
    for &author in &ids {
        let text = format!("good morning from {author}");
        network.of(author).post(author, text).ask().await??;
    }
    Ok(())
}
