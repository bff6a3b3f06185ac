//! The lobby, from its rules to its server: a module for each subject.

mod client;
mod evening;
mod referee;
mod server;
mod slow;
