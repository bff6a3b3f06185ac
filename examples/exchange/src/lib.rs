//! A stock exchange on actors: order books that are graphs, market data with many readers,
//! instruments that are handed over while orders arrive, and an audit that everything is accounted
//! for. How to run it is in `README.md`.
//!
//! All mutable state is in actors, and none of it is locked:
//!
//! | actor | number | state |
//! |---|---|---|
//! | [`Gateway`](gateway::Gateway) | one | the shard of each instrument |
//! | [`Shard`](shard::Shard) | a few, some made under load | books: each a graph in a region of its own, `Iso<Book>` |
//! | [`Trader`](trader::Trader) | some | its answers, shares, cash |
//! | [`Reader`](reader::Reader) | 64 | the last versions of market data, `Val<Version>` |
//! | [`Meter`](meter::Meter) | one | the versions that the last reader has not read |
//! | [`Auditor`](audit::Auditor) | one an audit | the records of all other actors |
//!
//! Around them:
//!
//! - [`order`]: orders, answers, trades; [`flow`]: orders from a seed.
//! - [`books`]: the book as a graph; and with counted references, with slabs, and as a list, the
//!   reference; [`race`]: the speed of each.
//! - [`exchange`]: the addresses for callers outside; [`audience`]: the addresses for shards.
//! - [`load`]: orders at a constant rate.
//! - [`report`]: the results, as a table, as HTML and as JSON.
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
