//! [`Subscription`]: the handle of a subscription.

use super::super::numbered_tables::restored_topic;
use super::super::table_identity::TableIdentity;
use super::subscribers::TopicSubscribers;
use super::subscription_name::{SHAPE, SubscriptionName, load_held, save_held};
use crate::api::{RestoredSystem, RunningSystem};
use crate::services::Membership;
use crate::sync::Arc;
use std::fmt;
use std::sync::Weak;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// A subscription to a [`Topic`](crate::Topic). It ends when this is dropped, so a subscriber keeps
/// it in its state.
///
/// Values that were published before are still delivered.
///
/// A snapshot has a subscription if it has this handle, or if the subscription lasts forever. Of a
/// topic without a name it needs a handle of that too. Others end with the system.
#[must_use = "dropping it unsubscribes; `.forever()` subscribes until the actor ends or the topic is gone"]
pub struct Subscription(pub(super) Option<Held>);

/// A subscription that a handle keeps.
pub(super) struct Held {
    pub(super) topic: Weak<dyn Membership>,
    pub(super) number: u64,
    /// Of the topic.
    pub(super) identity: TableIdentity,
}

impl Held {
    fn name(&self) -> SubscriptionName {
        SubscriptionName {
            topic: self.identity.clone(),
            number: self.number,
        }
    }
}

impl Subscription {
    /// Ends the subscription.
    pub fn cancel(self) {}

    /// Makes it last until its actor ends or the topic is gone. Not for a start function, which may
    /// run again and would subscribe a second time.
    pub fn forever(mut self) {
        if let Some(Held { topic, number, .. }) = self.0.take()
            && let Some(topic) = topic.upgrade()
        {
            topic.lasts_forever(number);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(Held { topic, number, .. }) = self.0.take()
            && let Some(topic) = topic.upgrade()
        {
            topic.leave(number);
        }
    }
}

impl<'gc> Saved<'gc> for Subscription {
    const SHAPE: &'static Shape = SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        let name = self.0.as_ref().map(Held::name);
        save_held(name.as_ref(), out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let Some((topic, number)) = load_held(input)? else {
            return Ok(Subscription(None));
        };
        if input.context::<RunningSystem>().is_some() {
            // It has ended with the incarnation that had it, or is another actor's by now.
            return Ok(Subscription(None));
        }
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a subscription, which only a restore can load"));
        };
        let registered = restored_topic(system, &topic, input);
        let registered = registered.filter(|it| it.subscription(number).is_some());
        let identity = TableIdentity::restored(system, &topic);
        let topic: Weak<dyn Membership> = match registered {
            Some(registered) => {
                let topic: Arc<dyn Membership> = registered;
                Arc::downgrade(&topic)
            }
            // It had ended.
            None => Weak::<TopicSubscribers<()>>::new(),
        };
        Ok(Subscription(Some(Held {
            topic,
            number,
            identity,
        })))
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(Held { number, .. }) => write!(f, "Subscription({number})"),
            None => f.write_str("Subscription(ended)"),
        }
    }
}

vivant_heap::leaf!([] Subscription);
