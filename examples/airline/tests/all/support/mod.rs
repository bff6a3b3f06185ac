//! What several tests need.

pub(crate) mod asks;
pub(crate) mod scratch;
pub(crate) mod test_server;
pub(crate) mod traveller;
