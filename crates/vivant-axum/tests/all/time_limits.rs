//! Limits of time: of asks, and of clients that send slowly or nothing.

use crate::client::Client;
use crate::server::TestServer;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::get;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;
use vivant_axum::{AskLimit, Problem};

/// Never answers.
#[derive(Actor)]
struct Well {
    promised: Vec<Resolver<u64>>,
}

#[behaviours]
impl Well {
    fn depth(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.promised.push(resolver);
        promise
    }

    fn asked(&mut self) -> usize {
        self.promised.len()
    }
}

async fn depth(State(well): State<Address<Well>>) -> Result<String, Problem> {
    Ok(well.depth().ask().await?.to_string())
}

#[tokio::test]
async fn an_ask_that_outlives_the_limit_is_a_timeout() {
    let system = System::builder().workers(1).build();
    let well = system.spawn(Well {
        promised: Vec::new(),
    });
    let app = Router::new()
        .route("/depth", get(depth))
        .route("/alive", get(async || "alive"))
        .layer(AskLimit::new(Duration::from_millis(20)))
        .with_state(well.clone());
    let server = TestServer::start(app, &system).await;
    let answer = server.get("/depth").await;
    assert_eq!(answer.status(), 504);
    assert!(answer.body.contains("no answer came in time"), "{answer:?}");
    assert_eq!(well.asked().ask().await, Ok(1));
    assert_eq!(server.get("/alive").await.body, "alive");
}

async fn impatient(limit: Duration) -> (TestServer, System) {
    let system = System::builder().workers(1).build();
    let app = Router::new().route("/", get(async || "alive"));
    let server = TestServer::configured(app, &system, |it| it.header_limit(limit)).await;
    (server, system)
}

#[tokio::test]
async fn clients_that_send_no_whole_head_are_disconnected() {
    let (server, _system) = impatient(Duration::from_millis(50)).await;
    let mut silent = server.client().await;
    let mut slow = server.client().await;
    slow.write("GET / HTTP/1.1\r\nHost: he").await;
    let mut idle = server.client().await;
    assert_eq!(idle.get("/").await.status(), 200);
    for client in [&mut silent, &mut slow, &mut idle] {
        let rest = client.closed().await;
        assert!(rest.is_empty() || rest.contains("408"), "{rest}");
    }
}

/// Bytes that tell when they are dropped.
struct Large {
    bytes: Vec<u8>,
    _dropped: tokio::sync::mpsc::Sender<()>,
}

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// More than the sockets of both sides can hold.
const LARGE_BYTES: usize = 64 << 20;

#[tokio::test]
async fn a_client_that_takes_no_answer_is_disconnected_and_the_answer_dropped() {
    let system = System::builder().workers(1).build();
    let (dropped, mut all_dropped) = tokio::sync::mpsc::channel(1);
    let large = async move || {
        Bytes::from_owner(Large {
            bytes: vec![0; LARGE_BYTES],
            _dropped: dropped.clone(),
        })
    };
    // The route would keep its sender.
    let dropped = Arc::new(Mutex::new(Some(large)));
    let take = async move || {
        let large = dropped.lock().unwrap().take();
        large.expect("one request")().await
    };
    let app = Router::new().route("/", get(take));
    let limit = Duration::from_millis(50);
    let server = TestServer::configured(app, &system, |it| it.write_limit(limit)).await;
    let mut client = server.client().await;
    client.send("GET", "/").await;
    assert_eq!(all_dropped.recv().await, None, "no sender is left");
    // What the sockets have of it, and then the end.
    assert!(client.bytes_to_the_end().await < LARGE_BYTES);
}

/// Self-test: without the limit, the same clients stay connected.
#[tokio::test]
async fn canary_without_a_short_limit_they_stay() {
    let (server, _system) = impatient(Duration::from_secs(3600)).await;
    let mut slow = server.client().await;
    slow.write("GET / HTTP/1.1\r\nHost: he").await;
    assert_eq!(
        Client::connect(server.address)
            .await
            .get("/")
            .await
            .status(),
        200
    );
    slow.write("re\r\n\r\n").await;
    assert_eq!(slow.answer().await.status(), 200);
}
