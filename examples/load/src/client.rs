//! A client: one connection to a server, which is kept, and the session that the server gave it.
//!
//! It is hyper's connection and not reqwest's pool. A user connects before its first request is
//! due, and the generator shares the processors with the server: through reqwest 0.13, 64 users
//! need 1.4 times as long for the same requests, and connecting is in their latencies.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::{self, Runtime};

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A connection, and its cookie.
#[derive(Debug)]
pub struct Client {
    server: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
    cookie: Option<String>,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    method: Method,
    path: String,
    headers: Vec<(HeaderName, String)>,
    body: Option<(&'static str, String)>,
}

impl Ask {
    /// A GET.
    pub fn get(path: impl Into<String>) -> Ask {
        Ask {
            method: Method::GET,
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// A POST of a form.
    pub fn form(path: impl Into<String>, fields: &[(&str, &str)]) -> Ask {
        let pair = |(name, value): &(&str, &str)| format!("{name}={}", encoded(value));
        let form = fields.iter().map(pair).collect::<Vec<_>>().join("&");
        Ask::post(path, "application/x-www-form-urlencoded", form)
    }

    /// A POST of a body.
    pub fn post(path: impl Into<String>, content_type: &'static str, body: String) -> Ask {
        Ask {
            body: Some((content_type, body)),
            ..Ask::get(path).method(Method::POST)
        }
    }

    /// The same with a header more.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Ask {
        self.headers.push((name, value.into()));
        self
    }

    /// The same with another method.
    #[must_use]
    pub fn method(self, method: Method) -> Ask {
        Ask { method, ..self }
    }
}

/// Characters that need no escape in a form and a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Escapes a value for a form or a path.
#[must_use]
pub fn encoded(value: &str) -> String {
    utf8_percent_encode(value, PLAIN).to_string()
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    /// A client of this server. It connects with its first request, or by [`Client::connect`].
    #[must_use]
    pub fn new(server: SocketAddr) -> Client {
        Client {
            server,
            sender: None,
            cookie: None,
        }
    }

    /// Sends a request and waits for its answer, which may change the cookie.
    ///
    /// # Errors
    ///
    /// No answer came. The next request gets a new connection.
    pub async fn send(&mut self, ask: Ask) -> io::Result<Answer> {
        let answer = tokio::time::timeout(TIMEOUT, self.exchange(ask)).await;
        let late = |_| Err(failed(&format_args!("no answer came within {TIMEOUT:?}")));
        let answer = answer.unwrap_or_else(late);
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
    pub async fn connect(&mut self) -> io::Result<()> {
        if self.sender.as_ref().is_some_and(|it| !it.is_closed()) {
            return Ok(());
        }
        let unreachable = |error| failed(&format_args!("the server cannot be reached: {error}"));
        let stream = TcpStream::connect(self.server).await.map_err(unreachable)?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(broken)?;
        // Its error, if it has one, is also that of the request which waits for it.
        tokio::spawn(async move { drop(connection.await) });
        self.sender = Some(sender);
        Ok(())
    }

    async fn exchange(&mut self, ask: Ask) -> io::Result<Answer> {
        self.connect().await?;
        let request = self.request(ask)?;
        let Some(sender) = &mut self.sender else {
            unreachable!("it has just been connected")
        };
        sender.ready().await.map_err(broken)?;
        let (head, body) = sender
            .send_request(request)
            .await
            .map_err(broken)?
            .into_parts();
        if let Some(cookie) = head.headers.get(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap_or_default();
            let pair = cookie.split(';').next().unwrap_or_default();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body: body.collect().await.map_err(broken)?.to_bytes(),
        })
    }

    fn request(&self, ask: Ask) -> io::Result<Request<Full<Bytes>>> {
        let (content_type, body) = ask.body.unzip();
        let mut request = Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header(HOST, self.server.to_string());
        for (name, value) in [
            (COOKIE, self.cookie.as_deref()),
            (CONTENT_TYPE, content_type),
        ] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        for (name, value) in ask.headers {
            request = request.header(name, value);
        }
        let body = Full::new(body.unwrap_or_default().into());
        request.body(body).map_err(io::Error::other)
    }
}

fn broken(error: hyper::Error) -> io::Error {
    failed(&format_args!("the connection failed: {error}"))
}

fn failed(why: &dyn Display) -> io::Error {
    io::Error::other(why.to_string())
}

/// A client that waits for its answers.
#[derive(Debug)]
pub struct Caller {
    runtime: Runtime,
    client: Client,
}

impl Caller {
    /// A caller of this server.
    ///
    /// # Errors
    ///
    /// The system refuses a runtime.
    pub fn new(server: SocketAddr) -> io::Result<Caller> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let client = Client::new(server);
        Ok(Caller { runtime, client })
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    ///
    /// No answer came.
    pub fn ask(&mut self, ask: Ask) -> io::Result<Answer> {
        self.runtime.block_on(self.client.send(ask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        assert_eq!(
            encoded("uid0@email.com Ä&=%"),
            "uid0%40email.com%20%C3%84%26%3D%25"
        );
    }
}
