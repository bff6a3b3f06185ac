//! A program's console, over its socket.

use super::{Source, TokenSource, Trouble};
use serde::Deserialize;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use vivant_console::wire::{Greeting, Reason, Request, Snapshot, Subject, VERSION};

const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// A snapshot of very many actors takes time.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// A snapshot has some hundred kilobytes; a longer answer is not from a console.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// A connection that is made at the first snapshot, and again after a loss.
pub(super) struct Connection {
    address: String,
    token: TokenSource,
    stream: Option<BufReader<TcpStream>>,
}

/// The part of an answer that every version has.
#[derive(Deserialize)]
struct Head {
    version: u32,
    #[serde(default)]
    error: Option<Reason>,
}

impl Connection {
    pub(super) fn to(address: String, token: TokenSource) -> Connection {
        Connection {
            address,
            token,
            stream: None,
        }
    }

    fn open(&self) -> Result<BufReader<TcpStream>, Trouble> {
        let token = self.token()?;
        let stream = self.connect()?;
        let lost = |error| self.lost(error);
        stream.set_read_timeout(Some(ANSWER_WITHIN)).map_err(lost)?;
        stream
            .set_write_timeout(Some(ANSWER_WITHIN))
            .map_err(lost)?;
        stream.set_nodelay(true).map_err(lost)?;
        let greeting = Greeting { token };
        say(&stream, &greeting).map_err(lost)?;
        Ok(BufReader::new(stream))
    }

    fn token(&self) -> Result<String, Trouble> {
        match &self.token {
            TokenSource::Text(text) => Ok(text.clone()),
            TokenSource::File(path) => match fs::read_to_string(path) {
                Ok(text) => Ok(text.trim().to_owned()),
                Err(error) => Err(Trouble::TokenFile {
                    path: path.clone(),
                    error,
                }),
            },
        }
    }

    fn connect(&self) -> Result<TcpStream, Trouble> {
        let address = self.address.clone();
        let found = address
            .to_socket_addrs()
            .map_err(|error| Trouble::Address {
                address: address.clone(),
                why: error.to_string(),
            })?;
        let own: Vec<SocketAddr> = found.filter(|found| found.ip().is_loopback()).collect();
        let mut failure = None;
        for candidate in own {
            match TcpStream::connect_timeout(&candidate, CONNECT_WITHIN) {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = Some(error),
            }
        }
        Err(match failure {
            None => Trouble::NotLoopback { address },
            Some(error) => Trouble::Connect { address, error },
        })
    }

    fn ask(&self, stream: &mut BufReader<TcpStream>) -> Result<Snapshot, Trouble> {
        let request = Request {
            get: Subject::Facts,
        };
        // If the server refuses this client, the connection may be closed here while the reason is
        // still to be read.
        let said = say(stream.get_ref(), &request);
        let mut line = Vec::new();
        let read = stream
            .by_ref()
            .take(ANSWER_BYTES_MAX)
            .read_until(b'\n', &mut line);
        if let Err(error) = read.and(said)
            && line.is_empty()
        {
            return Err(self.lost(error));
        }
        self.understand(&line)
    }

    fn understand(&self, line: &[u8]) -> Result<Snapshot, Trouble> {
        let address = self.address.clone();
        if line.is_empty() {
            return Err(self.lost(io::ErrorKind::UnexpectedEof.into()));
        }
        let head: Head = match serde_json::from_slice(line) {
            Ok(head) => head,
            Err(error) => return Err(self.strange(error)),
        };
        if head.version != VERSION {
            let theirs = head.version;
            return Err(Trouble::Version { address, theirs });
        }
        match head.error {
            Some(reason) => Err(Trouble::SentAway { address, reason }),
            None => serde_json::from_slice(line).map_err(|error| self.strange(error)),
        }
    }

    fn strange(&self, error: serde_json::Error) -> Trouble {
        Trouble::Strange {
            address: self.address.clone(),
            why: error.to_string(),
        }
    }

    fn lost(&self, error: io::Error) -> Trouble {
        Trouble::Lost {
            address: self.address.clone(),
            error,
        }
    }
}

impl Source for Connection {
    fn look(&mut self) -> Result<Snapshot, Trouble> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.open()?,
        };
        let snapshot = self.ask(&mut stream)?;
        // Kept only after a complete answer.
        self.stream = Some(stream);
        Ok(snapshot)
    }
}

fn say(mut stream: &TcpStream, what: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    stream.write_all(&line)
}
