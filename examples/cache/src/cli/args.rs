//! The arguments of the command line.

use super::target::Endpoints;
use crate::load::Plan;
use crate::page::Pages;
use crate::store::Kind;
use crate::stripes::Settings;
use clap::{Args, Parser, Subcommand};
use example_load::command::positive;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;
use vivant::heap::{Marking, Pacing};

/// An LRU page cache on Vivant's actors, behind HTTP.
///
/// Without a command: starts two servers, one with a cache that is a graph in a collected heap, one
/// with a hash map in plain memory. It fills both, requests pages from each in turn at a constant
/// rate, prints the latencies, and audits both. Ends with 1 if a page did not come, was not the
/// right one, or an audit fails.
#[derive(Clone, Debug, Parser)]
#[command(name = "cache", version, args_conflicts_with_subcommands = true)]
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
    /// Fills a cache and serves it on 127.0.0.1, until interrupted or requested to stop.
    Serve(ServeArguments),
    /// Asks a server for pages at a constant rate. It must have the same pages: seed and size.
    Load(LoadArguments),
}

/// The pages, and the requested titles.
#[derive(Clone, Debug, Args)]
pub struct PageArguments {
    /// Titles that are asked for.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub titles: u32,
    /// Average length of a page, in bytes.
    #[arg(long, default_value_t = 1536, value_parser = clap::value_parser!(u32).range(256..=1_000_000))]
    pub page_bytes: u32,
    /// Seed of pages, and of the requested titles.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What the cache is.
#[derive(Clone, Debug, Args)]
pub struct CacheArguments {
    /// Entries.
    #[arg(long, default_value_t = 640_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub capacity: u32,
    /// Caches that share the titles among them, each an actor. With one, one large heap is under
    /// test.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub stripes: u16,
    /// Workers of the actor system; one for each processor unless given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// How the heaps of graphs are marked: concurrent, at-once or never.
    #[arg(long, default_value_t = Marking::Concurrent)]
    pub collector: Marking,
    /// By which factor a heap of graphs grows before it is marked again; a large one by a quarter
    /// of that.
    #[arg(long, default_value_t = Pacing::new().growth, value_parser = factor)]
    pub growth: f64,
}

/// How requests come.
#[derive(Clone, Debug, Args)]
pub struct RateArguments {
    /// Duration of the measured requests, in seconds.
    #[arg(long, default_value_t = 10.0, value_parser = positive)]
    pub seconds: f64,
    /// Duration of requests before the measured ones, in seconds, in each round.
    #[arg(long, default_value_t = 1.0, value_parser = not_negative)]
    pub warm: f64,
    /// Requests in a second.
    #[arg(long, default_value_t = 2000.0, value_parser = positive)]
    pub rate: f64,
    /// Connections.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: u32,
    /// Number of rounds for each server, in turn.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Pause without requests before each round, in seconds. An idle heap is collected then, and
    /// should not be while another server is measured.
    #[arg(long, default_value_t = 5.0, value_parser = not_negative)]
    pub pause: f64,
    /// Prints one line of JSON after the table.
    #[arg(long)]
    pub json: bool,
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 3000)]
    pub port: u16,
    /// How the cache is built.
    #[arg(long, default_value_t = Kind::Graph)]
    pub store: Kind,
    /// What the cache is.
    #[command(flatten)]
    pub cache: CacheArguments,
    /// What pages there are.
    #[command(flatten)]
    pub pages: PageArguments,
}

/// How to ask.
#[derive(Clone, Debug, Args)]
pub struct LoadArguments {
    /// Where the server listens.
    #[arg(long, default_value = "127.0.0.1:3000")]
    pub server: SocketAddr,
    /// The server has pages only, no statistics: there is no audit, and the report has the load
    /// generator's numbers alone.
    #[arg(long)]
    pub pages_only: bool,
    /// How requests come.
    #[command(flatten)]
    pub rate: RateArguments,
    /// What pages there are.
    #[command(flatten)]
    pub pages: PageArguments,
}

