//! The page cache, from its order to its command: a module for each subject.

mod audit;
mod command;
mod http;
mod memory;
mod order;
mod support;
