//! The same, around copies of `header.rs` and `slot.rs` with a bug of one's choice.

#[path = "asked.rs"]
pub(super) mod asked;
#[path = "../../../../crates/vivant-brc/src/bias/counting.rs"]
mod counting;
#[path = "../../../../crates/vivant-brc/src/bias/current.rs"]
mod current;
#[path = "../../../../crates/vivant-brc/src/bias/ending.rs"]
mod ending;
#[path = "../../../../crates/vivant-brc/src/bias/entering.rs"]
mod entering;
#[path = "flawed/flaw.rs"]
pub(super) mod flaw;
#[path = "../../../../crates/vivant-brc/src/bias/handed.rs"]
mod handed;
#[path = "flawed/header.rs"]
mod header;
#[path = "../../../../crates/vivant-brc/src/bias/notice.rs"]
mod notice;
#[path = "object.rs"]
mod object;
#[path = "../../../../crates/vivant-brc/src/bias/only.rs"]
mod only;
#[path = "scenes.rs"]
pub(super) mod scenes;
#[path = "flawed/slot.rs"]
mod slot;
#[path = "table.rs"]
mod table;
#[path = "../../../../crates/vivant-brc/src/bias/word.rs"]
mod word;
