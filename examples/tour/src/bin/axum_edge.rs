//! HTTP at the edge, state in actors: `GET /hits` counts. Ctrl-C or SIGTERM ends it, after the last
//! answer. `cargo run -p tour --bin axum_edge -- --once` serves itself one request and ends.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use vivant::prelude::*;
use vivant_axum::{AskLimit, Problem};

#[derive(Actor)]
struct Hits {
    count: u64,
}

#[behaviours]
impl Hits {
    fn hit(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// The handler awaits the answer like any other future; a delivery error is a status.
async fn hit(State(hits): State<Address<Hits>>) -> Result<String, Problem> {
    Ok(format!("{} hits\n", hits.hit().ask().await?))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let system = System::new();
    let hits = system.spawn(Hits { count: 0 });
    let app = Router::new()
        .route("/hits", get(hit))
        .layer(AskLimit::new(Duration::from_secs(1)))
        .with_state(hits);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    println!("serving on http://{address}/hits");
    let server = vivant_axum::serve(listener, app, &system);
    if std::env::args().any(|argument| argument == "--once") {
        let (stop, stopped) = oneshot::channel::<()>();
        let server = server.until(async { drop(stopped.await) });
        let serving = tokio::spawn(server.into_future());
        let mut stream = TcpStream::connect(address).await?;
        stream
            .write_all(b"GET /hits HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        println!("{answer}");
        assert!(answer.ends_with("1 hits\n"), "{answer}");
        drop(stop);
        println!("{}", serving.await.map_err(io::Error::other)??);
        return Ok(());
    }
    println!("{}", server.await?);
    Ok(())
}
