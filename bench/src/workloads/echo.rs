//! A server that answers over TCP, one actor behind it: the latency of a client, while the server
//! has no other work (hot) and after all threads have gone to sleep (idle).
//!
//! Protocol: our own. A client sends 64 bytes over one connection of the loopback device and waits
//! for them. A task of tokio reads them, sends the actor a request, awaits its answer and writes it
//! back. Client and server are one process; the client is a thread that blocks. Tokio has as many
//! workers as the system. With `--server bare` the task answers itself, without an actor: this is
//! the share of the machine, the kernel and tokio.
//!
//! Timed: each round trip as the client sees it. `wall_s` is their sum, without pauses; `cpu_s`
//! counts client and server, pauses included. An operation is a round trip.

use crate::prelude::*;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use vivant::prelude::*;

/// Bytes of a packet, in each direction.
const PACKET: usize = 64;

/// Round trips before those that count.
const WARM_UP: u64 = 1_000;

pub(super) const ECHO: Bench = Bench::new(
    Group::Latency,
    "echo",
    "an actor answers over TCP: busy, and after pauses",
    &[
        Param::choice(
            "mode",
            &["both", "hot", "idle"],
            "with pauses, without, or both",
        ),
        Param::choice(
            "server",
            &["actor", "bare"],
            "what answers: an actor, or the task of tokio by itself",
        ),
        Param::count("round_trips", 20_000, 50, "round trips without pauses"),
        Param::count("wakes", 100, 3, "round trips with a pause before each"),
        Param::count("pause_ms", 50, 2, "length of a pause"),
    ],
    run,
);

#[derive(Actor)]
struct Echo;

#[behaviours]
impl Echo {
    fn echo(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        bytes
    }
}

/// Accepts one connection and answers until it is closed.
async fn serve(listener: TcpListener, actor: Option<Address<Echo>>) -> Result<(), Failure> {
    let (mut stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut bytes = vec![0; PACKET];
    while stream.read_exact(&mut bytes).await.is_ok() {
        let answer = match &actor {
            Some(actor) => actor.echo(bytes.clone()).ask().await?,
            None => bytes.clone(),
        };
        stream.write_all(&answer).await?;
    }
    Ok(())
}

fn connect(tokio: &Runtime, actor: Option<Address<Echo>>) -> io::Result<TcpStream> {
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = tokio.block_on(TcpListener::bind(any_port))?;
    let server = listener.local_addr()?;
    // When it fails the connection ends, and the client sees that.
    tokio.spawn(serve(listener, actor));
    let stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The client's side of one measurement.
#[derive(Default)]
struct Client {
    /// Bytes sent so far: each packet is full of its number.
    sent: u64,
    right: u64,
    waited: Duration,
}

impl Client {
    fn round_trip(&mut self, stream: &mut TcpStream) -> io::Result<Duration> {
        self.sent += 1;
        let packet = [self.sent as u8; PACKET];
        let mut answer = [0; PACKET];
        let began = Instant::now();
        stream.write_all(&packet)?;
        stream.read_exact(&mut answer)?;
        let took = began.elapsed();
        self.right += u64::from(answer == packet);
        self.waited += took;
        Ok(took)
    }
}

fn measure(
    run: &Run,
    stream: &mut TcpStream,
    mode: &'static str,
    round_trips: u64,
    pause: Duration,
) -> Result<Figures, Failure> {
    let mut client = Client::default();
    let mut latencies = Latencies::new();
    let meter = Meter::start();
    for _ in 0..round_trips {
        if !pause.is_zero() {
            thread::sleep(pause);
        }
        latencies.record(client.round_trip(stream)?);
    }
    let cpu = meter.stop().cpu;
    let wall = client.waited;
    let check = run.check("packets that came back", round_trips, client.right)?;
    let mut figures = Figures::new(Spent { wall, cpu }, round_trips, check);
    figures.latency = Some(latencies.quantiles());
    figures.params.push(("mode", Value::Choice(mode)));
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let tokio = runtime::Builder::new_multi_thread()
        .worker_threads(run.threads)
        .enable_io()
        .build()?;
    let system = run.system();
    let actor = (run.choice("server") == "actor").then(|| system.spawn(Echo));
    let mut stream = connect(&tokio, actor)?;
    let mut warm_up = Client::default();
    for _ in 0..WARM_UP.min(run.count("round_trips")) {
        warm_up.round_trip(&mut stream)?;
    }
    let mode = run.choice("mode");
    let mut figures = Vec::new();
    if mode != "idle" {
        let round_trips = run.count("round_trips");
        figures.push(measure(
            run,
            &mut stream,
            "hot",
            round_trips,
            Duration::ZERO,
        )?);
    }
    if mode != "hot" {
        let pause = Duration::from_millis(run.count("pause_ms"));
        figures.push(measure(
            run,
            &mut stream,
            "idle",
            run.count("wakes"),
            pause,
        )?);
    }
    Ok(figures)
}
