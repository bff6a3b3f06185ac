//! [`NamedIntake`]: the intake of a subscription, as the messages in an image name it.

use super::super::numbered_tables::restored_topic;
use super::super::table_identity::TableIdentity;
use super::intake::Intake;
use super::subscription_name::{NameInImage, SHAPE, SubscriptionName};
use crate::actor::Receiver;
use crate::api::RestoredSystem;
use crate::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// The intake of a subscription, as a message names it.
pub(super) struct NamedIntake(pub(super) Arc<Intake>);

impl NamedIntake {
    pub(super) fn save(intake: &Intake, out: &mut Encoder<'_>) {
        let name = intake.name().and_then(|name| name.in_image(out));
        name.save(out);
    }
}

impl<'gc> Saved<'gc> for NamedIntake {
    const SHAPE: &'static Shape = SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        NamedIntake::save(&self.0, out);
    }

    /// A subscription that has ended gets an intake of its own, to which no code publishes.
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: NameInImage = input.reference(SHAPE)?;
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a value of a topic, which only a restore can load"));
        };
        let Some(Receiver(actor)) = input.context() else {
            return Err(input.error("a value of a topic that is for no actor"));
        };
        let reader = (system.number, actor.get());
        let Some((topic, number)) = name else {
            return Ok(NamedIntake(Intake::new(reader, 1, None)));
        };
        let registered = restored_topic(system, &topic, input);
        let intake = registered.and_then(|topic| topic.subscription(number));
        let intake = intake.and_then(|intake| intake.downcast::<Intake>().ok());
        if intake.as_ref().is_some_and(|it| it.reader() != reader.1) {
            return Err(input.error("a value of a subscription of another actor"));
        }
        Ok(NamedIntake(intake.unwrap_or_else(|| {
            let topic = TableIdentity::restored(system, &topic);
            let name = Some(SubscriptionName { topic, number });
            Intake::new(reader, 1, name)
        })))
    }
}
