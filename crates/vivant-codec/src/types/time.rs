//! `Duration` and `SystemTime`.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Field, Shape};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NANOS: u32 = 1_000_000_000;

/// Seconds, and nanoseconds below a second, as serde encodes it.
impl<'gc> Saved<'gc> for Duration {
    const SHAPE: &'static Shape = &Shape::structure(
        "Duration",
        const {
            &[
                Field::new("secs", shape_of::<u64>()),
                Field::new("nanos", shape_of::<u32>()),
            ]
        },
    );

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        self.as_secs().save(out);
        self.subsec_nanos().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Duration, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (secs, nanos) = (fields.field(0)?, fields.field(1)?);
        fields.end()?;
        match nanos < NANOS {
            true => Ok(Duration::new(secs, nanos)),
            false => Err(input.input.error(LoadErrorKind::OutOfRange)),
        }
    }
}

/// Whole seconds since 1970, which are negative before, and nanoseconds after them.
///
/// serde has no encoding for a time before 1970; for others it has the seconds as `u64`.
impl<'gc> Saved<'gc> for SystemTime {
    const SHAPE: &'static Shape = &Shape::structure(
        "SystemTime",
        const {
            &[
                Field::new("secs", shape_of::<i64>()),
                Field::new("nanos", shape_of::<u32>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        let (secs, nanos) = match self.duration_since(UNIX_EPOCH) {
            Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
            Err(error) => {
                let before = error.duration();
                // The earliest time has a number of seconds that is its own negative.
                let secs = (before.as_secs() as i64).wrapping_neg();
                match before.subsec_nanos() {
                    0 => (secs, 0),
                    nanos => (secs - 1, NANOS - nanos),
                }
            }
        };
        secs.save(out);
        nanos.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<SystemTime, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (secs, nanos): (i64, u32) = (fields.field(0)?, fields.field(1)?);
        fields.end()?;
        let whole = Duration::from_secs(secs.unsigned_abs());
        let time = match secs < 0 {
            true => UNIX_EPOCH.checked_sub(whole),
            false => UNIX_EPOCH.checked_add(whole),
        };
        let time = time.filter(|_| nanos < NANOS);
        time.and_then(|time| time.checked_add(Duration::from_nanos(nanos.into())))
            .ok_or_else(|| input.input.error(LoadErrorKind::OutOfRange))
    }
}
