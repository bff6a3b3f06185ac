//! Images of heaps: objects as bytes, and heaps from them. The protocol is in `README.md`.

mod block_name;
mod checked_nodes;
mod content;
mod ended_heaps;
mod heap_image;
mod image_id;
mod image_sink;
mod image_writer;
mod leaves;
mod named_heaps;
mod not_saved;
mod object_codec;
mod oracle;
mod parcels;
mod parts;
mod pre_images;
mod reference_names;
mod references;
mod regions;
mod restore;
mod restore_order;
mod restored_blocks;
mod restored_heaps;
mod restored_tags;
mod restored_types;
mod restoring;
mod restoring_heaps;
mod restoring_regions;
mod save;
mod saved_heap;
mod saved_raw;
mod saved_target;
mod shared_references;
mod slices;
mod span_encoder;
mod span_record;
mod tags;
mod touched_span;
mod watch_references;
mod watches;
mod weak_references;

pub use checked_nodes::CheckedNodes;
pub use heap_image::HeapImage;
pub use image_id::ImageId;
pub use image_sink::{Demand, ImageError, ImageSink};
pub use named_heaps::NamedHeaps;
pub use not_saved::NotSaved;
pub use object_codec::ObjectCodecs;
pub use parts::{Part, restoring};
pub use restored_heaps::{
    FinishedHeaps, HeapDecoder, HeapNumbers, HeapSpans, RestoredHeaps, RestoredState, ValueDecoder,
};
pub use saved_heap::SavedHeap;
pub use saved_raw::SavedRaw;
pub use saved_target::{SavedTarget, TagCodec, TagTarget, distinct, unlisted, variant};
pub use shared_references::{SharedContent, SharedOwner, load_val, save_val, val_shape};
pub use span_record::SpanRecord;
pub use watches::WatchRecord;

#[cfg(test)]
mod beside_turns_tests;
#[cfg(test)]
mod incremental_tests;
#[cfg(test)]
mod self_tests;
#[cfg(test)]
mod shared_self_tests;
#[cfg(test)]
mod tags_self_tests;
