//! A server in a process of its own.

use std::io::{self, BufRead, BufReader, Lines};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

/// A server. Dropping this kills the process.
#[derive(Debug)]
pub struct Process {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it printed, up to the line with that address.
    pub printed: Vec<String>,
    child: Child,
    /// It is kept, so that what the server prints has somewhere to go.
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts a server, and waits until it prints `http://` and its address.
    ///
    /// # Errors
    ///
    /// It cannot be started, or ended before that.
    pub fn start(command: &mut Command) -> io::Result<Process> {
        let (stdin, stdout) = (Stdio::null(), Stdio::piped());
        let mut child = command.stdin(stdin).stdout(stdout).spawn()?;
        let output = child.stdout.take().expect("it is piped");
        let mut process = Process {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            printed: Vec::new(),
            child,
            lines: BufReader::new(output).lines(),
        };
        while let Some(line) = process.next_line()? {
            let address = line.split_once("http://").map(|(_, rest)| rest);
            let address = address.and_then(|rest| rest.split('/').next()?.parse().ok());
            process.printed.push(line);
            if let Some(address) = address {
                process.address = address;
                return Ok(process);
            }
        }
        let ended = process.child.wait()?;
        Err(io::Error::other(format!(
            "the server ended before it served: {ended}"
        )))
    }

    /// Waits for the next line that it prints. `None`: it has ended.
    ///
    /// # Errors
    ///
    /// The line is no text.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        self.lines.next().transpose()
    }

    /// Sends it a signal: `INT`, as Ctrl-C does, `TERM` or `KILL`.
    ///
    /// # Errors
    ///
    /// There is no `kill`, or the process has ended.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) -> io::Result<()> {
        let (signal, number) = (format!("-{name}"), self.child.id().to_string());
        let sent = Command::new("kill").args([signal, number]).status()?;
        let failed = || io::Error::other(format!("kill: {sent}"));
        sent.success().then_some(()).ok_or_else(failed)
    }

    /// Waits until it has ended, and returns how and what else it printed.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn wait(mut self) -> io::Result<(ExitStatus, Vec<String>)> {
        let printed = self.lines.by_ref().collect::<io::Result<_>>()?;
        Ok((self.child.wait()?, printed))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if the process has ended already, as it should have.
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}
