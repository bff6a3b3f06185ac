//! The console: a listening socket, its thread, and the token that opens it.

use crate::door::Door;
use crate::limits::Limits;
use crate::peer::{Peer, peer_of};
use crate::visit::{Host, THREADS_NAME, welcome};
use crate::{StartError, Token};
use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use vivant::System;

/// Limit for the connection that wakes the waiting thread; it does not leave the machine.
const WAKE_WITHIN: Duration = Duration::from_secs(1);

/// A socket through which `vivant top` observes a system, until it is dropped.
///
/// It has a handle of the system: as long as it exists, the system does not shut down by itself.
/// After [`System::shutdown`] it goes on and shows a system without actors.
#[must_use = "dropping the console closes it"]
pub struct Console {
    address: SocketAddr,
    token: Token,
    token_file: Option<PathBuf>,
    door: Arc<Door>,
    thread: Option<JoinHandle<()>>,
}

/// Builds a [`Console`]; every choice has a default.
#[derive(Debug)]
#[must_use = "a builder does nothing until `start()`"]
pub struct Builder<'s> {
    system: &'s System,
    ip: IpAddr,
    port: u16,
    token: Option<Token>,
    token_file: Option<PathBuf>,
    limits: Limits,
}

impl Console {
    /// A builder for a console of `system`.
    pub fn builder(system: &System) -> Builder<'_> {
        Builder {
            system,
            ip: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            token: None,
            token_file: None,
            limits: Limits::default(),
        }
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The secret that a client must send.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The path to which the token was written, if it was.
    pub fn token_file(&self) -> Option<&Path> {
        self.token_file.as_deref()
    }

    /// The command that shows the system. Without a token file it contains the token, so do not log
    /// it then.
    pub fn hint(&self) -> String {
        let address = self.address;
        match &self.token_file {
            Some(path) => format!(
                "vivant top --connect {address} --token-file {}",
                path.display()
            ),
            None => format!(
                "VIVANT_TOKEN={} vivant top --connect {address}",
                self.token.as_str()
            ),
        }
    }
}

impl Drop for Console {
    /// Ends every connection and waits for the threads, for at most the time of one snapshot.
    fn drop(&mut self) {
        self.door.close();
        if let Some(path) = &self.token_file {
            // A missing file needs no removal, and another console may have written its own token
            // to this path.
            if fs::read_to_string(path).is_ok_and(|text| text.trim() == self.token.as_str()) {
                let _removed = fs::remove_file(path);
            }
        }
        // The thread sleeps until a client connects. If no connection is possible, the thread is
        // left behind, because a wait for it would not end.
        let woken = TcpStream::connect_timeout(&self.address, WAKE_WITHIN).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            // The thread has no result; a panic of it was printed.
            let _ended = thread.join();
        }
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Console({})", self.address)
    }
}

impl Builder<'_> {
    /// The address of the loopback device: 127.0.0.1 by default, or ::1. [`Builder::start`] refuses
    /// any other.
    pub fn ip(mut self, ip: impl Into<IpAddr>) -> Self {
        self.ip = ip.into();
        self
    }

    /// The port; 0, the default, takes a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The secret that a client must send; by default a random one.
    pub fn token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// Writes the token to a file, which on Unix only this user can read. An older file is
    /// replaced; it is removed when the console is dropped.
    pub fn token_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.token_file = Some(path.into());
        self
    }

    #[cfg(test)]
    pub(crate) fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Begins to listen, in a thread of its own. Prints nothing.
    ///
    /// # Errors
    ///
    /// See [`StartError`]; each says what to do.
    pub fn start(self) -> Result<Console, StartError> {
        self.start_with(peer_of)
    }

    /// As [`Builder::start`], with another way to find a client's peer.
    pub(crate) fn start_with(
        self,
        peer_of: impl Fn(&TcpStream) -> Peer + Send + 'static,
    ) -> Result<Console, StartError> {
        if !self.ip.is_loopback() {
            return Err(StartError::NotLoopback(self.ip));
        }
        let token = self.token.map_or_else(Token::random, Ok)?;
        let wanted = SocketAddr::new(self.ip, self.port);
        let bind = |error| StartError::Bind {
            address: wanted,
            error,
        };
        let listener = TcpListener::bind(wanted).map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        if let Some(path) = &self.token_file {
            token
                .write_to(path)
                .map_err(|error| StartError::TokenFile {
                    path: path.clone(),
                    error,
                })?;
        }
        let host = Host {
            system: self.system.clone(),
            token: token.clone(),
            began: Instant::now(),
        };
        let mut console = Console {
            address,
            token,
            token_file: self.token_file,
            door: Arc::new(Door::new(self.limits)),
            thread: None,
        };
        let door = console.door.clone();
        let thread = thread::Builder::new()
            .name(THREADS_NAME.to_owned())
            .spawn(move || welcome(&host, &door, &listener, peer_of))
            .map_err(StartError::Thread)?;
        console.thread = Some(thread);
        Ok(console)
    }
}
