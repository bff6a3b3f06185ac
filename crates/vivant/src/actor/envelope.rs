//! The envelope: one allocation of a header, with the same layout for all messages, and a content
//! of a type that only its [`KindTable`] knows. [`MessageKind`] makes both.

mod content_codec;
mod message_kind;
#[cfg(any(feature = "tracing", feature = "metrics"))]
mod observed_message;

pub(crate) use message_kind::MessageKind;

use super::class::StateRef;
use super::constraint::Pattern;
use super::dependents::Dependents;
use super::exclusive_wait::ExclusiveWait;
use super::options::{Guard, JOIN_MAX, JoinGuard, Steps};
use super::reference::{AddressRef, CellRef};
use super::refusal::{Next, Refusal};
use super::restored_mark::RestoredMark;
use super::worker::Worker;
use crate::failures::Linked as LinkFailure;
use crate::interned::{Name, Place};
use crate::message::{Chain, Linked, MessageRole, Route};
use crate::observe::Origin;
use crate::phase::{Phase, Stamp};
use crate::saving::{LocalsCodec, StoredShape};
use crate::sync::Arc;
use std::any::TypeId;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use vivant_codec::{Decoder, Encoder, LoadError, Shape};

/// The header of every message.
#[repr(C)]
pub(crate) struct Head {
    link: *mut Head,
    pub(crate) kind: &'static KindTable,
    /// The place in the source where the message was made.
    pub(crate) place: Place,
    /// Time of the push, in coarse milliseconds; wraps after 49 days.
    pub(crate) sent_ms: u32,
    /// The phase of the sender (L3).
    stamp: Stamp,
    /// What the image says of it, if it was restored.
    restored_mark: RestoredMark,
    /// The tracing span of the sender. Empty without the feature `tracing`.
    pub(crate) origin: Origin,
}

// With the feature `tracing` it has a span too.
#[cfg(all(target_pointer_width = "64", not(feature = "tracing")))]
const _: () = assert!(size_of::<Head>() == 32);

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

/// The result of running a message.
#[must_use]
pub(crate) enum Processed {
    /// It was processed.
    Done,
    /// It released another message: this one, to this actor.
    Release(AddressRef, Envelope),
    /// Its sender had withdrawn it before it began. The value is the place where it was made.
    Withdrawn(Place),
    /// Its guard is false: the message is returned.
    Deferred(Envelope),
    /// It has another step: this one, before any other message.
    NextStep(Envelope),
    /// The actor is to end.
    Stop,
    /// The deferred requests are to be examined for wait cycles again.
    ExamineRequests,
    /// A link is added or removed, or a linked actor has failed.
    Link(LinkMessage),
    /// The actor is to have the state of an image.
    Restore(Box<RestoreMessage>),
    /// A synchronizer constrains messages of the actor.
    Constrain(Vec<Pattern<Envelope, KindTable>>),
}

/// A state of an image that is loaded, and what a restore gives the actor besides.
pub(crate) struct RestoredParts {
    /// Puts the state into the cell of the actor, which has none then, in the phase of the actor.
    /// Returns the exclusive waits that the actor has from here on.
    pub(crate) put: Box<dyn FnOnce(&mut StateRef<'_>, Phase) -> Vec<ExclusiveWait>>,
    /// The next step of a behaviour.
    pub(crate) step: Option<Envelope>,
    /// Breaks the promises that the actor had open. It sends messages, so it is for a run.
    pub(crate) break_promises: Box<dyn FnOnce() + Send>,
}

/// Loads a state. The actor has its own meanwhile.
type LoadState = Box<dyn FnOnce(&mut StateRef<'_>) -> Result<RestoredParts, NotLoaded> + Send>;

/// Why an actor is not restored. It goes on as it was.
#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "without snapshots there is no image")
)]
pub(crate) enum NotLoaded {
    /// The image has no state with which it could go on.
    NotInImage,
    /// The state cannot be loaded, for this reason.
    Failed(String),
}

/// What a restore has done to an actor.
#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "without snapshots there is no image")
)]
#[derive(Debug)]
pub(crate) enum ActorRestored {
    Yes,
    /// It goes on as it was: it begins or ends just now, or the image has no state for it.
    Unchanged,
    /// As `Unchanged`: its state could not be loaded, for this reason.
    No(String),
    /// It ended before.
    Ended,
}

/// The state of an image for an actor. No image has such a message: a restored system has that
/// state, or goes on with the one from before.
pub(crate) struct RestoreMessage {
    pub(crate) load: LoadState,
    pub(crate) done: Box<dyn FnOnce(ActorRestored) + Send>,
}

