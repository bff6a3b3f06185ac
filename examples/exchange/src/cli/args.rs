//! The arguments of the command line.

use crate::gateway::Balance;
use crate::race::Course;
use clap::{Args, Parser, Subcommand};
use example_load::command::positive;
use std::path::PathBuf;

/// An exchange on Vivant's actors.
///
/// Without a command: sends orders at a constant rate to order books that are graphs, publishes
/// market data to readers, hands instruments over from shard to shard meanwhile, prints and writes
/// down the latencies, and audits that everything is accounted for. Then compares the book with
/// others in one thread. Ends with 1 if an order was not answered or the audit fails.
#[derive(Clone, Debug, Parser)]
#[command(name = "exchange", version, args_conflicts_with_subcommands = true)]
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
    /// Runs only the comparison of books.
    Books(BookArguments),
}

/// How to run.
#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    /// Duration of the load, in seconds.
    #[arg(long, default_value_t = 15.0, value_parser = positive)]
    pub seconds: f64,
    /// Orders in a second.
    #[arg(long, default_value_t = 20_000.0, value_parser = positive)]
    pub rate: f64,
    /// Instruments.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub symbols: u32,
    /// Approximate number of resting orders in each book.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub resting: u32,
    /// Traders.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub traders: u32,
    /// Readers of market data.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub readers: u32,
    /// Number of orders after which the busiest shard hands half of its instruments over; 0: never.
    #[arg(long, default_value_t = 5000)]
    pub hand_over_every: u64,
    /// Limit of the shards; at the limit, instruments go to the least busy one.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub shards: u16,
    /// Workers of the actor system; one for each processor unless given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Seed of the orders.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Where to write the report.
    #[arg(long, default_value = "exchange-report.html")]
    pub report: PathBuf,
    /// Prints one line of JSON after the table.
    #[arg(long)]
    pub json: bool,
    /// Number of orders for each book in the comparison of books; 0: no comparison.
    #[arg(long, default_value_t = 500_000, value_parser = clap::value_parser!(u32).range(..=100_000_000))]
    pub book_orders: u32,
}

/// How to compare books.
#[derive(Clone, Debug, Args)]
pub struct BookArguments {
    /// Orders of each run.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub orders: u32,
    /// Runs of each book.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub rounds: u16,
    /// Approximate number of resting orders in the book.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub resting: u32,
    /// Seed of the orders.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl RunArguments {
    pub(super) fn balance(&self) -> Balance {
        Balance {
            every: self.hand_over_every,
            shards_max: self.shards.into(),
        }
    }

    pub(super) fn course(&self) -> Option<Course> {
        (self.book_orders > 0).then_some(Course {
            orders: self.book_orders as usize,
            rounds: 5,
            resting: 10_000,
            seed: self.seed,
        })
    }
}

impl BookArguments {
    pub(super) fn course(&self) -> Course {
        Course {
            orders: self.orders as usize,
            rounds: self.rounds.into(),
            resting: self.resting as usize,
            seed: self.seed,
        }
    }
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
