//! The block in which a promise and its resolver meet (`crates/vivant/src/api/promise/README.md`).
//!
//! Proved, on the file of the runtime: whichever end is first, value and continuation come together
//! once, at the second end, which sees both ends' writes; each is dropped once if they do not; the
//! block is freed once, and not before both ends are done with it.
//!
//! | model | real |
//! |---|---|
//! | `Cargo` | a value, and a continuation |
//! | `Asks` | the promise: given a continuation, or dropped |
//! | `Answers` | the resolver: its value arrives, is refused on the way, or never comes |
//! | `discard::DiscardSink` | the same |
//!
//! Left out: the path of the value through a mailbox; answers to other asks, and promises that are
//! prepared and not yet wanted (`Tail`), which meet in the same block.

#[allow(dead_code, reason = "the models show nothing")]
#[path = "../../../crates/vivant/src/api/promise/shown.rs"]
mod shown;
#[allow(
    dead_code,
    reason = "the models need no tails, and no value goes to another resolver"
)]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/api/promise/sink.rs"]
mod sink;
#[allow(dead_code, reason = "the models need no tails")]
#[allow(
    clippy::drop_non_drop,
    reason = "the resolvers of the models do nothing"
)]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/api/promise/slot.rs"]
mod slot;

use crate::actor::{AddressRef, AskError};
use crate::check::{canaries, models};
use crate::tracked::Tracked;
use loom::alloc::Track;
use loom::thread;
use shown::{Awaits, PromiseLink, Shown};
use sink::{Continue, Sink, SinkLink};
use sink_data::SinkData;
use slot::{Answering, Asking};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

/// The result of a continuation: nothing.
pub(crate) enum Next {
    Nothing,
}

impl Next {
    fn follow(self) {
        let Next::Nothing = self;
    }
}

/// Of another ask. None is made here.
pub(crate) struct Resolver<T>(PhantomData<T>);

impl<T> PromiseLink for Resolver<T> {
    fn owner(&self) -> Option<&AddressRef> {
        None
    }

    fn shown_by_sink(&self) -> Option<Shown<'_>> {
        None
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Taken
    }
}

mod sink_data {
    /// No model asks for it.
    pub(crate) struct SinkData {
        pub(crate) kind: SinkKind,
    }

    pub(crate) struct SinkKind;

    impl SinkKind {
        pub(crate) fn name(&self) -> &'static str {
            "none"
        }
    }
}

/// No model saves a promise.
#[allow(dead_code, reason = "no model saves a promise")]
mod saved {
    use std::marker::PhantomData;

    pub(crate) struct ShapedBytes;

    pub(crate) enum PromiseUnsaved {
        Sink(&'static str),
    }

    pub(crate) struct SinkSaver<'k>(PhantomData<&'k ()>);
}

mod arrival_type {
    use std::any::TypeId;

    pub(crate) fn arrival_type<T: 'static>() -> TypeId {
        TypeId::of::<T>()
    }
}

mod discard {
    use super::sink_data::SinkKind;
    use super::{AskError, Continue, Next, SinkData, SinkLink};

    /// Nothing is done with the value.
    pub(super) struct DiscardSink;

    impl<T> Continue<T> for DiscardSink {
        fn fill(self, _: Result<T, AskError>) -> Next {
            Next::Nothing
        }
    }

    impl SinkLink for DiscardSink {
        fn data(&self) -> SinkData {
            SinkData { kind: SinkKind }
        }
    }
}

/// The fate of the cargo. Hidden from loom, so that it orders nothing.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
struct Seen {
    met: u32,
    broken: u32,
}

type Log = Arc<Mutex<Seen>>;

/// A value or a continuation, with content that loom tracks.
pub(crate) struct Cargo {
    content: Track<Tracked<u32>>,
    log: Log,
}

impl Cargo {
    fn new(log: &Log) -> Cargo {
        let content = Tracked::new(0);
        // A change and not the first value: loom is to see that the maker writes.
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
        // Dropping it takes exclusive access, as using it does.
        self.content.get_ref().change(|number| {
            assert_eq!(*number, 1, "not what was brought");
            *number = 2;
        });
    }
}

