//! The protocol's files of `vivant-brc`, byte for byte, around a table of a few entries.

#[path = "asked.rs"]
pub(super) mod asked;
#[path = "../../../../crates/vivant-brc/src/bias/counting.rs"]
mod counting;
#[path = "../../../../crates/vivant-brc/src/bias/current.rs"]
pub(super) mod current;
#[path = "../../../../crates/vivant-brc/src/bias/ending.rs"]
mod ending;
#[path = "../../../../crates/vivant-brc/src/bias/entering.rs"]
mod entering;
#[path = "../../../../crates/vivant-brc/src/bias/handed.rs"]
mod handed;
#[path = "../../../../crates/vivant-brc/src/bias/header/mod.rs"]
mod header;
#[path = "../../../../crates/vivant-brc/src/bias/notice.rs"]
mod notice;
#[path = "object.rs"]
mod object;
#[path = "../../../../crates/vivant-brc/src/bias/only.rs"]
mod only;
#[path = "../../../../crates/vivant-brc/src/bias/owner_entry.rs"]
mod owner_entry;
#[path = "scenes.rs"]
pub(super) mod scenes;
#[path = "table.rs"]
mod table;
