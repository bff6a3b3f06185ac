//! The pace of an image that is written while turns run: in slices, and faster if the heap grows.

use super::heap::{Core, Heap, Root};
use crate::alloc::old::image_barrier::{GivenUp, ImageBarrier, ImageProgress};

/// A slice comes after so many turns, if no other work has come.
const TURNS: u64 = 16;

/// An overdue assist writes at most so many bytes: some 20 milliseconds.
const ASSIST_OVERDUE: usize = 4 << 20;

/// An assist writes at least this many bytes, and at most that many. There is a quarter of the
/// pre-images that may be: turns change objects faster than such assists write them, and an assist
/// writes at most `ASSIST_LARGE` bytes, some two milliseconds. With three quarters it is overdue.
const ASSIST_MIN: usize = 16 * 1024;
const ASSIST_MAX: usize = 64 * 1024;
const ASSIST_LARGE: usize = 512 * 1024;

/// All is written when the heap has grown by `1 / GROWTH` of what it had at the beginning.
const GROWTH: usize = 5;

/// Assists are overdue when the heap has grown by a quarter. If what is written is not taken then,
/// the image is given up, unless the heap has grown by less than `GROWTH_MIN` bytes.
const GROWTH_MAX: usize = 4;
const GROWTH_MIN: usize = 1 << 20;

/// Images of smaller heaps are written at once, in bytes. Of none under an interpreter, to which
/// larger heaps are slow.
const AT_ONCE: usize = if cfg!(miri) { 0 } else { 256 * 1024 };

/// Bytes of a slice of a heap under stress: one span.
const STRESS_SLICE: usize = 1;

/// What the growth of a heap calls for while an image of it is being written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ImageAssist {
    None,
    /// So many bytes are to be written.
    Write(usize),
    /// What is written is not taken: the image is given up.
    GiveUp,
}

impl Core {
    /// Whether an image is being written.
    #[inline]
    pub(crate) fn is_imaging(&self) -> bool {
        self.old.image.is_some()
    }

    /// An image begins. No turn has run since its state was saved, and no object is young.
    pub(crate) fn begin_image(&mut self, image: Box<dyn ImageBarrier>) {
        self.old.numbers.rest();
        self.old.image = Some(image);
        self.image_began_at = self.old.bytes_live();
        if self.old.bytes_allocated <= AT_ONCE && self.pacing.stress.is_none() {
            self.finish_image();
        }
    }

    /// Writes all that is left of the image.
    pub(crate) fn finish_image(&mut self) {
        self.advance_image(usize::MAX);
    }

    /// Writes spans of so many bytes.
    pub(crate) fn advance_image(&mut self, bytes: usize) {
        let Some(mut image) = self.old.image.take() else {
            return;
        };
        // Also if a sink panics.
        self.old.numbers.use_again();
        // SAFETY: an image of this heap, and no turn runs (S6).
        unsafe { image.advance(&self.old.numbers, bytes) };
        if image.progress() != ImageProgress::Over {
            self.old.numbers.rest();
            self.old.image = Some(image);
        }
    }

    /// Forgets the image, if one is being written.
    pub(crate) fn drop_image(&mut self) {
        self.old.image = None;
        self.old.numbers.use_again();
    }

    /// Writes the next slice, unless what was written waits to be taken.
    pub(crate) fn write_image_slice(&mut self, bytes: usize) {
        let bytes = match self.pacing.stress {
            Some(_) => STRESS_SLICE,
            None => bytes,
        };
        match self.image_progress() {
            Some(ImageProgress::Waits) | None => {}
            // A failed image is noticed.
            Some(ImageProgress::Over) => self.advance_image(0),
            Some(ImageProgress::Writes(_)) => self.advance_image(bytes),
        }
    }

    fn image_progress(&self) -> Option<ImageProgress> {
        self.old.image.as_ref().map(|image| image.progress())
    }

    /// Whether the image waits until what was written is taken.
    pub(crate) fn image_waits(&self) -> bool {
        matches!(self.image_progress(), Some(ImageProgress::Waits))
    }

    /// By how many bytes the heap has grown since the image began.
    fn grown_since_image(&self) -> usize {
        self.old.bytes_live().saturating_sub(self.image_began_at)
    }

    /// Whether the heap has grown by as much as it may before all is written.
    fn is_image_overdue(&self) -> bool {
        let growth_max = GROWTH_MIN.max(self.image_began_at / GROWTH_MAX);
        self.grown_since_image() > growth_max
    }

    /// The pre-images that there are, as a part of those that may be.
    fn pre_images(&self) -> f64 {
        let (bytes, most) = self.old.image.as_ref().map_or((0, 1), |it| it.pre_images());
        bytes as f64 / most as f64
    }

    /// The bytes that an assist may write.
    fn assist_max(&self, pre_images: f64) -> usize {
        match () {
            () if self.is_image_overdue() || pre_images > 0.75 => ASSIST_OVERDUE,
            () if pre_images > 0.25 => ASSIST_LARGE,
            () => ASSIST_MAX,
        }
    }

    /// What the growth of the heap calls for, or pre-images.
    fn image_assist(&self) -> ImageAssist {
        let pre_images = self.pre_images();
        let due = match self.image_progress() {
            Some(ImageProgress::Writes(written)) => {
                let by_growth = self.grown_since_image().saturating_mul(GROWTH);
                // All when there is half of those that may be.
                let by_pre_images = (self.image_began_at as f64 * 2.0 * pre_images) as usize;
                by_growth.max(by_pre_images).saturating_sub(written)
            }
            Some(ImageProgress::Waits) if self.is_image_overdue() => return ImageAssist::GiveUp,
            Some(ImageProgress::Waits | ImageProgress::Over) | None => 0,
        };
        match due {
            ..ASSIST_MIN => ImageAssist::None,
            _ => ImageAssist::Write(due.min(self.assist_max(pre_images))),
        }
    }

    /// Whether the growth of the heap calls for anything.
    #[inline]
    pub(crate) fn is_image_due(&self) -> bool {
        self.is_imaging() && self.image_assist() != ImageAssist::None
    }

    /// Whether a slice is due after this turn, however few messages wait.
    #[inline]
    pub(crate) fn is_image_slice_due(&self, turns: u64) -> bool {
        self.is_imaging() && turns.is_multiple_of(TURNS) && !self.image_waits()
    }

    /// Writes what is due because the heap has grown.
    pub(crate) fn assist_image(&mut self) {
        match self.image_assist() {
            ImageAssist::None => {}
            ImageAssist::Write(bytes) => self.advance_image(bytes),
            ImageAssist::GiveUp => self.give_image_up(GivenUp::TooSlow),
        }
    }

    /// Gives the image up, if one is being written.
    pub(crate) fn give_image_up(&mut self, reason: GivenUp) {
        if let Some(mut image) = self.old.image.take() {
            self.old.numbers.use_again();
            image.give_up(reason);
        }
    }
}

impl<R: Root> Heap<R> {
    /// Writes all that is left of the image that is being written, if one is.
    pub fn finish_image(&mut self) {
        self.parts().0.finish_image();
    }

    /// Writes the next piece of the image that is being written, if one is: of about so many bytes.
    /// [`Heap::step`] does the same.
    pub fn write_image(&mut self, bytes: usize) {
        self.parts().0.write_image_slice(bytes);
    }

    /// Whether an image is being written.
    #[must_use]
    pub fn is_imaging(&self) -> bool {
        self.core().is_imaging()
    }
}
