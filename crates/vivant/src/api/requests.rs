//! Requests to the runtime of an actor: watch it, link it, stop it after its queue. They are
//! messages, in order with all others.

use super::promise::Resolver;
use crate::actor::{
    AddressRef, Envelope, KindTable, LinkMessage, MessageKind, Next, Processed, Refusal, StateRef,
    To, Worker, post, post_or_bury,
};
use crate::failures::StopReason;
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::Codec;
use vivant_codec::{Decoder, LoadError, Saved, Shape};

/// The kind of the runtime's message with this name, if such messages are saved.
pub(super) fn runtime_kind(name: &str) -> Option<&'static KindTable> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// The shapes of these messages.
pub(super) fn runtime_shapes() -> impl Iterator<Item = &'static Shape> {
    let shape = |kind: &&KindTable| Some(kind.codec.as_ref()?.shape);
    KINDS.iter().filter_map(shape)
}

const KINDS: &[&KindTable] = &[&Watch::KIND, &StopMark::KIND, &LinkMessage::KIND];

/// Whether it is a watch for which an actor of the system waits.
pub(crate) fn is_awaited_watch(message: &Envelope) -> bool {
    message.content::<Watch>().is_some_and(Resolver::has_name)
}

/// Sends a message about a link; if the actor has ended, the notice comes at once.
#[track_caller]
pub(crate) fn link(to: &AddressRef, message: LinkMessage) {
    post_or_bury(To::Lent(to), message.envelope());
}

/// Ends the actor once it has processed the messages that are in its mailbox now.
#[track_caller]
pub(crate) fn stop_after_queue(to: &AddressRef) {
    let mark = Envelope::new::<StopMark>((), Place::caller());
    // An actor that has ended needs no mark.
    drop(post(To::Lent(to), mark));
}

/// Requests that `resolver` gets the reason of the actor's end; at once, if it has ended.
#[track_caller]
pub(crate) fn watch(to: &AddressRef, resolver: Resolver<StopReason>) {
    let request = Envelope::new::<Watch>(resolver, Place::caller());
    post_or_bury(To::Lent(to), request);
}

/// A watch stays with its receiver until the receiver's end, which refuses it and so resolves the
/// promise.
struct Watch;

impl MessageKind for Watch {
    type Content = Resolver<StopReason>;
    const KIND: KindTable = KindTable::new::<Self>("watch", MessageRole::Watch);
    const CODEC: Option<Codec<Self::Content>> = Some(Codec::new(
        <Self::Content as Saved<'_>>::SHAPE,
        |resolver, out| resolver.save(out),
        load_resolver,
    ));

    /// Returns true if there is no listener any more. Then the watch has nothing to wait for.
    fn ready(resolver: &Resolver<StopReason>, _: &mut StateRef<'_>) -> bool {
        !resolver.has_listener()
    }

    fn run(resolver: Resolver<StopReason>, _: &mut StateRef<'_>, _: &Worker) -> Processed {
        drop(resolver);
        Processed::Done
    }

    fn refuse(mut resolver: Resolver<StopReason>, refusal: &Refusal, _: Place) -> Next {
        resolver.settle(Ok(refusal.reason()))
    }
}

fn load_resolver(input: &mut Decoder<'_, '_>) -> Result<Resolver<StopReason>, LoadError> {
    Saved::load(input)
}

struct StopMark;

impl MessageKind for StopMark {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("stop after the queue", MessageRole::StopMark);
    const CODEC: Option<Codec<()>> =
        Some(Codec::new(<() as Saved<'_>>::SHAPE, |(), _| {}, |_| Ok(())));

    fn run(_: (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Stop
    }

    fn refuse(_: (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
