//! Lines from an untrusted client: limited in length, and in the time for the whole line.

use crate::limits::LINE_BYTES_MAX;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line, without its end.
    Whole(String),
    /// It is longer than a request can be.
    TooLong,
    /// It is not UTF-8.
    NotText,
    /// It did not arrive in time.
    TooLate,
    /// The client has closed, or the connection has broken.
    Closed,
}

/// A stream's lines.
pub(crate) struct Lines {
    stream: TcpStream,
    /// Bytes read and not returned yet: at most one line and one chunk.
    read: Vec<u8>,
}

impl Lines {
    pub(crate) fn of(stream: TcpStream) -> Lines {
        Lines {
            stream,
            read: Vec::new(),
        }
    }

    /// The next line, if it is complete within `limit`. The limit is for the whole line: a client
    /// that sends byte by byte gains no time.
    pub(crate) fn next(&mut self, limit: Duration) -> Line {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.read, rest);
                line.truncate(end);
                return match String::from_utf8(line) {
                    _ if end > LINE_BYTES_MAX => Line::TooLong,
                    Ok(line) => Line::Whole(line),
                    Err(_) => Line::NotText,
                };
            }
            if self.read.len() > LINE_BYTES_MAX {
                return Line::TooLong;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.piece(left) {
                Ok(0) => return Line::Closed,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_late(&error) => return Line::TooLate,
                Err(_) => return Line::Closed,
            }
        }
    }

    /// Reads and discards until the client closes, at most for `limit`. A connection that is closed
    /// before all input is read may lose the last answer.
    pub(crate) fn ignore_rest(&mut self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while let Ok(1..) = self.piece(deadline.saturating_duration_since(Instant::now())) {
            self.read.clear();
        }
    }

    fn piece(&mut self, within: Duration) -> io::Result<usize> {
        if within.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(within))?;
        let mut piece = [0; 512];
        let count = self.stream.read(&mut piece)?;
        self.read.extend_from_slice(&piece[..count]);
        Ok(count)
    }
}

/// The operating system decides which of the two errors it is.
pub(crate) fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
