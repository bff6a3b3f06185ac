//! Promise pipelining: messages to the address that a promise will bring.
//!
//! A client opens a session and uses it without a wait in between. Where to look: `session` in
//! `visit` is a session that does not exist yet; what is sent to it travels, in order, when its
//! address comes. In virtual time the whole visit takes one round to the gate, not one for each
//! step. Try a wrong password: the promise is broken, and the messages are dead letters.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::Cause;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Session {
    user: String,
    cart: Vec<String>,
}

#[behaviours]
impl Session {
    fn add(&mut self, item: String) {
        self.cart.push(item);
    }

    fn checkout(&mut self) -> String {
        format!("{} buys {}", self.user, self.cart.join(" and "))
    }
}

#[derive(Actor)]
struct Gate;

#[behaviours]
impl Gate {
    /// Takes a second to look the password up.
    fn login(&self, t: &Turn<Self>, user: String, password: String) -> Promise<Address<Session>> {
        let (promise, resolver) = t.promise();
        t.after(
            Duration::from_secs(1),
            t.me().looked_up(user, password, resolver),
        );
        promise
    }

    fn looked_up(
        &self,
        t: &Turn<Self>,
        user: String,
        password: String,
        resolver: Resolver<Address<Session>>,
    ) {
        if password == "secret" {
            let cart = Vec::new();
            resolver.resolve(t.spawn_actor(Session { user, cart }));
        }
        // Otherwise the resolver is dropped, which breaks the promise.
    }
}

#[derive(Actor)]
struct Client {
    gate: Address<Gate>,
}

#[behaviours]
impl Client {
    fn visit(&self, t: &Turn<Self>, user: String, password: String) -> Promise<String> {
        let session = t.pipeline(t.ask(self.gate.login(user, password)));
        for item in ["bread", "cheese"] {
            session.send(move |session| session.add(item.to_owned()));
        }
        session.ask(t, |session| session.checkout())
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let client = system.spawn(Client {
        gate: system.spawn(Gate),
    });
    let bought = client.visit("Ada".into(), "secret".into()).ask_blocking()?;
    println!("{bought}, after {:?}", simulation.now());
    assert_eq!(bought, "Ada buys bread and cheese");
    let refused = client.visit("Eve".into(), "guess".into()).ask_blocking();
    assert!(matches!(refused, Err(AskError::Broken(_))), "{refused:?}");
    let lost = system.dead_letters().counts();
    let unresolved = lost.iter().filter(|line| line.cause == Cause::Unresolved);
    assert_eq!(unresolved.map(|line| line.count).sum::<u64>(), 3);
    Ok(())
}
