//! The command line.
//!
//! - [`Arguments`]: the arguments.
//! - `serve`: the server alone, in an [`Instance`]; `load`: the load generator alone.
//! - `run`: both, with a server in a process of its own for each store, so that the memory of each
//!   is measured alone. `target`: a server under load.

mod args;
mod instance;
mod load;
mod run;
mod serve;
mod target;

pub use args::{
    Arguments, CacheArguments, Command, LoadArguments, PageArguments, RateArguments, RunArguments,
    ServeArguments,
};
pub use instance::Instance;

use example_load::command;
use std::process::ExitCode;

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Some(Command::Serve(arguments)) => serve::serve(arguments).map(|()| true),
        Some(Command::Load(arguments)) => load::load(arguments),
        None => run::run(&arguments.run),
    };
    command::end("cache", done)
}