/// A message about a link.
pub(crate) enum LinkMessage {
    /// The given actor fails when this one fails.
    Link(LinkedPeer),
    /// Remove all links with it.
    Unlink(CellRef),
    /// A linked actor has failed.
    PeerFailed(LinkedPeer, Arc<LinkFailure>),
    /// A linked actor has ended or restarted without failing.
    PeerEnded(LinkedPeer),
}

/// One end of a link: the actor at the other end, and the link's number, which both ends have.
///
/// News of a peer may wait in a mailbox until the link is gone. By its number it is not taken for
/// news of a later link with the same actor.
#[derive(Clone)]
pub(crate) struct LinkedPeer {
    pub(crate) peer: CellRef,
    pub(crate) number: u64,
}

/// The table (vtable) of a kind of message. The `# Safety` of its functions is that of the
/// functions with their names in [`message_kind`]: they are called for parcels of this kind (M9).
///
/// What each post and each turn reads is in the first cache line.
#[repr(C, align(64))]
pub(crate) struct KindTable {
    pub(crate) role: MessageRole,
    pub(crate) route: Route,
    /// What its guard reads, if it has one.
    pub(crate) guard: Guard,
    pub(crate) steps: Steps,
    pub(crate) bytes: usize,
    run: unsafe fn(NonNull<Head>, &mut StateRef<'_>, &Worker) -> Processed,
    /// The table of a message of this kind where its own actor releases it: another role, and the
    /// same functions.
    continuation: Option<&'static KindTable>,
    ready: unsafe fn(NonNull<Head>, &mut StateRef<'_>) -> bool,
    refuse: unsafe fn(NonNull<Head>, Option<&Refusal>) -> Next,
    /// The behaviour's stable name.
    pub(crate) name: Name,
    /// The joins that take the message, in the order in which they are written. If there are any,
    /// the message has no turn of its own.
    pub(crate) joins: &'static [&'static JoinTable],
    /// The type that says of what kind the message is.
    id: fn() -> TypeId,
    dependents: unsafe fn(NonNull<Head>) -> Dependents,
    /// How messages of this kind are saved, if they are. Behind all that a turn reads.
    pub(crate) codec: Option<KindCodec>,
}

const _: () = assert!(std::mem::offset_of!(KindTable, codec) >= 64);

/// The functions of a kind of which the messages are saved. A part of its
/// [`KindTable`](super::KindTable).
#[derive(Clone, Copy)]
pub(crate) struct KindCodec {
    /// Stable name of the behaviour or start. With the form it is unique.
    pub(crate) name: &'static str,
    /// The form of the content.
    pub(crate) shape: &'static Shape,
    /// Its caller owns the parcel, which is of this kind.
    save: unsafe fn(NonNull<Head>, &mut Encoder<'_>),
    load: Load,
    /// Of a next step: how its locals are saved, if they are in the heap of the actor.
    pub(crate) locals: Option<LocalsCodec>,
}

/// Loads the content of a message and packs it.
type Load = for<'gc, 'a, 'd> fn(
    &'d mut Decoder<'gc, 'a>,
    Option<StoredShape<'a>>,
    Place,
) -> Result<Envelope, LoadError>;

impl KindCodec {
    /// Returns the same functions under this stable name.
    pub(super) const fn named(self, name: &'static str) -> KindCodec {
        KindCodec { name, ..self }
    }

    /// Reads the content of a message: with the shape that it has in a file, or with the program's.
    pub(crate) fn load<'a>(
        &self,
        input: &mut Decoder<'_, 'a>,
        stored: Option<StoredShape<'a>>,
        place: Place,
    ) -> Result<Envelope, LoadError> {
        (self.load)(input, stored, place)
    }
}

impl fmt::Debug for KindCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KindCodec({})", self.shape.name())
    }
}

/// The table of a [`Join`](crate::Join), which the messages of that join name
/// ([`Behaviour::JOINS`](crate::Behaviour::JOINS)).
pub struct JoinTable {
    /// The kind of its turn.
    pub(crate) kind: &'static KindTable,
    pub(crate) messages: &'static [JoinedMessage],
    /// Its position among the joins of its block.
    pub(crate) order: usize,
    pub(crate) guard: JoinGuard,
    /// Returns the value of the guard for one message of each kind.
    pub(crate) ready: fn(&[&Envelope], &mut StateRef<'_>) -> bool,
    /// Makes the message that is the join's turn.
    pub(crate) turn: fn(Combination) -> Envelope,
}

impl JoinTable {
    pub(crate) fn is_same(&self, other: &JoinTable) -> bool {
        self.kind.is_same(other.kind)
    }

    /// The position of the messages of this kind.
    pub(crate) fn position_of(&self, kind: &KindTable) -> Option<usize> {
        let mut messages = self.messages.iter();
        messages.position(|message| (message.id)() == (kind.id)())
    }
}

impl fmt::Debug for JoinTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinTable({})", self.kind.name)
    }
}

