//! Why a console could not start.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Why a console could not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The address is not one of this machine's loopback device.
    NotLoopback(IpAddr),
    /// The address could not be listened on.
    Bind {
        /// The address.
        address: SocketAddr,
        /// The operating system's error.
        error: io::Error,
    },
    /// The given token is too short, too long, or has characters that do not fit into one line.
    Token {
        /// The number of its characters.
        length: usize,
    },
    /// The operating system gave no random number for a token.
    Random(getrandom::Error),
    /// The token's file could not be written.
    TokenFile {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        error: io::Error,
    },
    /// The operating system could not start a thread.
    Thread(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NotLoopback(ip) => write!(
                f,
                "the console does not listen on {ip}: what it tells is not encrypted, so it serves the loopback device \
                 alone; use 127.0.0.1 or ::1, and a tunnel such as `ssh -L` from elsewhere"
            ),
            StartError::Bind { address, error } => write!(
                f,
                "the console cannot listen on {address}: {error}; port 0 takes a free one"
            ),
            StartError::Token { length } => write!(
                f,
                "a token of {length} characters does not do: give {} to {} visible ASCII characters, or none, and one \
                 is made",
                crate::limits::TOKEN_LENGTH_MIN,
                crate::limits::TOKEN_LENGTH_MAX
            ),
            StartError::Random(error) => write!(
                f,
                "the operating system gave no random number for a token: {error}; give one with `token(…)`"
            ),
            StartError::TokenFile { path, error } => write!(
                f,
                "the token could not be written to {}: {error}; its folder must exist and be yours to write to",
                path.display()
            ),
            StartError::Thread(error) => {
                write!(f, "the console's thread could not be started: {error}")
            }
        }
    }
}

impl Error for StartError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            StartError::Bind { error, .. }
            | StartError::TokenFile { error, .. }
            | StartError::Thread(error) => Some(error),
            StartError::Random(error) => Some(error),
            StartError::NotLoopback(_) | StartError::Token { .. } => None,
        }
    }
}
