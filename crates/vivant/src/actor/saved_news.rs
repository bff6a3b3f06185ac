//! How news of children are saved. The numbers of variants are a part of the format: a new one
//! comes last.

use super::child_news::ChildNews;
use super::signals::{HaltNumber, Signals};
use crate::failures::StopReason;
use crate::saving::saved_enum;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

saved_enum!(ChildNews as "vivant::ChildNews" {
    0 Up,
    1 Down { 0: StopReason },
    2 IsDown { 0: HaltNumber },
    3 Resumed { 0: StopReason },
    4 Gone { 0: StopReason },
});

/// As the low bits that a signal holds.
impl<'gc> Saved<'gc> for HaltNumber {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.low_bits().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let number = Saved::load(input)?;
        let loaded = Signals::halt(number).halt_number();
        match loaded.low_bits() == number {
            true => Ok(loaded),
            false => Err(input.error(format!("{number} is no number of an order to go down"))),
        }
    }
}