/// How to do both.
#[derive(Clone, Debug, Args)]
pub struct RunArguments {
    /// How the cache is built; may be given twice.
    #[arg(long, default_values_t = [Kind::Graph, Kind::Plain])]
    pub store: Vec<Kind>,
    /// How requests come.
    #[command(flatten)]
    pub rate: RateArguments,
    /// What the cache is.
    #[command(flatten)]
    pub cache: CacheArguments,
    /// What pages there are.
    #[command(flatten)]
    pub pages: PageArguments,
}

impl PageArguments {
    pub(super) fn pages(&self) -> Pages {
        Pages {
            seed: self.seed,
            mean_bytes: self.page_bytes,
        }
    }

    /// The arguments with which another process has the same pages.
    fn words(&self) -> [String; 3] {
        [
            format!("--titles={}", self.titles),
            format!("--page-bytes={}", self.page_bytes),
            format!("--seed={}", self.seed),
        ]
    }
}

impl RateArguments {
    /// Waits until the servers are idle.
    pub(super) fn rest(&self) {
        thread::sleep(Duration::from_secs_f64(self.pause));
    }

    pub(super) fn plan(&self, pages: &PageArguments, round: u32) -> Plan {
        Plan {
            warm: Duration::from_secs_f64(self.warm),
            duration: Duration::from_secs_f64(self.seconds),
            rate: self.rate,
            connections: self.connections,
            // Not the seed with which caches are filled.
            seed: pages
                .seed
                .wrapping_add(1 + u64::from(round))
                .rotate_left(17),
            pages: pages.pages(),
        }
    }
}

impl LoadArguments {
    pub(super) fn endpoints(&self) -> Endpoints {
        match self.pages_only {
            true => Endpoints::PagesOnly,
            false => Endpoints::All,
        }
    }
}

impl ServeArguments {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            kind: self.store,
            capacity: self.cache.capacity as usize,
            stripes: self.cache.stripes.into(),
            pages: self.pages.pages(),
        }
    }
}

impl RunArguments {
    /// The arguments of a server.
    pub(super) fn serve(&self, store: Kind) -> Vec<String> {
        let mut words = vec![
            "serve".to_owned(),
            "--port=0".to_owned(),
            format!("--store={store}"),
            format!("--capacity={}", self.cache.capacity),
            format!("--stripes={}", self.cache.stripes),
            format!("--collector={}", self.cache.collector),
            format!("--growth={}", self.cache.growth),
        ];
        words.extend(self.cache.workers.map(|it| format!("--workers={it}")));
        words.extend(self.pages.words());
        words
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(0.0) => Ok(0.0),
        _ => positive(text),
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 1.0 && number <= 1000.0 => Ok(number),
        _ => Err("it must be a number above 1 and at most 1,000".to_owned()),
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

    #[test]
    fn a_server_gets_the_arguments_of_the_run() {
        let words = [
            "cache",
            "--capacity=9",
            "--stripes=2",
            "--workers=3",
            "--growth=1.5",
            "--seed=8",
        ];
        let run = Arguments::parse_from(words).run;
        let serve = |store| {
            let words = run.serve(store);
            let words = std::iter::once("cache".to_owned()).chain(words);
            match Arguments::parse_from(words).command {
                Some(Command::Serve(serve)) => serve,
                other => panic!("{other:?}"),
            }
        };
        let plain = serve(Kind::Plain);
        assert_eq!(plain.settings().kind, Kind::Plain);
        let graph = serve(Kind::Graph);
        assert_eq!(graph.settings().kind, Kind::Graph);
        assert_eq!(
            (graph.settings().capacity, graph.settings().stripes),
            (9, 2)
        );
        assert_eq!(graph.settings().pages, run.pages.pages());
        assert_eq!((graph.cache.workers, graph.port), (Some(3), 0));
        assert_eq!((graph.cache.growth, plain.cache.growth), (1.5, 1.5));
        assert_eq!(graph.pages.titles, run.pages.titles);
    }
}
