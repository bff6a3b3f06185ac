//! [`Interrupt`]: the signals that tell a service to end.

use std::io;

/// Notices Ctrl-C, and on Unix SIGTERM, from when it is made.
#[derive(Debug)]
pub(crate) struct Interrupt {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 2],
    #[cfg(windows)]
    signals: [tokio::signal::windows::CtrlC; 1],
}

impl Interrupt {
    /// In a runtime.
    pub(crate) fn new() -> io::Result<Interrupt> {
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
        Ok(Interrupt { signals })
    }

    /// Waits for one of them.
    pub(crate) async fn wait(&mut self) {
        std::future::poll_fn(|context| {
            let mut signals = self.signals.iter_mut();
            match signals.any(|signal| signal.poll_recv(context).is_ready()) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }
}
