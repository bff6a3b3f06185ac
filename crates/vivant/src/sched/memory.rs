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
pub(super) struct Memory {
    call: Mutex<Call>,
    changed: Condvar,
    begun: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Call {
    #[default]
    Nothing,
    /// Commit the memory that heaps take next.
    Prepare,
    Leave,
}

impl Memory {
    fn call(&self, call: Call) {
        let mut now = lock(&self.call);
        if *now != Call::Leave {
            *now = call;
        }
        drop(now);
        self.changed.notify_one();
    }

    /// The loop of the thread.
    fn keep(&self, prepare: impl Fn()) {
        loop {
            let mut call = lock(&self.call);
            while *call == Call::Nothing {
                call = self
                    .changed
                    .wait(call)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if *call == Call::Leave {
                return;
            }
            *call = Call::Nothing;
            drop(call);
            prepare();
        }
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        self.call(Call::Leave);
    }
}

impl Wake for Memory {
    fn wake(self: Arc<Self>) {
        self.call(Call::Prepare);
    }
}

impl Threads {
    /// An actor with a heap begins: starts the thread if it is the first. If the operating system
    /// gives no thread, heaps commit their memory themselves.
    pub(super) fn begin_memory(&self, system: &Arc<Shared>) {
        // Relaxed: the first caller starts it; nothing depends on when.
        if self.memory.begun.load(Ordering::Relaxed)
            || self.memory.begun.swap(true, Ordering::Relaxed)
        {
            return;
        }
        let (memory, source) = (self.memory.clone(), system.heaps.clone());
        let name = format!("{}-memory", system.config.name);
        let keep = move |_: &Threads| memory.keep(|| source.prefault());
        if self.start_thread(name, keep, system) == super::threads::Started::Yes {
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
    fn each_call_is_heard_and_the_last_one_ends_it() {
        let memory = Arc::new(Memory::default());
        let (thread_s, done) = (memory.clone(), Arc::new(Mutex::new(0)));
        let counts = done.clone();
        let thread = thread::spawn(move || thread_s.keep(|| *lock(&counts) += 1));
        let waker = Waker::from(memory.clone());
        for call in 1..=3 {
            waker.wake_by_ref();
            while *lock(&done) < call {
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
