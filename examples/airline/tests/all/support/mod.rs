//! What several tests need.

pub(crate) mod asks;
pub(crate) mod test_server;
pub(crate) mod traveller;
