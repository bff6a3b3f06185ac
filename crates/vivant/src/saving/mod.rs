//! What a saved actor is: the kinds, as types; which values an actor of a kind can have; how values
//! of one type are written and read. The README beside this file has the bytes of each message.

mod by;
mod codec;
mod heap_saver;
mod kept_start;
mod locals_codec;
mod runtime_types;
mod save_kind;

pub use by::SavedBy;
pub(crate) use codec::StoredShape;
pub use codec::{Codec, shape};
pub(crate) use heap_saver::HeapSaver;
pub(crate) use kept_start::{EncodedStart, KeepStart, KeptStart};
pub use locals_codec::LocalsCodec;
pub(crate) use locals_codec::SavedInHeap;
pub(crate) use locals_codec::StoredLocals;
pub(crate) use runtime_types::{saved_enum, saved_struct};
pub(crate) use save_kind::Saves;
pub use save_kind::{NotSaved, SaveKind, SavedStart, SavedState};
