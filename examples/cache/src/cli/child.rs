//! A server in a process of its own.

use super::args::RunArguments;
use crate::load::Client;
use crate::store::Kind;
use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// A server; it ends with this, in whichever way.
#[derive(Debug)]
pub(super) struct ServerProcess {
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// How long it took to open and fill it.
    pub(super) filled_in: Duration,
    child: Ended,
    /// It is kept, so that whatever the server says has somewhere to go.
    _said: BufReader<ChildStdout>,
}

/// Ends a process that has not ended.
#[derive(Debug)]
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It has ended already, if all went well: then neither does anything.
        let _killed = self.0.kill();
        let _waited = self.0.wait();
    }
}

impl ServerProcess {
    /// Starts this program once more, as a server, and waits until it serves.
    pub(super) fn start(
        arguments: &RunArguments,
        store: Kind,
    ) -> Result<ServerProcess, Box<dyn Error>> {
        let start = Instant::now();
        let mut child = Ended(
            Command::new(env::current_exe()?)
                .args(arguments.serve(store))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()?,
        );
        let said = child.0.stdout.take().ok_or("the server has no output")?;
        let mut said = BufReader::new(said);
        let mut line = String::new();
        while said.read_line(&mut line)? > 0 {
            if let Some((_, address)) = line.split_once("http://") {
                let address = address.split('/').next().unwrap_or_default();
                return Ok(ServerProcess {
                    address: address.parse()?,
                    filled_in: start.elapsed(),
                    child,
                    _said: said,
                });
            }
            line.clear();
        }
        let ended = child.0.wait()?;
        Err(format!("the server for {store} ended before it served: {ended}").into())
    }

    /// Has it end, and waits until it has.
    pub(super) fn stop(mut self, runtime: &Runtime) -> Result<(), Box<dyn Error>> {
        runtime.block_on(async { Client::new(self.address).post("/_stop").await })?;
        let ended = self.child.0.wait()?;
        match ended.success() {
            true => Ok(()),
            false => Err(format!("a server did not end well: {ended}").into()),
        }
    }
}
