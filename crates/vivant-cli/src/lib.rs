#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

pub mod cli;
mod model;
mod once;
pub mod screen;
pub mod snapshot;
mod source;
mod table;
mod terminal;
mod view;
