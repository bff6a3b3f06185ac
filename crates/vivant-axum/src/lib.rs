#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod ask_limit;
mod connection;
mod connections;
mod held_body;
mod problem;
mod registered;
mod serve;
mod signals;

pub use ask_limit::{AskLimit, AskLimited, AskLimitedFuture};
pub use held_body::HeldBody;
pub use problem::Problem;
pub use registered::{Registered, RegisteredName};
pub use serve::{Ended, Serve, serve};
pub use signals::Signals;
