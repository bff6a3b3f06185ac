//! The social network, from its graph to its server: a module for each subject.

mod feeds;
mod graph;
mod memory;
mod model;
mod server;
mod statuses;
