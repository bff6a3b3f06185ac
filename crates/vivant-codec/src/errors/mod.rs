//! Why a value could not be saved or loaded.

pub(crate) mod load_error;
pub(crate) mod path;
pub(crate) mod save_error;
