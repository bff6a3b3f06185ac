#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod choice;
mod console;
mod door;
mod error;
mod limits;
mod lines;
mod peer;
mod places;
#[cfg(target_os = "linux")]
mod sock_diag;
#[cfg(test)]
mod tests;
mod token;
mod visit;
pub mod wire;

pub use console::{Builder, Console};
pub use error::StartError;
pub use token::Token;

use vivant::System;

/// Lets `vivant top` observe `system`, at a free port of 127.0.0.1 and with a random token.
///
/// The same as [`Console::builder`] with every default.
///
/// # Errors
///
/// If there is no free port, thread or random number: see [`StartError`].
pub fn serve(system: &System) -> Result<Console, StartError> {
    Console::builder(system).start()
}
