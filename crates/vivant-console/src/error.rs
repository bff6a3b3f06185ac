//! Why a console could not start.

use crate::limits::{TOKEN_LENGTH_MAX, TOKEN_LENGTH_MIN};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use thiserror::Error;

/// Why a console could not start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is not one of this machine's loopback device.
    #[error(
        "the console does not listen on {0}: what it tells is not encrypted, so it serves the loopback device \
         alone; use 127.0.0.1 or ::1, and a tunnel such as `ssh -L` from elsewhere"
    )]
    NotLoopback(IpAddr),
    /// The address could not be listened on.
    #[error("the console cannot listen on {address}: {error}; port 0 takes a free one")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The given token is too short, too long, or has characters that do not fit into one line.
    #[error(
        "a token of {length} characters does not do: give {TOKEN_LENGTH_MIN} to {TOKEN_LENGTH_MAX} visible ASCII \
         characters, or none, and one is made"
    )]
    Token {
        /// The number of its characters.
        length: usize,
    },
    /// The operating system gave no random number for a token.
    #[error(
        "the operating system gave no random number for a token: {0}; give one with `token(…)`"
    )]
    Random(#[source] getrandom::Error),
    /// The token's file could not be written.
    #[error(
        "the token could not be written to {}: {error}; its folder must exist and be yours to write to",
        path.display()
    )]
    TokenFile {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        error: io::Error,
    },
    /// The operating system could not start a thread.
    #[error("the console's thread could not be started: {0}")]
    Thread(#[source] io::Error),
}
