//! What several tests need.
#![allow(dead_code, reason = "each test binary uses some of it")]

pub(crate) mod asks;
pub(crate) mod town;
pub(crate) mod traveller;
