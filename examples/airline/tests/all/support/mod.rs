//! What several tests need.

pub(crate) mod asks;
pub(crate) mod town;
pub(crate) mod traveller;
