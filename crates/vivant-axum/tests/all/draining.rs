//! The end of a server: no request that has reached it is lost.

use crate::client::Client;
use crate::server::TestServer;
use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::routing::get;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use vivant::Shutdown;
use vivant::prelude::*;
use vivant_axum::{Problem, Signals, serve};

/// A limit that no test reaches.
const AGES: Duration = Duration::from_secs(3600);

/// Answers when it is told to.
#[derive(Actor)]
struct Gate {
    waiting: Vec<Resolver<u64>>,
}

#[behaviours]
impl Gate {
    fn pass(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    fn count(&mut self) -> usize {
        self.waiting.len()
    }

    fn open(&mut self) {
        for resolver in self.waiting.drain(..) {
            resolver.resolve(7);
        }
    }
}

async fn pass(State(gate): State<Address<Gate>>) -> Result<String, Problem> {
    Ok(gate.pass().ask().await?.to_string())
}

fn gated() -> (System, Address<Gate>, Router) {
    let system = System::builder().workers(1).build();
    let gate = system.spawn(Gate {
        waiting: Vec::new(),
    });
    let app = Router::new()
        .route("/pass", get(pass))
        .route("/alive", get(async || "alive"))
        .with_state(gate.clone());
    (system, gate, app)
}

/// Waits until so many requests are under way.
async fn under_way(gate: &Address<Gate>, count: usize) {
    while gate.count().ask().await != Ok(count) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn requests_under_way_are_answered_and_then_the_system_ends() {
    let (system, gate, app) = gated();
    let server = TestServer::start(app, &system).await;
    let mut client = server.client().await;
    client.send("GET", "/pass").await;
    under_way(&gate, 1).await;
    let address = server.address;
    let ended = server.end();
    // The listener is closed before the answer is there.
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.count().ask().await, Ok(1), "the actors live on");
    gate.open().send();
    let answer = client.answer().await;
    assert_eq!((answer.status(), answer.body.as_str()), (200, "7"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(client.closed().await, "");
    let ended = ended.await.unwrap().unwrap();
    assert_eq!(ended.cut_off, 0);
    assert!(ended.system.is_complete(), "{ended}");
    assert!(gate.count().ask().await.is_err());
}

/// None of them is accepted yet. Linux keeps 128 of a listener at least.
#[tokio::test]
async fn connections_that_wait_to_be_accepted_are_served() {
    const CLIENTS: usize = 100;
    let (system, _gate, app) = gated();
    let server = TestServer::configured(app, &system, |it| it.idle_grace(AGES).drain_limit(AGES));
    let server = server.await;
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|_| std::net::TcpStream::connect(server.address).unwrap())
        .collect();
    let ended = server.end();
    let mut answers = JoinSet::new();
    for stream in clients.drain(..) {
        stream.set_nonblocking(true).unwrap();
        let mut client = Client::of(TcpStream::from_std(stream).unwrap());
        answers.spawn(async move { client.get("/alive").await.status() });
    }
    assert_eq!(answers.join_all().await, [200; CLIENTS]);
    assert_eq!(ended.await.unwrap().unwrap().cut_off, 0);
}

#[tokio::test]
async fn idle_connections_do_not_keep_it_open_and_may_send_one_request_more() {
    let (system, _gate, app) = gated();
    let server = TestServer::configured(app, &system, |it| it.idle_grace(AGES).drain_limit(AGES));
    let server = server.await;
    let mut busy = server.client().await;
    let answer = busy.get("/alive").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.header("connection"), None);
    let address = server.address;
    let ended = server.end();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let answer = busy.get("/alive").await;
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(busy.closed().await, "");
    assert_eq!(ended.await.unwrap().unwrap().cut_off, 0);

    let (system, _gate, app) = gated();
    let server = TestServer::configured(app, &system, |it| {
        it.idle_grace(Duration::ZERO).drain_limit(AGES)
    });
    let server = server.await;
    let mut idle = server.client().await;
    assert_eq!(idle.get("/alive").await.status(), 200);
    let ended = server.end();
    assert_eq!(idle.closed().await, "");
    assert_eq!(ended.await.unwrap().unwrap().cut_off, 0);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_cut_off() {
    let (system, gate, app) = gated();
    let limit = Duration::from_millis(20);
    let server = TestServer::configured(app, &system, |it| it.drain_limit(limit)).await;
    let mut client = server.client().await;
    client.send("GET", "/pass").await;
    under_way(&gate, 1).await;
    let ended = server.ended().await;
    assert_eq!(ended.cut_off, 1);
    assert_eq!(client.closed().await, "");
    assert!(ended.system.is_complete(), "{ended}");
}

/// Counts on its own time: the handler does not wait for it.
#[derive(Actor)]
struct Meter {
    sum: u64,
    total: tokio::sync::mpsc::UnboundedSender<u64>,
}

#[behaviours]
impl Meter {
    fn add(&mut self, t: &Turn<Self>, times: u64) {
        self.sum += 1;
        let _gone = self.total.send(self.sum);
        if times > 1 {
            t.send(t.me().add(times - 1));
        }
    }
}

#[tokio::test]
async fn messages_of_handlers_are_processed_before_the_system_ends() {
    const TIMES: u64 = 10_000;
    let system = System::builder().workers(1).build();
    let (total, mut totals) = tokio::sync::mpsc::unbounded_channel();
    let add = async |State(meter): State<Address<Meter>>| meter.add(TIMES).send();
    let meter = system.spawn(Meter { sum: 0, total });
    let app = Router::new().route("/add", get(add)).with_state(meter);
    let server = TestServer::configured(app, &system, |it| {
        it.idle_grace(Duration::ZERO)
            .shutdown(Shutdown::after_queues())
    });
    let server = server.await;
    assert_eq!(server.get("/add").await.status(), 200);
    let ended = server.ended().await;
    assert_eq!(ended.system.unprocessed, 0, "{ended}");
    let mut last = 0;
    while let Some(total) = totals.recv().await {
        last = total;
    }
    assert_eq!(last, TIMES);
}

#[tokio::test]
async fn drained_leaves_the_actors_alive() {
    let (system, gate, app) = gated();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let drained = serve(listener, app, &system).until(async {}).drained();
    assert_eq!(drained.await.unwrap(), 0);
    assert_eq!(gate.count().ask().await, Ok(0));
}

/// Clients that send all the time: each request that was written is answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_lost_under_load() {
    const CLIENTS: usize = 32;
    let (system, _gate, app) = gated();
    let server = TestServer::configured(app, &system, |it| it.idle_grace(AGES).drain_limit(AGES));
    let server = server.await;
    let mut clients = JoinSet::new();
    let (answered, mut all_answered) = tokio::sync::mpsc::channel(CLIENTS);
    for _ in 0..CLIENTS {
        let (mut client, answered) = (server.client().await, answered.clone());
        clients.spawn(async move {
            for number in 0.. {
                let answer = client.get("/alive").await;
                assert_eq!(answer.status(), 200);
                if number == 100 {
                    answered.send(()).await.unwrap();
                }
                if answer.header("connection") == Some("close") {
                    assert_eq!(client.closed().await, "");
                    return;
                }
            }
        });
    }
    for _ in 0..CLIENTS {
        all_answered.recv().await.unwrap();
    }
    let ended = server.ended().await;
    assert_eq!(ended.cut_off, 0);
    clients.join_all().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_ends_it() {
    let (system, _gate, app) = gated();
    let mut signals = Signals::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = serve(listener, app, &system).until(async move { signals.received().await });
    let served = tokio::spawn(server.into_future());
    let number = std::process::id().to_string();
    let killed = Command::new("kill").args(["-TERM", &number]).status();
    assert!(killed.unwrap().success());
    assert_eq!(served.await.unwrap().unwrap().cut_off, 0);
}

#[tokio::test]
async fn handlers_know_the_address_of_the_client() {
    let system = System::builder().workers(1).build();
    let peer = async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string();
    let app = Router::new().route("/", get(peer));
    let server = TestServer::start(app, &system).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let own = stream.local_addr().unwrap().to_string();
    assert_eq!(Client::of(stream).get("/").await.body, own);
}
