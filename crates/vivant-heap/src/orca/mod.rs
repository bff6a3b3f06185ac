//! ORCA: sharing between heaps by weighted reference counts. [README.md](README.md) has the
//! protocol.

mod books;
mod counts;
mod hearing;
mod held;
mod imports;
mod keepers;
mod lane;
#[cfg(test)]
mod lane_tests;
#[cfg(test)]
mod layout_tests;
mod ledger;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod order_tests;
mod orphan;
#[cfg(test)]
mod orphan_tests;
mod owner;
mod packer;
mod parcel;
mod post;
mod sharing;

pub use books::Books;
pub(crate) use counts::{Counts, Entry};
pub use held::Held;
pub use keepers::{Keepers, ObjectName, Sharer};
pub use ledger::Ledger;
pub use orphan::{Orphan, Remains};
pub(crate) use owner::Owner;
pub(crate) use packer::ForeignCode;
pub use packer::Packer;
pub use parcel::Parcel;
pub(crate) use sharing::{Ends, FOREIGN, Sharing, Taken};
