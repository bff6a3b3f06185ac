//! The envelope: one allocation of a header, with the same layout for all messages, and a content
//! of a type that only its `Kind` knows.

use super::bounded_queue::BoundedQueue;
use super::class::StateRef;
use super::message_role::{MessageRole, Route};
use super::next::Next;
use super::options::{Guard, Mailbox, Steps};
use super::reference::AddressRef;
use super::refusal::Refusal;
use super::worker::Worker;
use crate::message::{Chain, Linked, pool};
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::observe;
use crate::observe::Origin;
use crate::run::Monitor;
use std::panic::Location;
use std::ptr::{self, NonNull};

/// The header of every message.
#[repr(C)]
pub(crate) struct Head {
    link: *mut Head,
    pub(crate) kind: &'static Kind,
    /// The place in the source where the message was made.
    pub(crate) place: &'static Location<'static>,
    /// Time of the push, in coarse milliseconds; wraps after 49 days.
    pub(crate) sent_ms: u32,
    /// The tracing span of the sender. Empty without the feature `tracing`.
    pub(crate) origin: Origin,
}

// SAFETY: `link` is a fixed field, and nothing but the inbox or the chain that holds the node
// accesses it (X11). A node is a parcel that its envelope gave up, so it stays valid until it is
// handed out (M9). The content is `Send`, a bound of `MessageKind`, and so is the rest of the head:
// a node may be used on any thread (X9).
unsafe impl Linked for Head {
    unsafe fn link(node: NonNull<Head>) -> *mut *mut Head {
        // SAFETY: the caller's contract (X1); only the field's address is taken.
        unsafe { ptr::addr_of_mut!((*node.as_ptr()).link) }
    }
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl Head {
    /// Drops the head before a turn, so that no turn has to drop it when it panics.
    fn given_up(self) {}
}

#[repr(C)]
struct Parcel<C> {
    head: Head,
    content: C,
}

/// The result of running a message.
#[must_use]
pub(crate) enum Step {
    /// It was processed.
    Done,
    /// It released another message: this one, to this actor.
    Release(AddressRef, Envelope),
    /// Its sender had withdrawn it before it began. The value is the place where it was made.
    Withdrawn(&'static Location<'static>),
    /// Its guard is false: the message is returned.
    Deferred(Envelope),
    /// It has another step: this one, before any other message.
    Again(Envelope),
    /// The actor is to end.
    Stop,
    /// A watch or link is added or removed, or a linked actor has failed.
    Bound(Monitor),
}

impl Step {
    /// Gives the next step the place and the send time of the first.
    fn sent(mut self, place: &'static Location<'static>, sent_ms: u32) -> Step {
        #[cfg(test)]
        if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::StepWithoutPlace)
        {
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
    /// Gives a continuation that a resolution releases the send time and the origin of the
    /// resolution, that is, of the turn that answered.
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
pub(crate) trait MessageKind {
    /// The content of the envelope.
    type Content: Send + 'static;
    /// The table (vtable) of this kind.
    const KIND: Kind;

    /// What its guard reads, if it has one.
    const GUARD: Guard = Guard::Arguments;

    /// Whether it may request another step.
    const STEPS: Steps = Steps::One;

    /// Returns the value of the guard: true if the message may run now.
    fn ready(_: &Self::Content, _: &mut StateRef<'_>) -> bool {
        true
    }

    /// Processes the message.
    fn run(content: Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Step;

    /// Returns true if the sender has withdrawn the message. Called once, before it is run.
    fn is_withdrawn(_: &Self::Content) -> bool {
        false
    }

    /// Refuses a message that will never run: the sender of a request gets the reason. Returns what
    /// follows from that.
    fn refuse(content: Self::Content, refusal: &Refusal, place: &'static Location<'static>)
    -> Next;
}

/// The table (vtable) of a kind of message. The `# Safety` of its functions is that of [`ready`],
/// [`run`] and [`refuse`]: they are called for parcels of this kind (M9).
pub(crate) struct Kind {
    /// The behaviour's stable name.
    pub(crate) name: &'static str,
    pub(crate) role: MessageRole,
    pub(crate) route: Route,
    pub(crate) bytes: usize,
    /// What its guard reads, if it has one.
    pub(crate) guard: Guard,
    ready: unsafe fn(NonNull<Head>, &mut StateRef<'_>) -> bool,
    run: unsafe fn(NonNull<Head>, &mut StateRef<'_>, &Worker) -> Step,
    refuse: unsafe fn(NonNull<Head>, Option<&Refusal>) -> Next,
}

impl Kind {
    pub(crate) const fn new<L: MessageKind>(name: &'static str, role: MessageRole) -> Kind {
        Kind {
            name,
            role,
            route: Route::Exempt,
            bytes: size_of::<Parcel<L::Content>>(),
            guard: L::GUARD,
            ready: ready::<L>,
            run: run::<L>,
            refuse: refuse::<L>,
        }
    }

    /// Returns the same table for messages that go only to actors with this mailbox.
    pub(crate) const fn for_mailbox(self, mailbox: Mailbox) -> Kind {
        let route = match mailbox {
            Mailbox::BackPressure => Route::Straight,
            _ => Route::Counted,
        };
        Kind { route, ..self }
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
/// `head` starts a `Parcel<L::Content>` made by `Envelope::new::<L>` that the caller owns and gives
/// up.
unsafe fn run<L: MessageKind>(
    head: NonNull<Head>,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Step {
    // Owned here, so that a panic in a guard does not lose it.
    let envelope = Envelope(head);
    let place = match const { L::KIND.route } {
        Route::Straight | Route::Exempt => None,
        Route::Counted => Some(Place(worker)),
    };
    // SAFETY: the caller's contract (X1); `envelope` is not used while the guard reads.
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
        // SAFETY: the caller's contract (X1); `envelope` gives the node up, so it is taken out once
        // (X10).
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
        // SAFETY: `head` starts a `Parcel<L::Content>` that the caller gives up (X1); `envelope`
        // gives the node up, so it is taken out once (X10).
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

/// Processes a message when observation may be on.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
fn seen<L: MessageKind>(
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Step {
    match const { L::KIND.role } {
        MessageRole::Resolution => L::run(content, state, worker).following(head),
        MessageRole::StopMark | MessageRole::Own | MessageRole::Ticket => {
            L::run(content, state, worker)
        }
        MessageRole::Start | MessageRole::Turn | MessageRole::Bounded | MessageRole::Poll => {
            let (system, behaviour) = (&worker.system, head.kind.name);
            let type_name = || worker.with_me(|actor| actor.class.name);
            let meters = (&worker.meters, &system.meters);
            match observe::turn(type_name, behaviour, meters, &system.oracle) {
                Some(watch) => watched::<L>(watch, head, content, state, worker),
                None => {
                    head.given_up();
                    L::run(content, state, worker)
                }
            }
        }
    }
}

/// Not inlined, to keep it out of the path of turns without observation.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline(never)]
fn watched<L: MessageKind>(
    watch: observe::Watch,
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Step {
    let cue = observe::Cue {
        behaviour: head.kind.name,
        place: head.place,
        sent_ms: head.sent_ms,
        origin: head.origin,
    };
    let (path, oracle) = (|| worker.path(), &worker.system.oracle);
    watch.over(cue, path, oracle, || L::run(content, state, worker))
}

/// The place of a message in the ring of the current actor. Its drop frees the place: when the
/// message begins, or its guard panics.
struct Place<'w>(&'w Worker);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.current.with_ring(BoundedQueue::free);
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

/// As `unpacked`, for a caller that needs the head as well: copying the whole parcel and taking it
/// apart at once is slow.
///
/// # Safety
///
/// As for `run`.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline(always)]
unsafe fn parts<L: MessageKind>(head: NonNull<Head>) -> (Head, L::Content) {
    let place = head.cast::<Parcel<L::Content>>();
    let parcel = place.as_ptr();
    // SAFETY: `Envelope::new::<L>` wrote the parcel, and the caller gives it up (X1); each part is
    // read once.
    let parts = unsafe {
        (
            (&raw const (*parcel).head).read(),
            (&raw const (*parcel).content).read(),
        )
    };
    // SAFETY: `Envelope::new::<L>` took the memory for this type (N4). Both parts were moved out
    // above, and the caller has given the parcel up, so nothing else gives the memory back (X1).
    unsafe { pool::give(place) };
    parts
}

impl Chain<Head> {
    /// Takes the oldest message out.
    pub(crate) fn pop_envelope(&mut self) -> Option<Envelope> {
        self.pop().map(Envelope)
    }

    pub(crate) fn push_envelope(&mut self, envelope: Envelope) {
        // SAFETY: the envelope gave its parcel up as a node, which is the chain's from here on
        // (M1).
        unsafe { self.push(envelope.into_node()) };
    }
}

/// An owned message of any kind.
pub(crate) struct Envelope(NonNull<Head>);

// SAFETY: it owns a parcel (M9). The content is `Send`, a bound of `MessageKind::Content`, and so
// is the rest of the head (X9).
unsafe impl Send for Envelope {}

impl Envelope {
    #[inline]
    pub(crate) fn new<L: MessageKind>(
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
        // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
        unsafe { place.write(Parcel { head, content }) };
        Envelope(place.cast())
    }

    /// Sets the send time and the origin.
    pub(crate) fn stamp(&mut self, sent_ms: u32) {
        let head = self.head_mut();
        head.sent_ms = sent_ms;
        head.origin.is_here();
    }

    fn head_mut(&mut self) -> &mut Head {
        // SAFETY: the envelope owns its parcel (M9), and is borrowed exclusively (X2).
        unsafe { self.0.as_mut() }
    }

    pub(crate) fn head(&self) -> &Head {
        // SAFETY: the envelope owns its parcel (M9), and is borrowed as long as the reference
        // exists (X6).
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn kind(&self) -> &'static Kind {
        self.head().kind
    }

    /// Gives the parcel up as a node, for the inbox.
    pub(crate) fn into_node(self) -> NonNull<Head> {
        let node = self.0;
        std::mem::forget(self);
        node
    }

    /// Takes over a node that [`Envelope::into_node`] gave up.
    ///
    /// # Safety
    ///
    /// `node` came from [`Envelope::into_node`], and the caller owns it.
    pub(crate) unsafe fn from_node(node: NonNull<Head>) -> Envelope {
        Envelope(node)
    }

    /// Returns true if its guard lets it run on this state.
    pub(crate) fn ready(&self, state: &mut StateRef<'_>) -> bool {
        // SAFETY: the table is that of the parcel, which this envelope owns (M9).
        unsafe { (self.kind().ready)(self.0, state) }
    }

    /// Processes it.
    pub(crate) fn run(self, state: &mut StateRef<'_>, worker: &Worker) -> Step {
        let run = self.kind().run;
        // SAFETY: the table is that of the parcel, which is given up here (M9).
        unsafe { run(self.into_node(), state, worker) }
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
        unsafe { (self.kind().refuse)(self.0, None) }.follow();
    }
}