impl Continue<Cargo> for Cargo {
    fn fill(self, value: Result<Cargo, AskError>) -> Next {
        self.meets(value.ok());
        Next::Nothing
    }
}

impl SinkLink for Cargo {
    fn data(&self) -> SinkData {
        SinkData {
            kind: sink_data::SinkKind,
        }
    }
}

fn arrives(mut answering: Answering<Cargo>, value: Cargo) {
    drop(answering.take_owner());
    answering.put_value(Ok(value));
    brought(answering);
}

fn is_refused(mut answering: Answering<Cargo>, value: Cargo) {
    answering.put_value(Ok(value));
    drop(answering.take_value());
    answering.put_value(Err(AskError));
    brought(answering);
}

fn brought(answering: Answering<Cargo>) {
    if let Some((sink, value)) = answering.arrives(None) {
        sink.fill(value).follow();
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

/// Both ends at once. Loom checks that each cargo is dropped and the block freed: else it reports a
/// leak.
fn meeting(asks: Asks, answers: Answers) {
    let log = Log::default();
    let (asking, answering): (Asking<Cargo>, Answering<Cargo>) =
        slot::slot(AddressRef::new(), None);
    let answerer = thread::spawn({
        let log = log.clone();
        move || match answers {
            Answers::Arrives => arrives(answering, Cargo::new(&log)),
            Answers::IsRefused => is_refused(answering, Cargo::new(&log)),
            Answers::Breaks => drop(answering),
        }
    });
    match asks {
        Asks::Wants => asking.set_sink(Sink::new(Cargo::new(&log))),
        Asks::Leaves => drop(asking),
    }
    answerer.join().unwrap();
    let wants = |what| u32::from(asks == Asks::Wants && answers == what);
    let expected = Seen {
        met: wants(Answers::Arrives),
        broken: wants(Answers::IsRefused),
    };
    assert_eq!(*log.lock().unwrap(), expected, "not once each");
}

fn met() {
    meeting(Asks::Wants, Answers::Arrives);
}

models! {
    /// The value arrives while the other end wants it.
    a_value_and_a_request_meet_once: holds || meeting(Asks::Wants, Answers::Arrives);
    /// The promise is dropped while its value arrives.
    an_unwanted_value_is_dropped: holds || meeting(Asks::Leaves, Answers::Arrives);
    /// The resolver is refused or dropped while the other end sets its continuation.
    a_request_without_a_value_is_dropped: holds
        || meeting(Asks::Wants, Answers::IsRefused), || meeting(Asks::Wants, Answers::Breaks);
    /// Both ends are dropped.
    no_request_and_no_value_leave_nothing: holds
        || meeting(Asks::Leaves, Answers::IsRefused), || meeting(Asks::Leaves, Answers::Breaks);
}

canaries! {
    /// The promise's end is second and does not see the value.
    an_asking_end_that_does_not_acquire_is_caught: AskingReleases, "Causality violation" => met;
    /// The promise's end is first and does not publish its continuation.
    an_asking_end_that_does_not_release_is_caught: AskingAcquires, "Causality violation" => met;
    /// The resolver's end is second, by its exchange, and does not see the continuation.
    an_answering_end_that_does_not_acquire_is_caught:
        AnsweringReleases, "Causality violation" => met;
    /// The resolver's end is first and does not publish the value.
    an_answering_end_that_does_not_release_is_caught:
        AnsweringAcquires, "Causality violation" => met;
    /// The resolver's end is second, by its load, and does not see the continuation.
    a_look_that_does_not_acquire_is_caught: LookRelaxed, "Causality violation" => met;
    /// The first end, the promise's, gives the block back.
    both_ends_freeing_is_caught: BothFree, "" => met;
    /// The second end takes both out and leaves the block.
    neither_end_freeing_is_caught: NeitherFrees, "leak" => met;
    /// The promise's end only loads, and both ends believe that they are first.
    an_end_by_a_load_and_a_store_is_caught: AskingByALook, "" => met;
    /// A dropped end does not do its part.
    a_dropped_end_that_says_nothing_is_caught:
        DropSaysNothing, "leak" => || meeting(Asks::Wants, Answers::Breaks);
}
