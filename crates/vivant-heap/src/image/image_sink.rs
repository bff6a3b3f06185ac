//! [`ImageSink`]: takes the image of a heap that is written while turns run.

use super::image_id::ImageId;
use super::not_saved::NotSaved;
use super::span_record::SpanRecord;
use std::any::Any;
use std::error::Error;
use std::fmt;
use vivant_codec::Encoder;

/// Takes the image of a heap while turns run ([`Heap::begin_image`](crate::Heap::begin_image)).
///
/// All methods are called on the thread that holds the heap: between two turns, or by the write
/// barrier in the middle of a turn. They must not panic, and not wait.
pub trait ImageSink: Send {
    /// Calls `encode` once, with an encoder that has the contexts of the image.
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>));

    /// An earlier image of the heap, of which all records are still there: its own, and those to
    /// which it refers in turn. Spans that have not changed since are not written again;
    /// [`ImageSink::unchanged`] gets their numbers. `None`: all spans are written.
    ///
    /// An image of another heap, or with other codecs, is no earlier one, and all is written.
    fn since(&self) -> Option<ImageId> {
        None
    }

    /// The image begins: a later one can be taken since this one.
    fn began(&mut self, image: ImageId) {
        drop(image);
    }

    /// A span is written. No two have the same number.
    fn span(&mut self, record: SpanRecord);

    /// A span has not changed since the image [`ImageSink::since`]. Its record is in the first
    /// complete image of the heap that has the [number](ImageId::number) `first_image` or a larger
    /// number.
    ///
    /// A span is written each time if its objects have a cell, or lead out of the heap: if their
    /// code has asked the encoder for a context.
    fn unchanged(&mut self, span: u32, first_image: u32) {
        unreachable!(
            "no image was given, so the span {span} is written, not left to {first_image}"
        );
    }

    /// How much is to be written now.
    fn demand(&self) -> Demand {
        Demand::More
    }

    /// The image is complete, or failed. Nothing follows. It is not called if the sink has demanded
    /// nothing any more, nor if another image of the heap begins.
    fn ended(self: Box<Self>, result: Result<(), ImageError>);
}

/// What a sink wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// More spans.
    More,
    /// No more now: what it has takes memory.
    Wait,
    /// Nothing any more: the image is given up.
    Nothing,
}

/// Why there is no image.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// An object could not be saved.
    NotSaved(NotSaved),
    /// Code of a type has panicked when an object was saved.
    Panicked {
        /// The type of the object.
        type_name: &'static str,
        /// The payload of the panic.
        payload: Box<dyn Any + Send>,
    },
    /// Turns have changed so many objects before they were written that their earlier contents take
    /// more memory than an image may.
    PreImages {
        /// Bytes that they take.
        bytes: usize,
    },
    /// The heap has grown by a quarter since the image began, and the sink takes no more.
    TooSlow,
    /// The heap was short of pages.
    NoMemory,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::NotSaved(error) => error.fmt(f),
            ImageError::Panicked { type_name, .. } => {
                write!(f, "an object `{type_name}`: its code panicked when it was saved")
            }
            ImageError::PreImages { bytes } => write!(
                f,
                "turns have changed more objects than the image could keep as they were: these take {bytes} bytes. Use a faster store, or take \
                 the snapshot when less is changed"
            ),
            ImageError::TooSlow => f.write_str(
                "the heap has grown by a quarter before its image was written: the store is too slow for it",
            ),
            ImageError::NoMemory => f.write_str("the heap was short of memory before its image was written"),
        }
    }
}

impl Error for ImageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ImageError::NotSaved(error) => Some(error),
            _ => None,
        }
    }
}
