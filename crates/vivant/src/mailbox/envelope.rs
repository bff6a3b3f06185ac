//! The envelope: one allocation with a header that all messages share and a content that only its
//! kind knows.

use super::inbox::{Chain, Linked};
use super::pool;
use super::ring::Ring;
use crate::actor::Mailbox;
use crate::behaviour::{Access, Guard};
use crate::cell::{AddressRef, Bond, StateRef};
use crate::error::Refusal;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::observe;
use crate::observe::Origin;
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::step::Steps;
use std::panic::Location;
use std::ptr::{self, NonNull};

/// What every message starts with.
#[repr(C)]
pub(crate) struct Head {
    link: *mut Head,
    pub(crate) kind: &'static Kind,
    /// Where in the source the message was made.
    pub(crate) place: &'static Location<'static>,
    /// When it was pushed, in coarse milliseconds; wraps after 49 days.
    pub(crate) sent_ms: u32,
    /// In which span it was sent. Nothing without the feature `tracing`.
    pub(crate) origin: Origin,
}

// SAFETY: 1. `link` is a fixed field that only inbox and chain touch. 2. `Envelope::into_node`
// gives up a `Parcel` whose content is `Send` (a bound of `Letter`), so a node may be used on any
// thread.
unsafe impl Linked for Head {
    unsafe fn link(node: NonNull<Head>) -> *mut *mut Head {
        // SAFETY: the caller owns the node (the trait's rule); only the field's address is taken.
        unsafe { ptr::addr_of_mut!((*node.as_ptr()).link) }
    }
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl Head {
    /// Nothing of it is needed any more. Said before a turn, so that no turn has to clear it away
    /// when it panics.
    fn given_up(self) {}
}

#[repr(C)]
struct Parcel<C> {
    head: Head,
    content: C,
}

/// What a message is to the one who takes it out of the mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Makes the actor's state.
    Start,
    /// A behaviour: counted against budgets and back-pressure, a turn of the user's.
    Turn,
    /// As `Turn`, but exempt from back-pressure, because its sender has a bound for what is on the
    /// way.
    Bounded,
    /// A poll of a future: a turn of the user's code, but nobody's message.
    Poll,
    /// The resolution of a promise: exempt from back-pressure; may release a continuation.
    Resolution,
    /// Ends the actor when it is reached.
    StopMark,
    /// The runtime's own: bonds between actors, and what its own actors tell each other.
    Own,
    /// Stands for a message of the ring; the runtime's own.
    Ticket,
}

impl Role {
    /// Whether it is a message that the program sent, which must not be lost silently (T3).
    pub(crate) fn is_sent(self) -> bool {
        matches!(self, Role::Turn | Role::Bounded)
    }

    /// Whether it runs code of the user's.
    pub(crate) fn is_turn(self) -> bool {
        self.is_sent() || self == Role::Poll
    }
}

/// How a message goes into a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// A message to an actor whose mailbox has no bound: as a node of the inbox.
    Straight,
    /// A message to an actor whose mailbox has a bound: through the ring, and it counts.
    Counted,
    /// Any actor may get it: through the ring if the actor has one, and it never counts.
    Exempt,
}

/// What came of running a message.
#[must_use]
pub(crate) enum Step {
    /// It was processed.
    Done,
    /// It released another message: this one, to this actor.
    Release(AddressRef, Envelope),
    /// It had been withdrawn by its sender, who made it at this place, before it began.
    Withdrawn(&'static Location<'static>),
    /// Its guard does not let it run now: here it is again.
    Deferred(Envelope),
    /// It has another step: this, before any other message.
    Again(Envelope),
    /// The actor is to end.
    Stop,
    /// It is tied to another, or another has failed.
    Bound(Bond),
}

impl Step {
    /// The next step was sent when the first was, and where.
    fn sent(mut self, place: &'static Location<'static>, sent_ms: u32) -> Step {
        #[cfg(test)]
        if crate::planted::is_planted(crate::planted::Planted::StepWithoutPlace) {
            return self;
        }
        if let Step::Again(next) = &mut self {
            let head = next.head_mut();
            (head.place, head.sent_ms) = (place, sent_ms);
        }
        self
    }
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl Step {
    /// A continuation that a resolution releases was sent when the resolution was, and where: by
    /// the turn that answered.
    fn following(mut self, head: Head) -> Step {
        if let Step::Release(_, released) = &mut self {
            let released = released.head_mut();
            released.sent_ms = head.sent_ms;
            released.origin = head.origin;
        }
        self
    }
}

/// One kind of message: how to run it and how to refuse it.
pub(crate) trait Letter {
    /// What the envelope carries.
    type Content: Send + 'static;
    /// The table of this kind.
    const KIND: Kind;

    /// What its guard reads, if it has one.
    const GUARD: Guard = Guard::Arguments;

    /// What its turn may do to the state.
    const ACCESS: Access = Access::Writes;

