//! Errors, reasons and what else the runtime sends become bytes, and values again.

use crate::actor::{Mailbox, Overloaded, Undelivered};
use crate::failures::{Cause, DeadLetter, Linked};
use crate::interned::{Name, Place};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Lagged, StreamItem};
use std::fmt::Debug;
use std::time::Duration;
use vivant_codec::{Saved, from_bytes, to_bytes};

#[derive(Actor)]
struct Glass;

#[behaviours]
impl Glass {
    fn shatter(&self) {
        panic!("too loud");
    }
}

fn comes_back<T: for<'gc> Saved<'gc> + PartialEq + Debug>(value: T) {
    let bytes = to_bytes(&value).expect("it is saved");
    let loaded: T = from_bytes(&bytes).expect("the bytes are a value");
    assert_eq!(loaded, value);
}

/// The errors that a hole, a reply or a state may have.
#[test]
fn errors_and_reasons_come_back() {
    let (actor, behaviour, place) = ("a/1".to_owned(), Name::new(Glass::NAME), Place::caller());
    let reason = StopReason::Linked(Arc::new(Linked {
        actor: actor.clone(),
        first: "b/2".to_owned(),
        reason: StopReason::Drained,
        links: 3,
    }));
    comes_back(AskError::Stopped(Arc::new(Undelivered {
        actor: actor.clone(),
        behaviour,
        place,
        reason,
    })));
    comes_back(AskError::Overloaded(Arc::new(Overloaded {
        actor: actor.clone(),
        behaviour,
        place,
        mailbox: Mailbox::DropOldest(300),
    })));
    comes_back(AskError::TimedOut {
        after: Duration::from_millis(5),
    });
    comes_back(AskError::Stalled);
    comes_back(StopReason::Restarting);
    comes_back(DeadLetter {
        behaviour,
        actor,
        place,
        cause: Cause::Unresolved,
    });
    comes_back(Lagged { missed: 7 });
    comes_back(StreamItem::Item(7_u64));
    comes_back(StreamItem::<u64>::Failed(AskError::Cancelled));
}

#[test]
fn a_panic_comes_back() {
    let simulation = Simulation::new(1);
    let glass = simulation.system().spawn(Glass);
    let error = glass.shatter().ask_blocking().expect_err("it panics");
    assert!(matches!(error, AskError::Panicked(_)));
    comes_back(error);
}
