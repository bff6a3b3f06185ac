//! The arguments of the command line.

use crate::id::Id;
use crate::manager::{CUSTOMERS_DEFAULT, CUSTOMERS_MAX, DAYS_DEFAULT};
use clap::{Args, Parser, Subcommand};
use example_load::command::positive;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Acme Air on Vivant's actors.
///
/// Without a command: loads data, serves them on a free port of this machine, sends Acme Air's mix
/// of requests to it over HTTP at a constant rate, prints and writes down the latencies, and audits
/// that no seat was sold twice. Ends with 1 if a request was not answered as it should be or the
/// audit fails.
#[derive(Clone, Debug, Parser)]
#[command(name = "airline", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// What to do instead.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to run.
    #[command(flatten)]
    pub run: RunArguments,
}

/// Commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Serves the API and a web page on 127.0.0.1 until interrupted.
    Serve(ServeArguments),
    /// Runs the load without snapshots and with them, by turns, each run in a process of its own
    /// with new data, and prints the latencies beside each other.
    Compare(CompareArguments),
}

/// What the airline has.
#[derive(Clone, Debug, Args)]
pub struct DataArguments {
    /// Customers, uid0@email.com and so on.
    #[arg(long, default_value_t = CUSTOMERS_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=i64::from(CUSTOMERS_MAX)))]
    pub customers: u32,
    /// Days in the timetable, from today; each has 394 flights. With 13, the trips that users look
    /// for have flights back.
    #[arg(long, default_value_t = DAYS_DEFAULT as u16, value_parser = clap::value_parser!(u16).range(1..=366))]
    pub days: u16,
    /// Workers of the actor system; one for each processor unless given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
}

/// Whether the airline survives the end of its process.
#[derive(Clone, Debug, Default, Args)]
pub struct SnapshotArguments {
    /// Takes a snapshot each time this number of requests was answered, and at the end. At the
    /// start the airline goes on from the newest snapshot in the folder, if there is one: it then
    /// keeps the customers and days of that one.
    #[arg(long, value_name = "REQUESTS")]
    pub snapshot_every: Option<NonZeroU64>,
    /// The snapshots' folder. Has the customers' passwords: keep it as safe as the service. By
    /// default beside the report, with its name and `.snapshots`; of `serve`, `airline.snapshots`.
    #[arg(long, value_name = "FOLDER", requires = "snapshot_every")]
    pub snapshots: Option<PathBuf>,
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 9080)]
    pub port: u16,
    /// The operator's token, a UUID: with it, a request may replace the data. Drawn and printed
    /// unless given; the environment hides it from other users of the machine.
    #[arg(long, env = "AIRLINE_OPERATOR_TOKEN", hide_env_values = true)]
    pub operator_token: Option<Id>,
    /// Writes a line for each request to standard error.
    #[arg(long)]
    pub access_log: bool,
    /// Whether it survives the end of its process.
    #[command(flatten)]
    pub snapshots: SnapshotArguments,
    /// What the airline has.
    #[command(flatten)]
    pub data: DataArguments,
}

/// What the users do.
#[derive(Clone, Debug, Args)]
pub struct LoadArguments {
    /// Duration of the load, in seconds.
    #[arg(long, default_value_t = 30.0, value_parser = positive)]
    pub seconds: f64,
    /// Requests in a second.
    #[arg(long, default_value_t = 2000.0, value_parser = positive)]
    pub rate: f64,
    /// Users, each with a connection of its own.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: u32,
    /// Seed of what users do.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// How to run the load generator.
#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    /// What the users do.
    #[command(flatten)]
    pub load: LoadArguments,
    /// Where to write the report.
    #[arg(long, default_value = "airline-report.html")]
    pub report: PathBuf,
    /// Prints one line of JSON after the table.
    #[arg(long)]
    pub json: bool,
    /// Whether the airline survives the end of its process.
    #[command(flatten)]
    pub snapshots: SnapshotArguments,
    /// What the airline has.
    #[command(flatten)]
    pub data: DataArguments,
}

/// How to compare runs with snapshots and without.
#[derive(Clone, Debug, Args)]
pub struct CompareArguments {
    /// Pairs of runs. Their order changes from pair to pair, and each pair has the next seed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rounds: u32,
    /// The requests from one snapshot to the next, in the runs with snapshots.
    #[arg(long, value_name = "REQUESTS", default_value = "1000")]
    pub snapshot_every: NonZeroU64,
    /// What the users do.
    #[command(flatten)]
    pub load: LoadArguments,
    /// Prints one line of JSON after the table.
    #[arg(long)]
    pub json: bool,
    /// What the airline has.
    #[command(flatten)]
    pub data: DataArguments,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
