//! The document store, from its versions to its server: a module for each subject.

mod commits;
mod history;
mod memory_disk;
mod server;
mod writer;
