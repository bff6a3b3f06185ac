//! One subscriber: how a value, or the notice of a gap, becomes its message.
//!
//! Publishers clone the continuation without a lock: a `Clone` of the user's may wait, or publish.

use super::intake::{Admission, Intake};
use super::lagged::Lagged;
use super::published::{Content, Published};
use super::subscription_name::SubscriptionName;
use crate::actor::{
    CellRef, Envelope, Lasts, SavedArguments, SubscriptionEntry, TableEntry, TableName, To, post,
    record,
};
use crate::api::{Coded, Continuation, RestOf, Then};
use crate::saving::shape;
use crate::services::ExitHookId;
use crate::sync::Arc;
use std::cell::RefCell;
use vivant_codec::Encoder;

/// A subscriber, for any continuation.
pub(super) trait Subscribed<T>: Send + Sync {
    /// Sends it the value, or counts it as missed.
    fn send_value(&self, value: &T);

    fn actor(&self) -> &CellRef;

    fn intake(&self) -> &Arc<Intake>;

    fn exit_hook(&self) -> ExitHookId;

    /// L10: records the subscription. Runs code of users.
    fn record(&self, place: SubscriptionPlace<'_>);
}

/// Where a topic has a subscription.
pub(super) struct SubscriptionPlace<'a> {
    pub(super) topic: &'a TableName,
    pub(super) number: u64,
    pub(super) lasts: Lasts,
}

pub(super) struct Subscriber<K: Continuation> {
    then: Then<'static, K>,
    actor: CellRef,
    intake: Arc<Intake>,
    exit_hook: ExitHookId,
}

impl<K: Continuation> Subscriber<K> {
    pub(super) fn new(
        then: Then<'static, K>,
        capacity: usize,
        name: SubscriptionName,
        exit_hook: ExitHookId,
    ) -> Subscriber<K> {
        let actor = then.target().cell();
        Subscriber {
            intake: Intake::new((actor.system.number, actor.id), capacity, Some(name)),
            then,
            actor,
            exit_hook,
        }
    }
}
thread_local! {
    /// The subscriptions for which this thread clones a value or arguments, innermost last.
    static CLONING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// As long as it lives, this thread clones for a subscription.
struct Cloning;

impl Cloning {
    fn begin(intake: &Arc<Intake>) -> Cloning {
        CLONING.with_borrow_mut(|cloning| cloning.push(Arc::as_ptr(intake).addr()));
        Cloning
    }

    /// Whether this thread clones for that subscription.
    fn is_under_way(intake: &Arc<Intake>) -> bool {
        CLONING.with_borrow(|cloning| cloning.contains(&Arc::as_ptr(intake).addr()))
    }
}

impl Drop for Cloning {
    fn drop(&mut self) {
        CLONING.with_borrow_mut(|cloning| cloning.pop());
    }
}

impl<T, K> Subscribed<T> for Subscriber<K>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone + Sync,
{
    fn send_value(&self, value: &T) {
        let code = || self.actor.system.phase_of_code();
        // A `Clone` that publishes to its own subscription would go on for ever.
        let admission = match Cloning::is_under_way(&self.intake) {
            true => self.intake.miss(code),
            false => self.intake.admit(code),
        };
        match admission {
            Admission::Missed => {}
            Admission::Value(token) => {
                let cloning = Cloning::begin(&self.intake);
                let (to, rest, place) = self.then.again().into_parts();
                let args = K::fill(Ok(value.clone()), rest);
                drop(cloning);
                let content = Content::Value(args, token);
                let envelope = Envelope::new::<Published<K>>(content, place);
                // Not `deliver`: an ended actor has no subscriptions, so it makes no dead letter.
                drop(post(To::Owned(to), envelope));
                self.intake.value_posted(code);
            }
            Admission::Notice(gap, opened) => {
                let cloning = Cloning::begin(&self.intake);
                let (to, rest, place) = self.then.again().into_parts();
                drop(cloning);
                let content = Content::Missed(gap, rest);
                let envelope = Envelope::new::<Published<K>>(content, place);
                drop(post(To::Owned(to), envelope));
                self.intake.notice_posted(opened, code);
            }
        }
    }

    fn actor(&self) -> &CellRef {
        &self.actor
    }

    fn intake(&self) -> &Arc<Intake> {
        &self.intake
    }

    fn exit_hook(&self) -> ExitHookId {
        self.exit_hook
    }

    fn record(&self, place: SubscriptionPlace<'_>) {
        let system = &self.actor.system;
        let line = system.passes.now().phase();
        if self.intake.has_notice_across(line) {
            // L8: the notice is behind the line, and has misses of before it.
            system.passes.void();
        }
        let save = |out: &mut Encoder<'_>| {
            Coded::<RestOf<K>>::save_value(self.then.rest(), out);
        };
        let arguments = K::REST_CODEC.map(|_| SavedArguments {
            shape: const { shape(K::REST_CODEC) },
            save: &save,
        });
        let SubscriptionPlace {
            topic,
            number,
            lasts,
        } = place;
        let entry = SubscriptionEntry {
            topic,
            number,
            capacity: self.intake.capacity() as u64,
            lasts,
            actor: &self.actor,
            behaviour: K::NAME,
            made: self.then.place(),
            arguments,
        };
        record(system, |cut| cut.entry(TableEntry::Subscription(entry)));
    }
}
