//! Walks: values that are read by the shapes of their file alone, without types.

pub(crate) mod show;
pub(crate) mod skip;
pub(crate) mod type_text;
pub(crate) mod walker;
pub(crate) mod whole;
