//! The outside threads of this process, and this thread as one of them (L5).

use super::number::Pass;
use super::outside::{OutsideThread, OutsideThreads, Sending};
use crate::sync::{Arc, Mutex};

static THREADS: OutsideThreads = OutsideThreads(Mutex::new(Vec::new()));

/// Returns the threads of this process that have sent from outside.
pub(crate) fn outside_threads() -> &'static OutsideThreads {
    &THREADS
}

/// This thread, as long as it is in the list.
struct Listed(Arc<OutsideThread>);

impl Listed {
    fn join() -> Listed {
        let thread = Arc::new(OutsideThread::new());
        THREADS.join(&thread);
        Listed(thread)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        THREADS.leave(&self.0);
    }
}

std::thread_local! {
    static THIS: Listed = Listed::join();
}

/// Whether this thread sends from outside now.
pub(crate) fn sends_from_outside() -> bool {
    // An error: the thread ends. A destructor may run within its last send.
    THIS.try_with(|this| this.0.is_sending()).unwrap_or(true)
}

/// Calls `body` with the pass of the system, to send from a thread that is no worker of it.
pub(crate) fn send_from_outside<R>(now: impl Fn() -> Pass, body: impl FnOnce(Pass) -> R) -> R {
    let mut body = Some(body);
    let mut send = |thread: &OutsideThread| {
        let body = body.take();
        thread.send(|| body.map(|body| body(now())))
    };
    let sent = THIS.try_with(|this| send(&this.0));
    // An error: the thread ends, and a destructor of it sends.
    let sent = sent.unwrap_or_else(|_| send(&Listed::join().0));
    sent.expect("called once")
}

/// This thread while it sends from outside, as in [`send_from_outside`].
pub(crate) struct SendingFromOutside {
    /// Dropped first.
    _sending: Sending<Arc<OutsideThread>>,
    _listed: Option<Listed>,
}

impl SendingFromOutside {
    /// The caller reads the pass of the system after this.
    pub(crate) fn begin() -> SendingFromOutside {
        let (thread, listed) = match THIS.try_with(|this| this.0.clone()) {
            Ok(thread) => (thread, None),
            // The thread ends, and a destructor of it sends.
            Err(_) => {
                let listed = Listed::join();
                (listed.0.clone(), Some(listed))
            }
        };
        SendingFromOutside {
            _sending: Sending::begin(thread),
            _listed: listed,
        }
    }
}
