//! [`Signals`]: the signals by which a service is told to end.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

/// Ctrl-C (SIGINT), and on Unix SIGTERM, noticed from when this is made.
///
/// Also the process with the number 1, as in a container, gets these signals: the kernel withholds
/// from it only signals without a handler.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
    #[cfg(windows)]
    signals: [tokio::signal::windows::CtrlC; 1],
}

impl Signals {
    /// Installs the handlers. They stay for the rest of the process: a later signal does not end
    /// it any more.
    ///
    /// # Errors
    ///
    /// The operating system refuses the handlers.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with its I/O driver.
    pub fn new() -> io::Result<Signals> {
        #[cfg(unix)]
        let signals = {
            use tokio::signal::unix::{SignalKind, signal};
            [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
            ]
        };
        #[cfg(windows)]
        let signals = [tokio::signal::windows::ctrl_c()?];
        Ok(Signals { signals })
    }

    /// Waits for one of the signals.
    pub async fn received(&mut self) {
        poll_fn(|context| {
            let mut signals = self.signals.iter_mut();
            match signals.any(|signal| signal.poll_recv(context).is_ready()) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    }
}
