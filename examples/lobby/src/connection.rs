//! [`Connection`]: a stream of bytes, cut into lines.

use futures_util::Stream;
use futures_util::stream;
use std::fmt;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader};

/// Limit of the length of a line, in bytes. A longer one ends the connection.
const LINE_LIMIT: u64 = 200;

/// The writing half of a connection.
pub type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Both halves of a connection: of a socket, or of a pipe in memory.
pub struct Connection {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Writer,
}

impl Connection {
    /// A connection of these halves.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Connection {
        let (reader, writer) = (Box::new(reader), Box::new(writer));
        Connection { reader, writer }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

/// The lines of a client, until it disconnects or sends a line that is too long.
pub fn lines(reader: impl AsyncRead + Send + Unpin + 'static) -> impl Stream<Item = String> + Send {
    stream::unfold(BufReader::new(reader), |mut reader| async move {
        let mut line = Vec::new();
        let mut limited = (&mut reader).take(LINE_LIMIT);
        // An error ends the connection, as its end does.
        limited.read_until(b'\n', &mut line).await.ok()?;
        let whole = line.strip_suffix(b"\n")?;
        Some((String::from_utf8_lossy(whole).trim().to_owned(), reader))
    })
}
