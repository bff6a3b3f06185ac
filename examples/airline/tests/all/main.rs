//! The airline, from its desks to its command: a module for each subject.

mod bad_requests;
mod command;
mod cuts;
mod desks;
mod http;
mod mileage;
mod oversell;
mod saved;
mod seats;
mod service;
mod support;
#[cfg(unix)]
mod survival;
