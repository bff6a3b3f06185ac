#![doc = include_str!("../README.md")]

// From the bottom up: a folder imports only folders above it in this list.
mod limits;

mod errors;

mod bytes;
mod shape;

mod table;
mod walk;

mod saved;

mod table_format;
mod types;
#[cfg(feature = "serde")]
mod with_serde;

pub use errors::load_error::{LoadError, LoadErrorKind};
pub use errors::save_error::{SaveError, SaveErrorKind};
pub use limits::{DEPTH_MAX, EMPTY_ELEMENTS_MAX, SHAPES_MAX};
pub use saved::decoder::{Decoder, from_bytes, load_stored};
pub use saved::encoder::{Encoder, to_bytes};
pub use saved::fields::Fields;
#[doc(hidden)]
pub use saved::saved_trait::Wrapper;
pub use saved::saved_trait::{Saved, shape_of};
pub use shape::target::ReferenceTarget;
pub use shape::{Field, Shape, ShapeRef, Variant};
pub use table::comparison::Comparison;
pub use table::shapes::Shapes;
pub use table::stored::ShapeId;
pub use types::any_order::AnyOrder;
pub use walk::show::{show, show_named};
pub use walk::skip::skip;
pub use walk::type_text::type_text;
pub use walk::walker::{Event, Group};
pub use walk::whole::walk;
#[cfg(feature = "serde")]
pub use with_serde::Serde;

#[cfg(feature = "derive")]
pub use vivant_macros::Saved;

/// The trait without the derive of the same name, for crates that have a derive of their own.
#[doc(hidden)]
pub mod without_derive {
    pub use crate::saved::saved_trait::Saved;
}

/// The documentation of the derive: its examples are run as tests.
#[cfg(all(doctest, feature = "derive"))]
mod derives {
    #[doc = include_str!("../../vivant-macros/docs/saved.md")]
    struct DeriveSaved;
}
