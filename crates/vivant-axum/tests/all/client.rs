//! A client that sees what a socket sees: bytes, and the end of the connection.

use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One connection.
pub(crate) struct Client(TcpStream);

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status line and the headers, in small letters.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        let status = self.head.split(' ').nth(1).and_then(|it| it.parse().ok());
        status.unwrap_or_else(|| panic!("{self:?} has no status"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Client {
    pub(crate) async fn connect(to: SocketAddr) -> Client {
        Client::of(TcpStream::connect(to).await.unwrap())
    }

    pub(crate) fn of(stream: TcpStream) -> Client {
        Client(stream)
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends a whole request without a body.
    pub(crate) async fn send(&mut self, method: &str, path: &str) {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: here\r\n\r\n");
        self.write(&request).await;
    }

    /// Reads one answer, with the length that its header says.
    pub(crate) async fn answer(&mut self) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.expect("the head is not at its end"));
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let mut answer = Answer {
            head,
            body: String::new(),
        };
        let length = answer
            .header("content-length")
            .map(|it| it.parse().unwrap());
        let mut body = vec![0; length.expect("the answer says its length")];
        self.0.read_exact(&mut body).await.unwrap();
        answer.body = String::from_utf8(body).unwrap();
        answer
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path).await;
        self.answer().await
    }

    /// Counts the bytes that come until the connection ends, in whatever way.
    pub(crate) async fn bytes_to_the_end(&mut self) -> usize {
        let (mut count, mut buffer) = (0, vec![0; 1 << 16]);
        while let Ok(bytes @ 1..) = self.0.read(&mut buffer).await {
            count += bytes;
        }
        count
    }

    /// Waits until the server has closed the connection, and returns what else came.
    pub(crate) async fn closed(&mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).await.unwrap();
        rest
    }
}
