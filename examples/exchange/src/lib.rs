//! A stock exchange on actors: order books that are graphs, market data that many read, instruments
//! that are handed over while orders come, and an audit that everything is accounted for. How to
//! run it is in `README.md`.
//!
//! All state that changes is in actors, and none of it is locked:
//!
//! | actor | how many | what it keeps |
//! |---|---|---|
//! | [`Gateway`](gateway::Gateway) | one | which shard has which instrument |
//! | [`Shard`](shard::Shard) | a few, some made under load | books: each a graph in a region of its own, `Iso<Book>` |
//! | [`Trader`](trader::Trader) | some | what it was told: answers, shares, cash |
//! | [`Reader`](reader::Reader) | 64 | the last versions of market data, `Val<Version>` |
//! | [`Meter`](meter::Meter) | one | which version the last reader has not read |
//! | [`Auditor`](audit::Auditor) | one an audit | what everybody told it |
//!
//! Around them:
//!
//! - [`order`]: orders, answers, trades; [`flow`]: orders from a seed.
//! - [`books`]: the book as a graph, and the same by counted references, by slabs, and as a list to
//!   compare with; [`race`]: which of them is how fast.
//! - [`exchange`]: the addresses that the outside needs; [`audience`]: those that shards need.
//! - [`load`]: orders at a constant rate.
//! - [`report`]: what came of it, as a table, as HTML and as JSON.
//! - [`cli`]: the command line.

pub mod audience;
pub mod audit;
pub mod books;
pub mod cli;
pub mod exchange;
pub mod flow;
pub mod gateway;
pub mod load;
pub mod meter;
pub mod order;
pub mod race;
pub mod reader;
pub mod report;
pub mod shard;
pub mod trader;
