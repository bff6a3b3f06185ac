//! Monitors and links. A watch is a promise of the reason of an actor's end, whatever it is, and
//! has no other effect: the host gets each guest's reason, also of a guest that has ended already.
//! A link makes two actors fail together: if one of them fails the other fails too; an end without
//! failure does not affect the other. Look at the last reason: it names both. Neither restarts an
//! actor: a supervisor does (`supervised`). Try `t.unlink`; the panic prints on stderr.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Guest;

#[behaviours]
impl Guest {
    fn leave(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    fn fall(&mut self) {
        panic!("the chair broke");
    }

    /// If one of the two fails, both do.
    fn marry(&mut self, t: &Turn<Self>, other: Address<Guest>) {
        t.link(&other);
    }

    fn is_here(&self) -> bool {
        true
    }
}

#[derive(Actor, Default)]
struct Host {
    heard: Vec<String>,
}

#[behaviours]
impl Host {
    fn welcome(&mut self, t: &Turn<Self>, name: String, guest: Address<Guest>) {
        // The continuation's answer has no receiver.
        t.watch(&guest).then_send(t.me().has_left(name));
    }

    #[then]
    fn has_left(&mut self, reason: Result<StopReason, AskError>, name: String) {
        self.heard.push(match reason {
            Ok(reason) => format!("{name}: {reason}"),
            Err(error) => format!("{name}: nobody knows ({error})"),
        });
    }

    fn heard(&self) -> Vec<String> {
        self.heard.clone()
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let host = system.spawn(Host::default());
    let names = ["Ada", "Bob", "Cleo", "Dan", "Eve"];
    let guests = names.map(|name| {
        let guest = system.spawn(Guest);
        host.welcome(name.to_owned(), guest.clone()).send();
        guest
    });
    let [ada, bob, cleo, dan, eve] = guests;
    dan.marry(eve.clone()).send();
    simulation.run();

    ada.leave().send();
    simulation.run();
    Address::stop(&bob);
    simulation.run();
    drop(cleo);
    simulation.run();
    dan.fall().send();
    simulation.run();

    let heard = host.heard().ask_blocking()?;
    heard.iter().for_each(|line| println!("{line}"));
    let says = [
        "stopped itself",
        "was stopped",
        "nothing referred",
        "panicked",
        "was linked with, failed",
    ];
    assert_eq!(heard.len(), says.len());
    for (line, words) in heard.iter().zip(says) {
        assert!(line.contains(words), "{line}");
    }
    assert!(eve.is_here().ask_blocking().is_err(), "she fell with Dan");

    host.welcome("Ada again".to_owned(), ada).send();
    simulation.run();
    let heard = host.heard().ask_blocking()?;
    println!("{}", heard.last().map_or("", String::as_str));
    assert_eq!(
        heard.last().map(String::as_str),
        Some("Ada again: it stopped itself")
    );
    Ok(())
}
