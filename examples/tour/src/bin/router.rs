//! Work shared among actors of one kind, in two ways. By key: each word is always counted by the
//! same counter, so a counter owns its words and nothing is locked. By load: the actor with the
//! fewest waiting messages gets the next one. A desk requests all words at once and `t.all` joins
//! the answers, in the order of the requests. Look at the loads: one counter has six messages
//! already, and the other two get all that follow. Try `next()` in the place of `least_loaded()`.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::collections::BTreeMap;
use vivant::Router;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor, Default)]
struct Counter {
    words: BTreeMap<String, u64>,
}

#[behaviours]
impl Counter {
    /// Counts the word; returns its count.
    fn count(&mut self, word: String) -> u64 {
        let count = self.words.entry(word).or_default();
        *count += 1;
        *count
    }

    fn words(&self) -> Vec<String> {
        self.words.keys().cloned().collect()
    }
}

#[derive(Actor)]
struct Desk {
    counters: Router<Counter>,
}

#[behaviours]
impl Desk {
    /// Counts each word of the text; returns each one's count at its place.
    fn read(&mut self, t: &Turn<Self>, text: String) -> Promise<Vec<u64>> {
        let count = |word: &str| t.ask(self.counters.by_key(word).count(word.to_owned()));
        t.all(text.split_whitespace().map(count).collect::<Vec<_>>())
    }
}

fn by_key(system: &System) -> Result<(), AskError> {
    let counters = Router::spawn(system, 3, |_| Counter::default());
    let desk = system.spawn(Desk {
        counters: counters.clone(),
    });
    let text = "the more you see the more you know that you know less";
    let counts = desk.read(text.to_owned()).ask_blocking()?;
    println!("{text}: {counts:?}");
    assert_eq!(counts, [1, 1, 1, 1, 2, 2, 2, 1, 1, 3, 2, 1]);
    let mut owned = Vec::new();
    for counter in counters.members() {
        let words = counter.words().ask_blocking()?;
        println!("  {counter} owns {words:?}");
        owned.extend(words);
    }
    owned.sort();
    assert_eq!(
        owned,
        ["know", "less", "more", "see", "that", "the", "you"],
        "each word has one owner"
    );
    Ok(())
}

fn by_load(simulation: &Simulation) {
    let counters = Router::spawn(simulation.system(), 3, |_| Counter::default());
    let mut sent = [6, 0, 0];
    let first = counters.members().next().expect("there are three").clone();
    (0..sent[0]).for_each(|n| first.count(n.to_string()).send());
    // Nothing runs meanwhile: the load is the number of waiting messages.
    for n in 0..6 {
        let chosen = counters.least_loaded();
        chosen.count(n.to_string()).send();
        let at = counters.members().position(|member| member == chosen);
        sent[at.expect("it is a member")] += 1;
    }
    println!("one had 6 waiting; after 6 more by load: {sent:?}");
    assert_eq!(sent, [6, 3, 3]);
}

fn main() -> Result<(), AskError> {
    by_key(&System::new())?;
    by_load(&Simulation::new(1));
    Ok(())
}
