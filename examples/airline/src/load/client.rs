//! A connection to the server that is kept, as a browser would.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A connection, and the session that the server gave it.
#[derive(Debug)]
pub struct Client {
    server: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
    cookie: Option<String>,
}

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Ask {
    method: Method,
    path: String,
    body: Option<(&'static str, String)>,
}

impl Ask {
    /// A GET.
    pub fn get(path: impl Into<String>) -> Ask {
        Ask {
            method: Method::GET,
            path: path.into(),
            body: None,
        }
    }

    /// A POST of a form.
    pub fn form(path: impl Into<String>, fields: &[(&str, &str)]) -> Ask {
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        Ask::post(path, "application/x-www-form-urlencoded", pairs.join("&"))
    }

    /// A POST of anything.
    pub fn post(path: impl Into<String>, content_type: &'static str, body: String) -> Ask {
        Ask {
            method: Method::POST,
            path: path.into(),
            body: Some((content_type, body)),
        }
    }

    /// The same with another method.
    pub fn method(mut self, method: Method) -> Ask {
        self.method = method;
        self
    }
}

/// A value as it may stand in a form or a path.
pub fn encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if plain(byte) {
            text.push(byte.into());
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
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
    pub fn new(server: SocketAddr) -> Client {
        Client {
            server,
            sender: None,
            cookie: None,
        }
    }

    /// Sends a request and waits for its answer, which may change the session.
    ///
    /// # Errors
    ///
    /// No answer came. The next request gets a new connection.
    pub async fn send(&mut self, ask: Ask) -> Result<Answer, NoAnswer> {
        match tokio::time::timeout(TIMEOUT, self.exchange(ask)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                self.sender = None;
                Err(error)
            }
            Err(_) => {
                self.sender = None;
                Err(NoAnswer::TimedOut)
            }
        }
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

    async fn exchange(&mut self, ask: Ask) -> Result<Answer, NoAnswer> {
        self.connect().await?;
        let request = self.request(ask);
        let Some(sender) = &mut self.sender else {
            unreachable!("it has just been connected")
        };
        sender.ready().await.map_err(NoAnswer::Broken)?;
        let answer = sender.send_request(request).await;
        let (head, body) = answer.map_err(NoAnswer::Broken)?.into_parts();
        if let Some(cookie) = head.headers.get(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap_or_default();
            let pair = cookie.split(';').next().unwrap_or_default();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        let body = body.collect().await.map_err(NoAnswer::Broken)?;
        Ok(Answer {
            status: head.status,
            body: body.to_bytes(),
        })
    }

    fn request(&self, ask: Ask) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(ask.method)
            .uri(ask.path)
            .header(HOST, self.server.to_string());
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let body = match ask.body {
            Some((content_type, body)) => {
                request = request.header(CONTENT_TYPE, content_type);
                body.into()
            }
            None => Bytes::new(),
        };
        request
            .body(Full::new(body))
            .expect("paths are encoded, and cookies came in a header")
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
