//! Failures between this command and a program: what failed, where, and what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;
use vivant_console::StartError;
use vivant_console::wire::{Reason, VERSION};

/// Why a snapshot failed.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The address cannot be parsed or resolved.
    Address {
        address: String,
        why: String,
    },
    /// The address is not of the loopback device.
    NotLoopback {
        address: String,
    },
    TokenFile {
        path: PathBuf,
        error: io::Error,
    },
    Connect {
        address: String,
        error: io::Error,
    },
    /// The connection ended, or was too slow.
    Lost {
        address: String,
        error: io::Error,
    },
    SentAway {
        address: String,
        reason: Reason,
    },
    Version {
        address: String,
        theirs: u32,
    },
    /// The answer is not a console's.
    Strange {
        address: String,
        why: String,
    },
    /// The demo's own console could not start.
    Demo(StartError),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Address { address, why } => write!(
                f,
                "`{address}` is no address: {why}; give one as in `--connect 127.0.0.1:4711`"
            ),
            Trouble::NotLoopback { address } => write!(
                f,
                "{address} is another machine, and the token would be sent there unencrypted; use a tunnel, such as \
                 `ssh -L 4711:127.0.0.1:4711 HOST`, and connect to 127.0.0.1:4711"
            ),
            Trouble::TokenFile { path, error } => write!(
                f,
                "the token could not be read from {}: {error}; the program's console writes it there when it starts",
                path.display()
            ),
            Trouble::Connect { address, error } => write!(
                f,
                "no connection to {address}: {error}; is the program running, and is this the address that its \
                 console's `hint()` gives?"
            ),
            Trouble::Lost { address, error } => write!(
                f,
                "the connection to {address} was lost: {error}; has the program ended?"
            ),
            Trouble::SentAway {
                address,
                reason: Reason::Token,
            } => write!(
                f,
                "{address} did not accept the token; each start of a program makes a new one: take it from the \
                 console's token file, or from its `hint()`"
            ),
            Trouble::SentAway {
                address,
                reason: Reason::Busy,
            } => write!(
                f,
                "{address} has as many visitors as it lets in; close another `vivant top`, or wait"
            ),
            Trouble::SentAway { address, reason } => write!(
                f,
                "{address} sent us away ({reason:?}); another version of `vivant` may be needed"
            ),
            Trouble::Version { address, theirs } => write!(
                f,
                "the program at {address} speaks version {theirs} of the console's protocol, this command version \
                 {VERSION}; use the `vivant` of the program's version of vivant-console"
            ),
            Trouble::Strange { address, why } => write!(
                f,
                "{address} answered what no console answers ({why}); is it the address of a vivant console?"
            ),
            Trouble::Demo(error) => write!(f, "the demo could not start: {error}"),
        }
    }
}
