//! Images of heaps: objects as bytes, and heaps from them. The protocol is in `README.md`.

mod block_name;
mod content;
mod heap_image;
mod leaves;
mod object_codec;
mod references;
mod restore;
mod restore_order;
mod restored_blocks;
mod restored_types;
mod restoring;
mod save;
mod span_record;

pub use heap_image::HeapImage;
pub use object_codec::ObjectCodecs;
pub use restore::HeapDecoder;
pub use save::NotSaved;
pub use span_record::SpanRecord;

#[cfg(test)]
mod self_tests;
