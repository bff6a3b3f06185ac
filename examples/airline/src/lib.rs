//! Acme Air on actors: an airline whose customers search, book and cancel flights over HTTP, a load
//! generator for it, and an audit that no seat was sold twice. How to run it is in `README.md`.
//!
//! All state that changes is in actors, and none of it is locked:
//!
//! | actor | how many | what it keeps |
//! |---|---|---|
//! | [`Flight`](flight::Flight) | one a flight | who sits where |
//! | [`Customer`](customer::Customer) | one a customer | profile and bookings |
//! | [`Desk`](desk::Desk) | a few | sessions |
//! | [`Manager`](manager::Manager) | one | what is being loaded |
//! | [`Auditor`](audit::Auditor) | one an audit | what everybody told it |
//!
//! Around them, what does not change and what is not an actor:
//!
//! - [`data`]: airports, segments, the timetable, the calendar.
//! - [`directory`]: which actor is which flight or customer.
//! - [`id`]: ids of sessions, bookings and flights.
//! - [`airline`]: the addresses that the outside needs.
//! - [`http`]: Acme Air's REST API and a web page.
//! - [`load`]: virtual users that send requests at a constant rate.
//! - [`report`]: what they met, as a table, as HTML and as JSON.
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
