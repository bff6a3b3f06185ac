//! [`Screen`]: the actor that writes lines to a client.
//!
//! The screen has the writer, or a future has it that writes a line; meanwhile other lines wait
//! behind a guard. The mailbox has a bound, and loses the oldest line: so a slow client misses
//! lines, and no room waits for it.

use crate::connection::Writer;
use futures_util::future::{Either, select};
use std::fmt;
use std::pin::pin;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use vivant::prelude::*;

/// Limit of the time for which a client does not take a line. After that it is disconnected.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes lines to a client.
#[derive(Actor)]
#[actor(mailbox = drop_oldest(64))]
pub struct Screen {
    writer: Option<Writer>,
}

impl Screen {
    /// A screen of this client.
    #[must_use]
    pub fn new(writer: Writer) -> Screen {
        Screen {
            writer: Some(writer),
        }
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Screen({})",
            if self.writer.is_some() {
                "idle"
            } else {
                "writes"
            }
        )
    }
}

#[behaviours]
impl Screen {
    /// Writes a line, after those before it.
    #[when(self.writer.is_some())]
    pub fn show(&mut self, t: &Turn<Self>, line: String) {
        let Some(mut writer) = self.writer.take() else {
            return;
        };
        let time_out = t.clock().sleep(PATIENCE);
        let write = async move {
            let line = format!("{line}\n");
            match select(pin!(writer.write_all(line.as_bytes())), time_out).await {
                Either::Left((Ok(()), _)) => {}
                Either::Left((Err(_), _)) | Either::Right(_) => return None,
            }
            Some(writer)
        };
        t.spawn(write).then_send(t.me().written());
    }

    /// A client that does not take its lines is disconnected.
    #[then]
    fn written(&mut self, t: &Turn<Self>, writer: Result<Option<Writer>, AskError>) {
        self.writer = writer.ok().flatten();
        if self.writer.is_none() {
            t.stop();
        }
    }
}
