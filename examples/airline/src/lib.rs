//! Acme Air on actors: an airline over HTTP that sells flights to customers, a load generator for
//! it, and an audit that no seat was sold twice. How to run it is in `README.md`.
//!
//! All mutable state is in actors, and none of it is locked:
//!
//! | actor | number | state |
//! |---|---|---|
//! | [`Flight`](flight::Flight) | one a flight | seats and passengers |
//! | [`Customer`](customer::Customer) | one a customer | profile and bookings |
//! | [`Desk`](desk::Desk) | a few | sessions |
//! | [`Manager`](manager::Manager) | one | the loaded data |
//!
//! Around them, immutable data and modules without actors:
//!
//! - [`data`]: airports, segments, the timetable, the calendar.
//! - [`directory`]: the actor of each flight and each customer.
//! - [`id`]: ids of sessions, bookings and flights.
//! - [`airline`]: the addresses for callers outside; [`audit`]: whether the actors' records agree.
//! - [`snapshots`]: images of the running airline on disk, and an airline that goes on from one.
//! - [`http`]: Acme Air's REST API and a web page.
//! - [`load`]: virtual users that send requests at a constant rate.
//! - [`report`]: the results, as a table, as HTML and as JSON.
//! - [`cli`]: the command line.

pub mod airline;
pub mod audit;
pub mod cli;
pub mod customer;
pub mod data;
pub mod desk;
pub mod directory;
pub mod flight;
pub mod http;
pub mod id;
pub mod load;
pub mod manager;
pub mod report;
pub mod snapshots;
