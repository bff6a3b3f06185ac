//! The block in which a promise and its resolver meet (`crates/vivant/src/promise/README.md`).
//!
//! Proved, on the file of the runtime: whichever end is first, the value and what is wanted come together once, at the second
//! end, which sees what was written into both; each is dropped once if they do not; the block is freed once, and not
//! before both ends have done with it.
//!
//! | model | real |
//! |---|---|
//! | `Cargo` | a value, and a continuation |
//! | `Asks` | the promise: given a continuation, or dropped |
//! | `Answers` | the resolver: its value arrives, is refused on the way, or never comes |
//! | `resolver::sunk` | the same, for continuations |
//!
//! Left out: the way of the value through a mailbox; answers to other questions, and promises that are prepared and not yet
//! wanted (`Tail`), which meet in the same block.

mod broken;
#[allow(dead_code, reason = "the models need no tails")]
#[allow(
    clippy::drop_non_drop,
    reason = "the resolvers of the models do nothing"
)]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/promise/slot.rs"]
mod slot;

use crate::cell::AddressRef;
use crate::check::{Canary, holds};
use crate::error::AskError;
use crate::tracked::Tracked;
use loom::alloc::Track;
use loom::thread;
use slot::{Answering, Asking, Continue, Pending, Sink};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

/// What follows from a value: nothing.
pub(crate) enum Next {
    Nothing,
}

impl Next {
    fn follow(self) {
        let Next::Nothing = self;
    }
}

/// Of another question. None is made here.
pub(crate) struct Resolver<T>(PhantomData<T>);

mod resolver {
    use super::{AskError, Next, Sink};

    pub(super) fn sunk<T: Send + 'static>(sink: Sink<T>, value: Result<T, AskError>) -> Next {
        match sink {
            Sink::Nobody | Sink::Answer(_) => Next::Nothing,
            Sink::Then(then) => then.fill(value),
        }
    }
}

/// What has become of the cargo. Unseen by loom, so that it orders nothing.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
struct Seen {
    met: u32,
    broken: u32,
}

type Log = Arc<Mutex<Seen>>;

/// A value or a continuation, whose content loom follows.
pub(crate) struct Cargo {
    content: Track<Tracked<u32>>,
    log: Log,
}

impl Cargo {
    fn new(log: &Log) -> Cargo {
        let content = Tracked::new(0);
        // A change and not the first value: that the maker writes is what loom is to see.
        content.change(|number| *number = 1);
        Cargo {
            content: Track::new(content),
            log: log.clone(),
        }
    }

    /// Both have come.
    fn meets(self, other: Option<Cargo>) {
        let mut seen = self.log.lock().unwrap();
        match other {
            Some(_) => seen.met += 1,
            None => seen.broken += 1,
        }
    }
}

impl Drop for Cargo {
    fn drop(&mut self) {
        // Whoever drops it is alone with it, as whoever uses it.
        self.content.get_ref().change(|number| {
            assert_eq!(*number, 1, "not what was brought");
            *number = 2;
        });
    }
}

/// The two ends: the real ones, or some with a planted bug.
pub(crate) trait Ends: 'static {
    type Asking: 'static;
    type Answering: 'static;
    fn made(self) -> (Self::Asking, Self::Answering);
    fn wants(asking: Self::Asking, then: Cargo);
    fn leaves(asking: Self::Asking);
    fn arrives(answering: Self::Answering, value: Cargo);
    fn is_refused(answering: Self::Answering, value: Cargo);
    fn breaks(answering: Self::Answering);
}

struct Real;

impl Continue<Cargo> for Cargo {
    fn fill(self, value: Result<Cargo, AskError>) -> Next {
        self.meets(value.ok());
        Next::Nothing
    }
}

fn brought(answering: Answering<Cargo>) {
    if let Some((sink, value)) = answering.arrives() {
        resolver::sunk(sink, value).follow();
    }
}

impl Ends for Real {
    type Asking = Asking<Cargo>;
    type Answering = Answering<Cargo>;

