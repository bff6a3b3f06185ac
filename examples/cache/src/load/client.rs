//! A connection to the server that is kept.

use crate::http::FOUND_HEADER;
use crate::store::Found;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HOST;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A connection.
#[derive(Debug)]
pub struct Client {
    server: SocketAddr,
    sender: Option<SendRequest<Empty<Bytes>>>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Where the page was, if it is one.
    pub found: Option<Found>,
    /// Its body.
    pub body: Bytes,
}

/// No answer came.
#[derive(Debug)]
pub enum NoAnswer {
    /// The server could not be reached.
    Unreachable(io::Error),
    /// The connection failed.
    Broken(hyper::Error),
    /// It took too long.
    TimedOut,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Unreachable(error) => write!(f, "the server cannot be reached: {error}"),
            NoAnswer::Broken(error) => write!(f, "the connection failed: {error}"),
            NoAnswer::TimedOut => write!(f, "no answer came within {TIMEOUT:?}"),
        }
    }
}

impl std::error::Error for NoAnswer {}

impl Client {
    /// A client of this server; it connects when it has something to send.
    #[must_use]
    pub fn new(server: SocketAddr) -> Client {
        Client {
            server,
            sender: None,
        }
    }

    /// Asks for a path, and waits for the answer.
    ///
    /// # Errors
    ///
    /// No answer came. The next request gets a new connection.
    pub async fn get(&mut self, path: &str) -> Result<Answer, NoAnswer> {
        self.send(Method::GET, path).await
    }

    /// Posts nothing to a path, and waits for the answer.
    ///
    /// # Errors
    ///
    /// No answer came. The next request gets a new connection.
    pub async fn post(&mut self, path: &str) -> Result<Answer, NoAnswer> {
        self.send(Method::POST, path).await
    }

    async fn send(&mut self, method: Method, path: &str) -> Result<Answer, NoAnswer> {
        let exchange = self.exchange(method, path);
        let answer = tokio::time::timeout(TIMEOUT, exchange).await;
        let answer = answer.unwrap_or(Err(NoAnswer::TimedOut));
        if answer.is_err() {
            self.sender = None;
        }
        answer
    }

    /// Connects, if there is no connection yet.
    ///
    /// # Errors
    ///
    /// The server cannot be reached.
    pub async fn connect(&mut self) -> Result<(), NoAnswer> {
        if self.sender.as_ref().is_some_and(|it| !it.is_closed()) {
            return Ok(());
        }
        let stream = TcpStream::connect(self.server).await;
        let stream = stream.map_err(NoAnswer::Unreachable)?;
        stream.set_nodelay(true).map_err(NoAnswer::Unreachable)?;
        let connected = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = connected.map_err(NoAnswer::Broken)?;
        // Its error, if it has one, is also that of the request which waits for it.
        tokio::spawn(async move { drop(connection.await) });
        self.sender = Some(sender);
        Ok(())
    }

    async fn exchange(&mut self, method: Method, path: &str) -> Result<Answer, NoAnswer> {
        self.connect().await?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.server.to_string())
            .body(Empty::new())
            .expect("paths are numbers or constants");
        let Some(sender) = &mut self.sender else {
            unreachable!("it has just been connected")
        };
        sender.ready().await.map_err(NoAnswer::Broken)?;
        let answer = sender.send_request(request).await;
        let (head, body) = answer.map_err(NoAnswer::Broken)?.into_parts();
        let found = head.headers.get(FOUND_HEADER);
        let found = found.map(|it| match it.as_bytes() {
            b"hit" => Found::Hit,
            _ => Found::Miss,
        });
        let body = body.collect().await.map_err(NoAnswer::Broken)?;
        Ok(Answer {
            status: head.status,
            found,
            body: body.to_bytes(),
        })
    }
}
