//! The crate over real sockets on the loopback interface: a module for each subject.

mod addresses;
mod bodies;
mod client;
mod draining;
mod problems;
mod server;
mod time_limits;
