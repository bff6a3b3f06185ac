//! The memory thread: commits and prefaults the memory that heaps will take next, so that no actor
//! waits for it (H12). It sleeps while there is enough.
//!
//! Started with the first actor that has a heap. Without it heaps commit their memory themselves,
//! between two turns, as in a simulation.

use super::threads::Threads;
use crate::actor::Shared;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};
use std::task::{Wake, Waker};

/// The requests to the thread. An `Arc` of its own: the page pool holds it, and the system holds
/// the page pool.
#[derive(Default)]
pub(super) struct PrefaultThread {
    request: Mutex<PrefaultRequest>,
    changed: Condvar,
    started: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum PrefaultRequest {
    #[default]
    None,
    /// Commit the memory that heaps take next.
    Prepare,
    Close,
}

impl PrefaultThread {
    fn request(&self, request: PrefaultRequest) {
        let mut now = lock(&self.request);
        if *now != PrefaultRequest::Close {
            *now = request;
        }
        drop(now);
        self.changed.notify_one();
    }

    /// The loop of the thread.
    fn run(&self, prepare: impl Fn()) {
        loop {
            let mut request = lock(&self.request);
            while *request == PrefaultRequest::None {
                request = self
                    .changed
                    .wait(request)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if *request == PrefaultRequest::Close {
                return;
            }
            *request = PrefaultRequest::None;
            drop(request);
            prepare();
        }
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        self.request(PrefaultRequest::Close);
    }
}

impl Wake for PrefaultThread {
    fn wake(self: Arc<Self>) {
        self.request(PrefaultRequest::Prepare);
    }
}

impl Threads {
    /// An actor with a heap begins: starts the thread if it is the first. If the operating system
    /// gives no thread, heaps commit their memory themselves.
    pub(super) fn start_prefault_thread(&self, system: &Arc<Shared>) {
        // Relaxed: the first caller starts it; nothing depends on when.
        if self.memory.started.load(Ordering::Relaxed)
            || self.memory.started.swap(true, Ordering::Relaxed)
        {
            return;
        }
        let (memory, source) = (self.memory.clone(), system.heaps.clone());
        let name = format!("{}-memory", system.config.name);
        let run = move |_: &Threads| memory.run(|| source.prefault());
        if self.start_thread(name, run, system) == super::threads::Started::Yes {
            let waker = Waker::from(self.memory.clone());
            system.heaps.prefault_by(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn each_request_runs_once_and_close_ends_the_thread() {
        let memory = Arc::new(PrefaultThread::default());
        let (thread_s, done) = (memory.clone(), Arc::new(Mutex::new(0)));
        let counts = done.clone();
        let thread = thread::spawn(move || thread_s.run(|| *lock(&counts) += 1));
        let waker = Waker::from(memory.clone());
        for request in 1..=3 {
            waker.wake_by_ref();
            while *lock(&done) < request {
                thread::yield_now();
            }
        }
        memory.close();
        // The thread does not come back.
        waker.wake_by_ref();
        thread.join().unwrap();
        assert_eq!(*lock(&done), 3);
    }
}
