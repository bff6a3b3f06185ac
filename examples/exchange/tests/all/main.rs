//! The exchange, from its books to its command: a module for each subject.

mod audit;
mod careless;
mod command;
mod hand_over;
mod matching;
mod readers;
mod refusals;
mod support;
