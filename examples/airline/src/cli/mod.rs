//! The command line.
//!
//! - [`Arguments`]: the arguments.
//! - `run`: the load generator; `serve`: the server alone; `compare`: pairs of runs.
//! - [`Instance`]: the common part of both: a system with an airline, and a server in front.

mod args;
mod compare;
mod instance;
mod run;
mod serve;

pub use args::{
    Arguments, Command, CompareArguments, DataArguments, LoadArguments, RunArguments,
    ServeArguments, SnapshotArguments,
};
pub use instance::{Closed, Instance, Saving};

use example_load::command;
use std::process::ExitCode;

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Some(Command::Serve(arguments)) => serve::serve(arguments),
        Some(Command::Compare(arguments)) => compare::compare(arguments),
        None => run::run(&arguments.run),
    };
    command::end("airline", done)
}
