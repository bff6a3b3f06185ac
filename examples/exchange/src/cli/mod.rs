//! The command line.
//!
//! - [`Arguments`]: the arguments.
//! - `run`: orders for an exchange, and an audit; `books`: the race alone.

mod args;
mod books;
mod run;

pub use args::{Arguments, BookArguments, Command, RunArguments};

use example_load::command;
use std::process::ExitCode;

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Some(Command::Books(arguments)) => books::books(arguments).map(|()| true),
        None => run::run(&arguments.run),
    };
    command::end("exchange", done)
}
