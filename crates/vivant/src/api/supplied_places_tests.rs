//! Messages and requests with a name and a place that a file supplied: what comes of them has both.

use super::call::envelope;
use super::{Call, Resolver};
use crate::failures::{Cause, DeadLetter};
use crate::interned::{Name, Place};
use crate::prelude::*;
use crate::services::Asked;
use crate::simulation::Simulation;
use crate::sync::{Arc, Mutex, lock};

fn supplied() -> Place {
    Place::intern("of/another/build.rs", 7, 9)
}

#[derive(Actor)]
struct Clerk {
    letters: Arc<Mutex<Vec<DeadLetter>>>,
}

#[behaviours]
impl Clerk {
    fn ping(&mut self) {}

    fn listen(&mut self, t: &Turn<Self>) {
        t.on_dead_letters(t.me().received());
    }

    #[then]
    fn received(&mut self, letter: DeadLetter) {
        lock(&self.letters).push(letter);
    }

    /// Returns the requests that are open while one of them has a supplied name.
    fn requests(&mut self, t: &Turn<Self>, system: System) -> Vec<String> {
        let (promise, resolver): (Promise<u64>, Resolver<u64>) = t.promise();
        resolver.pass_on(Asked {
            system: 0,
            answerer: 0,
            behaviour: Name::intern_ref("Vault::of_another_build"),
            place: supplied(),
        });
        let open = system.inspect().requests;
        drop((promise, resolver));
        let shown = |request: &crate::OpenRequest| request.to_string();
        open.iter().map(shown).collect()
    }
}

fn clerk(system: &System) -> Address<Clerk> {
    system.spawn(Clerk {
        letters: Arc::default(),
    })
}

#[test]
fn a_message_from_a_supplied_place_is_a_dead_letter_of_it() {
    let simulation = Simulation::new(0);
    let letters = Arc::<Mutex<Vec<DeadLetter>>>::default();
    let clerk_of_letters = Clerk {
        letters: letters.clone(),
    };
    let clerk_of_letters = simulation.system().spawn(clerk_of_letters);
    clerk_of_letters.listen().send();
    let other = clerk(simulation.system());
    other.ping().send();
    simulation.run();
    Address::stop(&other);
    simulation.run();
    let link = Address::link(&other);
    type Ping = clerk_messages::Ping<Clerk>;
    let call = Call::<Ping>::new_packed(&link.to, (), envelope::<Ping>, supplied());
    let error = call.ask_blocking().unwrap_err();
    let AskError::Stopped(it) = &error else {
        panic!("{error}")
    };
    assert_eq!(it.place, supplied());
    assert!(
        error
            .to_string()
            .contains("(asked at of/another/build.rs:7:9)"),
        "{error}"
    );
    simulation.run();
    assert_eq!(lock(&letters)[0].place, supplied());
    let counts = simulation.system().dead_letters().counts();
    assert_eq!(counts[0].place, "of/another/build.rs:7:9");
    assert_eq!(counts[0].cause, Cause::Ended);
}

#[test]
fn an_open_request_has_the_name_and_the_place_that_were_supplied() {
    let simulation = Simulation::new(0);
    let clerk = clerk(simulation.system());
    let open = clerk
        .requests(simulation.system().clone())
        .ask_blocking()
        .unwrap();
    let is_it = |text: &String| {
        text.contains("`Vault::of_another_build`") && text.contains("at of/another/build.rs:7:9,")
    };
    assert_eq!(
        open.iter().filter(|text| is_it(text)).count(),
        1,
        "{open:?}"
    );
}
