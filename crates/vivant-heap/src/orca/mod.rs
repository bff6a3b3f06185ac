//! ORCA: sharing between heaps by weighted reference counts. [README.md](README.md) has the
//! protocol.

pub(crate) mod count_audit;
pub(crate) mod count_inbox;
#[cfg(test)]
mod count_inbox_tests;
pub(crate) mod counts;
pub(crate) mod heap_handle;
pub(crate) mod heap_id;
mod imports;
pub(crate) mod kept_releases;
#[cfg(test)]
mod layout_tests;
#[cfg(test)]
pub(crate) mod model;
#[cfg(test)]
pub(crate) mod model_tests;
#[cfg(test)]
mod order_tests;
pub(crate) mod outbox;
mod owner_of_object;
pub(crate) mod sharing;
