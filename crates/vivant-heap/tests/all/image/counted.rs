//! A value that counts its loads, and how many of it are alive.

use std::cell::Cell;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

thread_local! {
    pub(super) static LOADS: Cell<u64> = const { Cell::new(0) };
    pub(super) static ALIVE: Cell<u64> = const { Cell::new(0) };
}

/// Counts its loads, and those that are alive.
pub(super) struct Counted(pub(super) u64);
vivant_heap::leaf!([] Counted);

impl Counted {
    pub(super) fn new(number: u64) -> Counted {
        ALIVE.set(ALIVE.get() + 1);
        Counted(number)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl<'gc> Saved<'gc> for Counted {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Counted, LoadError> {
        LOADS.set(LOADS.get() + 1);
        Ok(Counted::new(u64::load(input)?))
    }
}
