//! How a timer is saved: by its number, and the delay with which it starts anew.

use crate::actor::{SeenActors, Shared, Timer};
use crate::services::TimerId;
use crate::sync::Arc;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

/// The system that is restored. The context of a decoder that loads timers.
pub(crate) struct RestoredSystem(pub(crate) Arc<Shared>);

/// The system runs while values are loaded into it: what they name has gone on since, and may
/// belong to others by now. A context beside [`RestoredSystem`].
#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "without snapshots there is no image")
)]
pub(crate) struct RunningSystem;

impl<'gc> Saved<'gc> for Timer {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Timer",
        const {
            &[
                Field::new("number", shape_of::<'gc, u64>()),
                Field::new("delay_ns", shape_of::<'gc, u64>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        if SeenActors::is_elsewhere(self.system().number, out) {
            return out.error("a timer of another system");
        }
        self.id().0.save(out);
        self.in_ns().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let number = fields.field(0)?;
        let in_ns = fields.field(1)?;
        fields.end()?;
        match input.context::<RestoredSystem>() {
            Some(RestoredSystem(system)) => Ok(Timer::new(system.clone(), TimerId(number), in_ns)),
            None => Err(input.error("a timer, which only a restore can load")),
        }
    }
}
