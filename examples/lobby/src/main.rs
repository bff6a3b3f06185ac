//! The program: a house behind a TCP port, until Ctrl-C or SIGTERM.
#![allow(clippy::print_stdout, reason = "the program says what it does")]

use clap::Parser;
use lobby::connection::Connection;
use lobby::event::Event;
use lobby::house::House;
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::net::TcpListener;
use vivant::prelude::*;
use vivant::{Lagged, Shutdown, Subscription, Topic};

/// Limit of the time in which actors end.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// A game lobby over TCP, until Ctrl-C or SIGTERM.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Port on the loopback interface; 0 for any
    #[arg(long, default_value_t = 3300)]
    port: u16,
    /// Time for each turn, in seconds
    #[arg(long, default_value_t = 30)]
    turn_limit: u64,
}

/// Prints what happens in all rooms.
#[derive(Actor)]
struct Spectator {
    _events: Subscription,
}

#[behaviours]
impl Spectator {
    #[start]
    fn new(t: &Turn<Self>, events: Topic<Event>) -> Self {
        let _events = events.subscribe(t.me().event());
        Spectator { _events }
    }

    #[then]
    fn event(&mut self, event: Result<Event, Lagged>) {
        match event {
            Ok(event) => println!("room {}: {}", event.room, event.what),
            Err(lagged) => println!("{} events missed", lagged.missed),
        }
    }
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
    let address = listener.local_addr()?;
    let system = System::builder()
        .on_report(|report| eprintln!("{report}"))
        .build();
    let house = House::open(&system, Duration::from_secs(arguments.turn_limit));
    let _spectator = Spectator::spawn(&system, house.events.clone());
    println!("in two terminals: nc {} {}", address.ip(), address.port());
    println!("in the first: host 21; in the second: join 30; then take 1 to 3 in turn");
    println!("listening on {address}, until Ctrl-C");
    let mut end = pin!(end());
    loop {
        tokio::select! {
            ended = &mut end => break ended?,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (reader, writer) = stream.into_split();
                    house.admit(Connection::new(reader, writer));
                }
                // For example too many open files: later there may be fewer.
                Err(error) => {
                    eprintln!("cannot accept: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    let report = system
        .shutdown_async(Shutdown::after_queues().within(SHUTDOWN_LIMIT))
        .await;
    println!("{report}");
    Ok(())
}

#[cfg(unix)]
async fn end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminated.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