    /// Whether it may ask for another step.
    const STEPS: Steps = Steps::One;

    /// Whether a guard lets the message run now.
    fn ready(_: &Self::Content, _: &mut StateRef<'_>) -> bool {
        true
    }

    /// Processes the message.
    fn run(content: Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Step;

    /// Whether its sender has taken the message back. Asked once, before it is run.
    fn is_withdrawn(_: &Self::Content) -> bool {
        false
    }

    /// The message will never run: whoever waits for its answer is told why. Returns what follows
    /// from that.
    fn refuse(content: Self::Content, refusal: &Refusal, place: &'static Location<'static>)
    -> Next;
}

/// The table of a kind of message.
pub(crate) struct Kind {
    /// The behaviour's stable name.
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) way: Way,
    pub(crate) bytes: usize,
    /// What its guard reads, if it has one.
    pub(crate) guard: Guard,
    /// What its turn may do to the state.
    pub(crate) access: Access,
    ready: unsafe fn(NonNull<Head>, &mut StateRef<'_>) -> bool,
    run: unsafe fn(NonNull<Head>, &mut StateRef<'_>, &Worker) -> Step,
    refuse: unsafe fn(NonNull<Head>, Option<&Refusal>) -> Next,
}

impl Kind {
    pub(crate) const fn new<L: Letter>(name: &'static str, role: Role) -> Kind {
        Kind {
            name,
            role,
            way: Way::Exempt,
            bytes: size_of::<Parcel<L::Content>>(),
            guard: L::GUARD,
            access: L::ACCESS,
            ready: ready::<L>,
            run: run::<L>,
            refuse: refuse::<L>,
        }
    }

    /// The same for messages to actors with such a mailbox only.
    pub(crate) const fn for_mailbox(self, mailbox: Mailbox) -> Kind {
        let way = match mailbox {
            Mailbox::BackPressure => Way::Straight,
            _ => Way::Counted,
        };
        Kind { way, ..self }
    }
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` that the caller owns.
unsafe fn ready<L: Letter>(head: NonNull<Head>, state: &mut StateRef<'_>) -> bool {
    // SAFETY: by the caller's promise.
    L::ready(
        unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content },
        state,
    )
}

/// # Safety
/// `head` starts a `Parcel<L::Content>` made by `Envelope::new::<L>` that the caller owns and gives
/// up.
unsafe fn run<L: Letter>(head: NonNull<Head>, state: &mut StateRef<'_>, worker: &Worker) -> Step {
    // Owned here, so that a guard that panics does not lose it.
    let envelope = Envelope(head);
    let place = match const { L::KIND.way } {
        Way::Straight | Way::Exempt => None,
        Way::Counted => Some(Place(worker)),
    };
    // SAFETY: by the caller's promise.
    let let_in = L::ready(
        unsafe { &head.cast::<Parcel<L::Content>>().as_ref().content },
        state,
    );
    if !let_in {
        std::mem::forget(place);
        return Step::Deferred(envelope);
    }
    // Before the turn, which may send to its own actor.
    drop(place);
    worker.fault_before(envelope.kind());
    #[cfg(not(any(feature = "tracing", feature = "metrics")))]
    {
        // SAFETY: by the caller's promise; the node is given up.
        let parcel = unsafe { unpacked::<L>(envelope.into_node()) };
        if L::is_withdrawn(&parcel.content) {
            return Step::Withdrawn(parcel.head.place);
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
        // SAFETY: as above.
        let (head, content) = unsafe { parts::<L>(envelope.into_node()) };
        if L::is_withdrawn(&content) {
            return Step::Withdrawn(head.place);
        }
        let (place, sent_ms) = (head.place, head.sent_ms);
        let step = seen::<L>(head, content, state, worker);
        match const { L::STEPS } {
            Steps::One => step,
            Steps::Many => step.sent(place, sent_ms),
        }
    }
}

/// Processes a message, where somebody may be watching.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
fn seen<L: Letter>(
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Step {
    match const { L::KIND.role } {
        Role::Resolution => L::run(content, state, worker).following(head),
        Role::StopMark | Role::Own | Role::Ticket => L::run(content, state, worker),
        Role::Start | Role::Turn | Role::Bounded | Role::Poll => {
            match observe::turn(head.kind, worker) {
                Some(watch) => watched::<L>(watch, head, content, state, worker),
                None => {
                    head.given_up();
                    L::run(content, state, worker)
                }
            }
        }
    }
}

/// Out of the way of turns that nobody watches.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline(never)]
fn watched<L: Letter>(
    watch: observe::Watch,
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Step {
    watch.over(head, worker, || L::run(content, state, worker))
}

/// The place of a message in the ring of the actor that is held: freed when the message begins, or
/// its guard panics.
struct Place<'w>(&'w Worker);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.present.with_ring(Ring::free);
    }
}

/// # Safety
/// As for `run`.
unsafe fn refuse<L: Letter>(head: NonNull<Head>, refusal: Option<&Refusal>) -> Next {
    // SAFETY: by the caller's promise.
    let parcel = unsafe { unpacked::<L>(head) };
    match refusal {
        Some(refusal) => L::refuse(parcel.content, refusal, parcel.head.place),
        None => {
            drop(parcel.content);
            Next::Nothing
        }
    }
}

/// Moves the parcel out of its memory, which is given back at once: what the turn sends can lie in
/// it again.
///
/// # Safety
/// As for `run`.
#[inline(always)]
unsafe fn unpacked<L: Letter>(head: NonNull<Head>) -> Parcel<L::Content> {
    let place = head.cast::<Parcel<L::Content>>();
    // SAFETY: the parcel was written by `Envelope::new::<L>`, and the caller owns it.
    let parcel = unsafe { place.read() };
    // SAFETY: `Envelope::new::<L>` took the memory for this type, and nothing is left in it.
    unsafe { pool::give(place) };
    parcel
}

/// As `unpacked`, for who needs the head as well: a copy of the whole that is taken apart at once
/// is slow.
///
/// # Safety
///
/// As for `run`.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline(always)]
unsafe fn parts<L: Letter>(head: NonNull<Head>) -> (Head, L::Content) {
    let place = head.cast::<Parcel<L::Content>>();
    let parcel = place.as_ptr();
    // SAFETY: as in `unpacked`; each part is read once.
    let parts = unsafe {
        (
            (&raw const (*parcel).head).read(),
            (&raw const (*parcel).content).read(),
        )
    };
    // SAFETY: as in `unpacked`.
    unsafe { pool::give(place) };
    parts
}

impl Chain<Head> {
    /// Takes the oldest message out.
    pub(crate) fn pop_envelope(&mut self) -> Option<Envelope> {
        self.pop().map(Envelope)
    }

    pub(crate) fn push_envelope(&mut self, envelope: Envelope) {
        // SAFETY: the envelope gave its parcel up as a node.
        unsafe { self.push(envelope.into_node()) };
    }
}

/// A message of any kind, owned.
pub(crate) struct Envelope(NonNull<Head>);

// SAFETY: an envelope owns a parcel whose content is `Send` (a bound of `Letter::Content`).
unsafe impl Send for Envelope {}

impl Envelope {
    #[inline]
    pub(crate) fn new<L: Letter>(
        content: L::Content,
        place: &'static Location<'static>,
    ) -> Envelope {
        let head = Head {
            link: ptr::null_mut(),
            kind: const { &L::KIND },
            place,
            sent_ms: 0,
            origin: Origin::none(),
        };
        let place = pool::take::<Parcel<L::Content>>();
        // SAFETY: memory for this type that nobody else has.
        unsafe { place.write(Parcel { head, content }) };
        Envelope(place.cast())
    }

    /// It is sent now.
    pub(crate) fn stamp(&mut self, sent_ms: u32) {
        let head = self.head_mut();
        head.sent_ms = sent_ms;
        head.origin.is_here();
    }

    fn head_mut(&mut self) -> &mut Head {
        // SAFETY: the envelope owns its parcel.
        unsafe { self.0.as_mut() }
    }

    pub(crate) fn head(&self) -> &Head {
        // SAFETY: the envelope owns its parcel.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn kind(&self) -> &'static Kind {
        self.head().kind
    }

    /// For the inbox: gives the parcel up as a node.
    pub(crate) fn into_node(self) -> NonNull<Head> {
        let node = self.0;
        std::mem::forget(self);
        node
    }

    /// Takes over a node that [`Envelope::into_node`] gave up.
    ///
    /// # Safety
    ///
    /// The caller owns the node.
    pub(crate) unsafe fn from_node(node: NonNull<Head>) -> Envelope {
        Envelope(node)
    }

    /// Whether its guard lets it run on this state.
    pub(crate) fn ready(&self, state: &mut StateRef<'_>) -> bool {
        // SAFETY: the table was made with the parcel, which this envelope owns.
        unsafe { (self.kind().ready)(self.0, state) }
    }

    /// Processes it.
    pub(crate) fn run(self, state: &mut StateRef<'_>, worker: &Worker) -> Step {
        let run = self.kind().run;
        // SAFETY: the table was made with the parcel, which is given up here.
        unsafe { run(self.into_node(), state, worker) }
    }

    /// Destroys it and tells whoever waits for its answer why.
    pub(crate) fn refuse(self, refusal: &Refusal) -> Next {
        let refuse = self.kind().refuse;
        // SAFETY: the table was made with the parcel, which is given up here.
        unsafe { refuse(self.into_node(), Some(refusal)) }
    }
}

impl Drop for Envelope {
    fn drop(&mut self) {
        // SAFETY: the envelope owns its parcel and the table was made with it.
        unsafe { (self.kind().refuse)(self.0, None) }.follow();
    }
}
