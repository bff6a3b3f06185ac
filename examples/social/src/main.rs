//! The program: serves a network until Ctrl-C or SIGTERM.
#![allow(clippy::print_stdout, reason = "the program says what it does")]

use clap::Parser;
use social::network::Network;
use std::error::Error;
use tokio::net::TcpListener;
use vivant::System;

/// Serves a social network over HTTP, until Ctrl-C or SIGTERM.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Port on the loopback interface; 0 for any
    #[arg(long, default_value_t = 3100)]
    port: u16,
    /// Number of shards
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    shards: u16,
    /// Number of people to begin with
    #[arg(long, default_value_t = 1000)]
    people: usize,
    /// Seed of the follows
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let system = System::builder()
        .on_report(|report| eprintln!("{report}"))
        .build();
    let network = Network::open(&system, arguments.shards.into());
    social::demo::fill(&network, arguments.people, arguments.seed).await?;
    println!(
        "{} people in {} shards; try",
        arguments.people, arguments.shards
    );
    println!("  curl {url}/popular");
    println!("  curl {url}/people/1/suggestions");
    println!("  curl {url}/people/1/feed");
    println!("  curl -X DELETE {url}/people/1 && curl {url}/census");
    println!("serving on {url}, until Ctrl-C");
    let ended = vivant_axum::serve(listener, social::http::router(network), &system).await?;
    println!("{ended}");
    Ok(())
}
