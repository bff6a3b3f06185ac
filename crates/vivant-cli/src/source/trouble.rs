//! Failures between this command and a program: what failed, where, and what to do.

use std::io;
use std::path::PathBuf;
use thiserror::Error;
use vivant_console::StartError;
use vivant_console::wire::{Reason, VERSION};

/// Why a snapshot failed.
#[derive(Debug, Error)]
pub(crate) enum Trouble {
    /// The address cannot be parsed or resolved.
    #[error("`{address}` is no address: {why}; give one as in `--connect 127.0.0.1:4711`")]
    Address { address: String, why: String },
    /// The address is not of the loopback device.
    #[error(
        "{address} is another machine, and the token would be sent there unencrypted; use a tunnel, such as \
         `ssh -L 4711:127.0.0.1:4711 HOST`, and connect to 127.0.0.1:4711"
    )]
    NotLoopback { address: String },
    #[error(
        "the token could not be read from {}: {error}; the program's console writes it there when it starts",
        path.display()
    )]
    TokenFile { path: PathBuf, error: io::Error },
    #[error(
        "no connection to {address}: {error}; is the program running, and is this the address that its \
         console's `hint()` gives?"
    )]
    Connect { address: String, error: io::Error },
    /// The connection ended, or was too slow.
    #[error("the connection to {address} was lost: {error}; has the program ended?")]
    Lost { address: String, error: io::Error },
    #[error("{address} {}", refused(*reason))]
    SentAway { address: String, reason: Reason },
    #[error(
        "the program at {address} speaks version {theirs} of the console's protocol, this command version \
         {VERSION}; use the `vivant` of the program's version of vivant-console"
    )]
    Version { address: String, theirs: u32 },
    /// The answer is not a console's.
    #[error(
        "{address} answered what no console answers ({why}); is it the address of a vivant console?"
    )]
    Strange { address: String, why: String },
    /// The demo's own console could not start.
    #[error("the demo could not start: {0}")]
    Demo(StartError),
}

/// What a console's refusal means, and what to do.
fn refused(reason: Reason) -> String {
    match reason {
        Reason::Token => "did not accept the token; each start of a program makes a new one: take it from the console's \
                          token file, or from its `hint()`"
            .to_owned(),
        Reason::Busy => "has as many visitors as it lets in; close another `vivant top`, or wait".to_owned(),
        other => format!("sent us away ({other:?}); another version of `vivant` may be needed"),
    }
}