    fn made(self) -> (Asking<Cargo>, Answering<Cargo>) {
        slot::slot(AddressRef::new())
    }
    fn wants(asking: Asking<Cargo>, then: Cargo) {
        asking.wants(Sink::Then(Pending::new(then)));
    }
    fn leaves(asking: Asking<Cargo>) {
        drop(asking);
    }
    fn arrives(mut answering: Answering<Cargo>, value: Cargo) {
        drop(answering.take_owner());
        answering.lay(Ok(value));
        brought(answering);
    }
    fn is_refused(mut answering: Answering<Cargo>, value: Cargo) {
        answering.lay(Ok(value));
        drop(answering.take_value());
        answering.lay(Err(AskError));
        brought(answering);
    }
    fn breaks(answering: Answering<Cargo>) {
        drop(answering);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Wants,
    Leaves,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    Arrives,
    IsRefused,
    Breaks,
}

/// Both ends at once. That each cargo is dropped, and the block freed, loom sees: what is not is a leak.
fn meeting<E: Ends>(ends: E, asks: Asks, answers: Answers) {
    let log = Log::default();
    let (asking, answering) = ends.made();
    let answerer = thread::spawn({
        let log = log.clone();
        move || match answers {
            Answers::Arrives => E::arrives(answering, Cargo::new(&log)),
            Answers::IsRefused => E::is_refused(answering, Cargo::new(&log)),
            Answers::Breaks => E::breaks(answering),
        }
    });
    match asks {
        Asks::Wants => E::wants(asking, Cargo::new(&log)),
        Asks::Leaves => E::leaves(asking),
    }
    answerer.join().unwrap();
    let wants = |what| u32::from(asks == Asks::Wants && answers == what);
    let expected = Seen {
        met: wants(Answers::Arrives),
        broken: wants(Answers::IsRefused),
    };
    assert_eq!(*log.lock().unwrap(), expected, "not once each");
}

/// The value arrives while somebody says that it is wanted.
pub fn value_and_wish_meet_once() {
    holds(|| meeting(Real, Asks::Wants, Answers::Arrives));
}

/// The promise is dropped while its value arrives.
pub fn an_unwanted_value_is_dropped() {
    holds(|| meeting(Real, Asks::Leaves, Answers::Arrives));
}

/// The resolver is refused or dropped while somebody says what is wanted.
pub fn a_wish_without_a_value_is_dropped() {
    holds(|| meeting(Real, Asks::Wants, Answers::IsRefused));
    holds(|| meeting(Real, Asks::Wants, Answers::Breaks));
}

/// Both ends are dropped.
pub fn nobody_wants_and_nothing_comes() {
    holds(|| meeting(Real, Asks::Leaves, Answers::IsRefused));
    holds(|| meeting(Real, Asks::Leaves, Answers::Breaks));
}

/// The copy of the file in which bugs are planted does what the file does.
pub fn without_a_flaw_the_copy_holds() {
    canaries::copy_holds();
}

/// Each planted bug is met by the very models above.
pub mod canaries {
    use super::broken::{Copy, Flaw};
    use super::*;

    fn met(flaw: Flaw) -> impl Fn() + Send + Sync + 'static {
        move || meeting(Copy(flaw), Asks::Wants, Answers::Arrives)
    }

    /// The promise's end is second and does not see the value.
    pub fn an_asking_end_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies("Causality violation", met(Flaw::AskingRelease));
    }

    /// The promise's end is first and does not publish what it wants.
    pub fn an_asking_end_that_does_not_release_is_caught(canary: Canary) {
        canary.dies("Causality violation", met(Flaw::AskingAcquire));
    }

    /// The resolver's end is second, by its exchange, and does not see what is wanted.
    pub fn an_answering_end_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies("Causality violation", met(Flaw::AnsweringRelease));
    }

    /// The resolver's end is first and does not publish the value.
    pub fn an_answering_end_that_does_not_release_is_caught(canary: Canary) {
        canary.dies("Causality violation", met(Flaw::AnsweringAcquire));
    }

    /// The resolver's end is second, by its look, and does not see what is wanted.
    pub fn a_look_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies("Causality violation", met(Flaw::LookRelaxed));
    }

    /// Each end gives the block back.
    pub fn both_ends_freeing_is_caught(canary: Canary) {
        canary.dies("", met(Flaw::BothFree));
    }

    /// The second end takes both out and leaves the block.
    pub fn neither_end_freeing_is_caught(canary: Canary) {
        canary.dies("leak", met(Flaw::NeitherFrees));
    }

    /// Both look, and both believe that they are first.
    pub fn an_end_by_a_look_and_a_store_is_caught(canary: Canary) {
        canary.dies("", met(Flaw::ByALook));
    }

    /// A dropped end does not do its part.
    pub fn a_dropped_end_that_says_nothing_is_caught(canary: Canary) {
        canary.dies("leak", || {
            meeting(Copy(Flaw::DropSaysNothing), Asks::Wants, Answers::Breaks);
        });
    }

    /// No canary: the copy itself is faithful.
    pub(crate) fn copy_holds() {
        for answers in [Answers::Arrives, Answers::IsRefused, Answers::Breaks] {
            holds(move || meeting(Copy(Flaw::None), Asks::Wants, answers));
            holds(move || meeting(Copy(Flaw::None), Asks::Leaves, answers));
        }
    }
}
