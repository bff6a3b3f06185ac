#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod choice;
mod console;
mod door;
mod error;
mod limits;
mod lines;
#[cfg(test)]
mod tests;
mod token;
mod visit;
pub mod wire;

pub use console::{Builder, Console};
pub use error::StartError;
pub use token::Token;

use vivant::System;

/// Lets `vivant top` look into `system`, at a free port of 127.0.0.1 and with a token of chance.
///
/// As [`Console::builder`] with every choice left to it.
///
/// # Errors
///
/// When no port, thread or random number is to be had: see [`StartError`].
pub fn serve(system: &System) -> Result<Console, StartError> {
    Console::builder(system).start()
}
