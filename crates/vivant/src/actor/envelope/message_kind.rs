//! [`MessageKind`]: the behaviour of one kind of message. Its table, and the envelope that has it.

use super::content_codec::kind_codec;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use super::observed_message::{parts, seen};
use super::{Envelope, Head, JoinTable, KindTable, Processed};
use crate::actor::bounded_queue::BoundedQueue;
use crate::actor::class::StateRef;
use crate::actor::dependents::Dependents;
use crate::actor::options::{Guard, Mailbox, Steps};
use crate::actor::refusal::{Next, Refusal};
use crate::actor::restored_mark::RestoredMark;
use crate::actor::worker::Worker;
use crate::interned::{Name, Place};
use crate::message::{MessageRole, Route, pool};
use crate::observe::Origin;
use crate::phase::Stamp;
use crate::saving::{Codec, LocalsCodec};
use std::any::TypeId;
use std::fmt;
use std::ptr::{self, NonNull};

/// One kind of message: how to run it and how to refuse it.
pub(crate) trait MessageKind: 'static {
    /// The content of the envelope.
    type Content: Send + 'static;
    /// The table (vtable) of this kind.
    const KIND: KindTable;

    /// What its guard reads, if it has one.
    const GUARD: Guard = Guard::Arguments;

    /// Whether it may request another step.
    const STEPS: Steps = Steps::One;

    /// How its content is saved, if it is. `KIND` has its stable name.
    const CODEC: Option<Codec<Self::Content>> = None;

    /// Of a next step: how its locals are saved, if they are in the heap of the actor.
    const LOCALS: Option<LocalsCodec> = None;

    /// The joins that take it.
    const JOINS: &'static [&'static JoinTable] = &[];

    /// Returns the value of the guard: true if the message may run now.
    fn ready(_: &Self::Content, _: &mut StateRef<'_>) -> bool {
        true
    }

    /// Writes the program's arguments in parentheses, if it carries any.
    fn fmt_args(_: &Self::Content, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    /// Processes the message.
    fn run(content: Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed;

    /// Returns true if the sender has withdrawn the message. Called once, before it is run.
    fn is_withdrawn(_: &Self::Content) -> bool {
        false
    }

    /// Returns the exclusive waits that depend on its answer (W1).
    fn dependents(_: &Self::Content) -> Dependents {
        Dependents::default()
    }

    /// Refuses a message that will never run: the sender of a request gets the reason. Returns what
    /// follows from that.
    fn refuse(content: Self::Content, refusal: &Refusal, place: Place) -> Next;
}

#[repr(C)]
pub(super) struct Parcel<C> {
    pub(super) head: Head,
    pub(super) content: C,
}

impl Envelope {
    #[inline]
    pub(crate) fn new<L: MessageKind>(content: L::Content, place: Place) -> Envelope {
        let head = Head {
            link: ptr::null_mut(),
            kind: const { &L::KIND },
            place,
            sent_ms: 0,
            stamp: Stamp::default(),
            restored_mark: RestoredMark::default(),
            origin: Origin::none(),
        };
        let place = pool::take::<Parcel<L::Content>>();
        // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
        unsafe { place.write(Parcel { head, content }) };
        Envelope(place.cast())
    }

    /// Returns true if its guard lets it run on this state.
    pub(crate) fn ready(&self, state: &mut StateRef<'_>) -> bool {
        // SAFETY: the table is that of the parcel, which this envelope owns (M9).
        unsafe { (self.kind().ready)(self.0, state) }
    }

    /// Returns the exclusive waits that depend on its answer (W1).
    pub(crate) fn dependents(&self) -> Dependents {
        // SAFETY: the table is that of the parcel, which this envelope owns (M9).
        unsafe { (self.kind().dependents)(self.0) }
    }

    /// Processes it.
    pub(crate) fn run(self, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let run = self.kind().run;
        // SAFETY: the table is that of the parcel, which is given up here (M9).
        unsafe { run(self.into_node(), state, worker) }
    }

    /// Returns the content, if the message is of kind `L`.
    pub(crate) fn content<L: MessageKind>(&self) -> Option<&L::Content> {
        if !self.kind().is_of::<L>() {
            return None;
        }
        // SAFETY: the table says that it is that of `L`, so the parcel is a `Parcel<L::Content>`,
        // which this envelope owns (M9), and which is borrowed as long as the reference exists
        // (X6).
        Some(unsafe { &self.0.cast::<Parcel<L::Content>>().as_ref().content })
    }

    /// Takes the content out, if the message is of kind `L`.
    pub(crate) fn open<L: MessageKind>(self) -> Result<L::Content, Envelope> {
        if !self.kind().is_of::<L>() {
            return Err(self);
        }
        // SAFETY: the table says that it is that of `L`, so the parcel is a `Parcel<L::Content>`
        // (M9); the envelope gives the node up, so it is taken out once (X10).
        Ok(unsafe { unpacked::<L>(self.into_node()) }.content)
    }

    /// Destroys it; the sender of a request gets the reason. Returns what follows from that.
    pub(crate) fn refuse(self, refusal: &Refusal) -> Next {
        let refuse = self.kind().refuse;
        // SAFETY: the table is that of the parcel, which is given up here (M9).
        unsafe { refuse(self.into_node(), Some(refusal)) }
    }
}

impl Drop for Envelope {
    fn drop(&mut self) {
        // SAFETY: the table is that of the parcel (M9). A function that gives the parcel up forgets
        // the envelope, so this alone takes it out (X10).
        let next = unsafe { (self.kind().refuse)(self.0, None) };
        debug_assert!(
            matches!(next, Next::Nothing),
            "no refusal, so nothing follows"
        );
    }
}

impl KindTable {
    pub(crate) const fn new<L: MessageKind>(name: &'static str, role: MessageRole) -> KindTable {
        KindTable {
            name: Name::new(name),
            role,
            route: Route::Exempt,
            bytes: size_of::<Parcel<L::Content>>(),
            guard: L::GUARD,
            steps: L::STEPS,
            joins: L::JOINS,
            id: TypeId::of::<L>,
            ready: ready::<L>,
            dependents: dependents::<L>,
            continuation: None,
            run: run::<L>,
            refuse: refuse::<L>,
            codec: kind_codec::<L>(name),
        }
    }

    /// Returns the table of the same kind of message where its own actor releases it.
    pub(crate) const fn into_continuation(self) -> KindTable {
        KindTable {
            role: MessageRole::Continuation,
            continuation: None,
            ..self
        }
    }

    /// Returns the same table with this stable name, if messages of the kind are saved.
    pub(crate) const fn saved_as(self, name: &'static str) -> KindTable {
        match self.codec {
            Some(codec) => KindTable {
                codec: Some(codec.named(name)),
                ..self
            },
            None => self,
        }
    }

    /// Returns the same table with that one.
    pub(crate) const fn with_continuation(self, continuation: &'static KindTable) -> KindTable {
        KindTable {
            continuation: Some(continuation),
            ..self
        }
    }

    /// The type that says of what kind the message is.
    pub(crate) fn type_id(&self) -> TypeId {
        (self.id)()
    }

    pub(crate) fn is_of<L: MessageKind>(&self) -> bool {
        (self.id)() == TypeId::of::<L>()
    }

    /// Returns true for tables of one kind of message. A table may have copies, and then the type
    /// decides.
    pub(crate) fn is_same(&self, other: &KindTable) -> bool {
        ptr::eq(self, other) || (self.id)() == (other.id)()
    }

    /// Returns the same table for messages that go only to actors with this mailbox.
    pub(crate) const fn for_mailbox(self, mailbox: Mailbox) -> KindTable {
        let route = match mailbox {
            Mailbox::BackPressure => Route::Straight,
            _ => Route::Counted,
        };
        KindTable { route, ..self }
    }
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` that the caller owns.
unsafe fn ready<L: MessageKind>(head: NonNull<Head>, state: &mut StateRef<'_>) -> bool {
    // SAFETY: the caller's contract (X1).
    L::ready(
        unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content },
        state,
    )
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` that the caller owns.
unsafe fn dependents<L: MessageKind>(head: NonNull<Head>) -> Dependents {
    // SAFETY: the caller's contract (X1).
    L::dependents(unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content })
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` made by `Envelope::new::<L>` that the caller owns and gives
/// up.
unsafe fn run<L: MessageKind>(
    head: NonNull<Head>,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Processed {
    // Owned here, so that a panic in a guard does not lose it.
    let envelope = Envelope(head);
    let place = match const { L::KIND.route } {
        Route::Straight | Route::Exempt => None,
        Route::Counted => Some(QueuedPlace(worker)),
    };
    // SAFETY: the caller's contract (X1); `envelope` is not given up while the guard and the trace
    // read.
    let content = unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content };
    if !L::ready(content, state) {
        std::mem::forget(place);
        return Processed::Deferred(envelope);
    }
    // Before the turn, which may send to its own actor.
    drop(place);
    worker.fault_before(envelope.kind(), &Arguments::<L>(content));
    #[cfg(not(any(feature = "tracing", feature = "metrics")))]
    {
        // SAFETY: the caller's contract (X1); `envelope` gives the node up, so it is taken out once
        // (X10).
        let parcel = unsafe { unpacked::<L>(envelope.into_node()) };
        if L::is_withdrawn(&parcel.content) {
            return Processed::Withdrawn(parcel.head.place);
        }
        let (place, sent_ms) = (parcel.head.place, parcel.head.sent_ms);
        let step = L::run(parcel.content, state, worker);
        match const { L::STEPS } {
            Steps::One => step,
            Steps::Many => step.sent(place, sent_ms),
        }
    }
    #[cfg(any(feature = "tracing", feature = "metrics"))]
    {
        // SAFETY: `head` starts a `Parcel<L::Content>` that the caller gives up (X1); `envelope`
        // gives the node up, so it is taken out once (X10).
        let (head, content) = unsafe { parts::<L>(envelope.into_node()) };
        if L::is_withdrawn(&content) {
            return Processed::Withdrawn(head.place);
        }
        let (place, sent_ms) = (head.place, head.sent_ms);
        let step = seen::<L>(head, content, state, worker);
        match const { L::STEPS } {
            Steps::One => step,
            Steps::Many => step.sent(place, sent_ms),
        }
    }
}

/// The arguments of a message, as text.
struct Arguments<'c, L: MessageKind>(&'c L::Content);

impl<L: MessageKind> fmt::Display for Arguments<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        L::fmt_args(self.0, f)
    }
}

/// The place of a message in the bounded queue of the current actor. Its drop frees the place: when
/// the message begins, or its guard panics.
struct QueuedPlace<'w>(&'w Worker);

impl Drop for QueuedPlace<'_> {
    fn drop(&mut self) {
        self.0.current.with_bounded_queue(BoundedQueue::free);
    }
}

/// # Safety
/// As for `run`.
unsafe fn refuse<L: MessageKind>(head: NonNull<Head>, refusal: Option<&Refusal>) -> Next {
    // SAFETY: the caller's contract (X1).
    let parcel = unsafe { unpacked::<L>(head) };
    match refusal {
        Some(refusal) => L::refuse(parcel.content, refusal, parcel.head.place),
        None => {
            drop(parcel.content);
            Next::Nothing
        }
    }
}

/// Moves the parcel out of its memory and frees that memory at once, so that messages which the
/// turn sends can reuse it.
///
/// # Safety
/// As for `run`.
#[inline(always)]
unsafe fn unpacked<L: MessageKind>(head: NonNull<Head>) -> Parcel<L::Content> {
    let place = head.cast::<Parcel<L::Content>>();
    // SAFETY: `Envelope::new::<L>` wrote the parcel, and the caller gives it up (X1).
    let parcel = unsafe { place.read() };
    // SAFETY: `Envelope::new::<L>` took the memory for this type (N4). The parcel was moved out
    // above, and the caller has given it up, so nothing else gives the memory back (X1).
    unsafe { pool::give(place) };
    parcel
}

impl Processed {
    /// Gives the next step the place and the send time of the first.
    fn sent(mut self, place: Place, sent_ms: u32) -> Processed {
        #[cfg(test)]
        if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::StepWithoutPlace)
        {
            return self;
        }
        if let Processed::NextStep(next) = &mut self {
            let head = next.head_mut();
            (head.place, head.sent_ms) = (place, sent_ms);
        }
        self
    }
}
