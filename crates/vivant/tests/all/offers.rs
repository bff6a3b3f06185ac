//! T5: senders outside that wait until a mailbox has room for their message.

use crate::waits::wait_while;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Cause, NotSent};

#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Picky {
    open: bool,
    got: Vec<u64>,
}

#[behaviours]
impl Picky {
    fn take(&mut self, number: u64) {
        self.got.push(number);
    }
    #[when(self.open)]
    fn keep(&mut self) {}
    fn got(&mut self) -> Vec<u64> {
        self.got.clone()
    }
}

fn picky(system: &System) -> Address<Picky> {
    system.spawn(Picky {
        open: false,
        got: Vec::new(),
    })
}

/// Polls once.
fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn offers_wait_for_a_place_in_their_order() {
    let simulation = Simulation::new(9);
    let system = simulation.system();
    let picky = picky(system);
    picky.take(1).send();
    picky.take(2).send();
    let mut third = picky.take(3).offer();
    let mut dropped = picky.take(4).offer();
    let mut notified_and_dropped = picky.take(5).offer();
    let mut sixth = picky.take(6).offer();
    assert!(poll(&mut third).is_pending());
    assert!(poll(&mut dropped).is_pending());
    assert!(poll(&mut notified_and_dropped).is_pending());
    assert!(poll(&mut sixth).is_pending());
    drop(dropped);
    simulation.run();
    // Both places are promised now, in the order of the offers: no other sender overtakes them.
    assert!(picky.take(7).try_send().is_err());
    assert!(poll(&mut sixth).is_pending());
    drop(notified_and_dropped);
    assert!(matches!(poll(&mut sixth), Poll::Ready(Ok(()))));
    assert!(matches!(poll(&mut third), Poll::Ready(Ok(()))));
    assert!(picky.take(8).try_send().is_err());
    simulation.run();
    assert_eq!(picky.got().ask_blocking().expect("it lives"), [1, 2, 6, 3]);
    assert_eq!(system.dead_letters().total(), 0);
}

#[test]
fn an_offer_is_returned_when_the_actor_ends() {
    let simulation = Simulation::new(10);
    let system = simulation.system();
    let shut = picky(system);
    shut.keep().send();
    shut.keep().send();
    simulation.run();
    let mut first = shut.take(1).offer();
    let mut second = shut.take(2).offer();
    assert!(poll(&mut first).is_pending());
    assert!(poll(&mut second).is_pending());
    Address::stop(&shut);
    for offer in [first, second] {
        let error = system.block_on(offer).expect_err("it has ended");
        assert_eq!(error.why, NotSent::Ended);
    }
    // Its earlier messages, and none of the offers.
    let counts = system.dead_letters().counts();
    assert!(counts.iter().all(|line| line.cause == Cause::Ended));
    assert_eq!(system.dead_letters().total(), 2);
}

#[test]
fn an_offer_waits_until_an_overloaded_actor_has_recovered() {
    #[derive(Actor)]
    struct Plain {
        got: u64,
    }
    #[behaviours]
    impl Plain {
        fn take(&mut self) {
            self.got += 1;
        }
        fn got(&mut self) -> u64 {
            self.got
        }
    }
    let simulation = Simulation::with(11, Faults::none(), System::builder().overload(8));
    let system = simulation.system();
    let plain = system.spawn(Plain { got: 0 });
    let mut sent = 0;
    let mut waiting = loop {
        let mut offer = plain.take().offer();
        if poll(&mut offer).is_pending() {
            break offer;
        }
        sent += 1;
    };
    assert!((8..=10).contains(&sent), "{sent}");
    let mut dropped = plain.take().offer();
    assert!(poll(&mut waiting).is_pending());
    assert!(poll(&mut dropped).is_pending());
    assert_eq!(system.inspect().actors[0].mutes, 2);
    drop(dropped);
    assert_eq!(system.inspect().actors[0].mutes, 1);
    simulation.run();
    assert!(matches!(poll(&mut waiting), Poll::Ready(Ok(()))));
    assert_eq!(plain.got().ask_blocking().expect("it lives"), sent + 1);
}

#[test]
fn an_offer_within_a_turn_does_not_wait() {
    #[derive(Actor)]
    struct Eager {
        to: Address<Picky>,
    }
    #[behaviours]
    impl Eager {
        fn offer(&mut self) -> NotSent {
            match poll(&mut self.to.take(1).offer()) {
                Poll::Ready(Err(error)) => error.why,
                _ => NotSent::Ended,
            }
        }
    }
    let system = System::new();
    let to = picky(&system);
    let why = system.spawn(Eager { to }).offer().ask_blocking();
    let Ok(NotSent::InsideTurn(inside)) = why else {
        panic!("it was not notified: {why:?}");
    };
    assert!(inside.behaviour.ends_with("Eager::offer"));
}

#[test]
fn abandoned_offers_of_threads_keep_no_place() {
    const EACH: u64 = if cfg!(miri) { 20 } else { 3_000 };
    let system = System::builder().workers(2).build();
    let picky = picky(&system);
    let sent = AtomicU64::new(0);
    thread::scope(|scope| {
        for number in 0..3 {
            let (picky, system, sent) = (&picky, &system, &sent);
            scope.spawn(move || {
                for at in 0..EACH {
                    let mut offer = picky.take(at).offer();
                    let outcome = match number {
                        0 => Poll::Ready(system.block_on(offer)),
                        _ => poll(&mut offer),
                    };
                    if let Poll::Ready(outcome) = outcome {
                        outcome.expect("it lives");
                        sent.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let got = loop {
        // The mailbox may still be full.
        if let Ok(got) = picky.got().ask_blocking() {
            break got;
        }
    };
    assert_eq!(got.len() as u64, sent.load(Ordering::Relaxed));
    // Both places are free.
    picky.keep().send();
    picky.keep().send();
    let deferred = || system.inspect().actors[0].deferred;
    wait_while(|| deferred() < 2);
    assert!(picky.take(0).try_send().is_err());
    assert!(system.shutdown().is_complete());
}
