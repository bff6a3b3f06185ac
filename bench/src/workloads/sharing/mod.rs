//! Objects that actors share or hand over: rings, fans and versions.
//!
//! - [`heavyring`]: a tree goes round, whole;
//! - [`owned`]: with one owner, a region or a tree of boxes; [`shared`]: as a `Val`;
//! - [`handover`]: two actors hand a graph to each other, of any size;
//! - [`bigring`]: a token goes round, by an actor with a large heap;
//! - [`fanout`]: one actor sends to many;
//! - [`fanout_val`]: one actor publishes versions of a large map ([`writer`]), many look things up
//!   in them ([`reader`]);
//! - [`orca`]: the programs of the Orca paper, with its table; [`programs`], [`work`]: the
//!   programs; [`collector_messages`]: the messages between collectors meanwhile;
//! - [`no_collector`]: some of these programs with the collector and without.

mod bigring;
mod collector_messages;
mod fanout;
mod fanout_val;
mod handover;
mod heavyring;
mod no_collector;
mod orca;
mod owned;
mod programs;
mod reader;
mod shared;
mod work;
mod writer;

pub(super) use bigring::BIGRING;
pub(super) use fanout::FANOUT;
pub(super) use fanout_val::FANOUT_VAL;
pub(super) use handover::HANDOVER;
pub(super) use heavyring::HEAVYRING;
pub(super) use no_collector::NO_COLLECTOR;
pub(super) use orca::ORCA;