/// One of the messages that a [`Join`](crate::Join) takes: `JoinedMessage::of::<B>()`.
pub struct JoinedMessage {
    /// The type that says of what kind the message is.
    pub(crate) id: fn() -> TypeId,
    /// Whether the asker has taken it back. What it returns may change until `begin`.
    pub(crate) is_withdrawn: fn(&Envelope) -> bool,
    /// As `is_withdrawn`, and from here on the asker cannot take it back.
    pub(crate) begin: fn(&Envelope) -> bool,
}

impl fmt::Debug for JoinedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinedMessage")
    }
}

/// One waiting message of each kind that a join takes, on the way to their turn.
pub(crate) struct Combination {
    pub(crate) join: &'static JoinTable,
    /// In the order of the join's messages; `None` from its number of messages on.
    pub(crate) messages: [Option<Envelope>; JOIN_MAX],
    /// The position of the message that arrived last.
    pub(crate) last: usize,
    pub(crate) guard: GuardOutcome,
}

/// What the evaluation of a combination's guard led to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardOutcome {
    /// It is true, or there is none.
    True,
    /// It panicked. Its turn is to meet the same fault.
    Panicked,
}

impl Combination {
    /// Returns the message that is its turn, sent where and when the last of its messages was sent.
    pub(crate) fn into_turn(mut self) -> Envelope {
        let last = self.messages[self.last].as_mut();
        let provenance = last.map(Envelope::take_provenance);
        let mut turn = (self.join.turn)(self);
        if let Some(provenance) = provenance {
            turn.set_provenance(provenance);
        }
        turn
    }
}

/// Where a message was made, when it was sent, and by which span.
type Provenance = (Place, u32, Origin);

impl Chain<Head> {
    /// Takes the oldest message out.
    pub(crate) fn pop_envelope(&mut self) -> Option<Envelope> {
        self.pop().map(Envelope)
    }

    /// Returns true if the oldest message has this stamp.
    #[inline]
    pub(crate) fn first_is_of(&self, stamp: Stamp) -> bool {
        self.first().is_some_and(|head| head.stamp == stamp)
    }

    /// Calls `body` with each message, the oldest first.
    pub(crate) fn each_envelope(&mut self, mut body: impl FnMut(&mut Envelope)) {
        self.each(|node| {
            // The chain keeps the parcel, so this envelope is never dropped.
            let mut envelope = ManuallyDrop::new(Envelope(node));
            body(&mut envelope);
        });
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
    /// The message is sent now, in the phase of `stamp`. `run` runs the code of a subscriber of
    /// spans, and lets no panic through.
    #[inline]
    pub(crate) fn sent(&mut self, sent_ms: u32, stamp: Stamp, run: impl FnOnce(&mut dyn FnMut())) {
        let head = self.head_mut();
        head.sent_ms = sent_ms;
        head.stamp = stamp;
        head.origin.record_current_span(run);
    }

    /// The phase in which it was sent, or recorded last (L4).
    #[inline]
    pub(crate) fn stamp(&self) -> Stamp {
        self.head().stamp
    }

    /// It was recorded in the phase of `stamp` (L4).
    pub(crate) fn set_stamp(&mut self, stamp: Stamp) {
        self.head_mut().stamp = stamp;
    }

    /// What the image of a restored system says of it.
    #[inline]
    pub(crate) fn restored_mark(&self) -> RestoredMark {
        self.head().restored_mark
    }

    pub(crate) fn set_restored_mark(&mut self, mark: RestoredMark) {
        self.head_mut().restored_mark = mark;
    }

    /// Appends the content, if messages of this kind are saved.
    pub(crate) fn save(&self, out: &mut Encoder<'_>) {
        match &self.kind().codec {
            // SAFETY: the table is that of the parcel, which this envelope owns (M9).
            Some(codec) => unsafe { (codec.save)(self.0, out) },
            None => out.error(format!(
                "`{}` is a message that is not saved",
                self.kind().name
            )),
        }
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

    pub(crate) fn kind(&self) -> &'static KindTable {
        self.head().kind
    }

    /// Its own actor releases it, as a continuation.
    pub(crate) fn becomes_continuation(&mut self) {
        if let Some(continuation) = self.kind().continuation {
            // The functions are those of the table before, so they fit the parcel (M9).
            self.head_mut().kind = continuation;
        }
    }

    /// Takes out the place and the send time, and the origin, of which there is one only.
    fn take_provenance(&mut self) -> Provenance {
        let head = self.head_mut();
        let origin = std::mem::replace(&mut head.origin, Origin::none());
        (head.place, head.sent_ms, origin)
    }

    fn set_provenance(&mut self, provenance: Provenance) {
        let head = self.head_mut();
        (head.place, head.sent_ms, head.origin) = provenance;
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
}
