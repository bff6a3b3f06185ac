//! Marker threads beside a heap, and the modes in which tests make it mark. The collections' tests
//! include this file.

use crate::seeds;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use vivant_heap::{Heap, Marker, Mutator, Pacing, PageSource, Progress, Root, Stress, When};

/// Threads that help with the marks that they are notified of.
pub(crate) struct Markers {
    request: Arc<(Mutex<Request>, Condvar)>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Request {
    marker: Option<Marker>,
    /// The number of notifications.
    times: u64,
    over: bool,
}

impl Markers {
    pub(crate) fn new(threads: usize) -> Markers {
        let request = Arc::<(Mutex<Request>, Condvar)>::default();
        let help = |number| {
            let request = request.clone();
            // Some release the marker often, and some seldom.
            let often = if cfg!(miri) { 60 } else { 3 };
            thread::spawn(move || help(&request, [often, 1_000][number % 2]))
        };
        let threads = (0..threads).map(help).collect();
        Markers { request, threads }
    }

    /// Makes the threads help with the mark of this heap that runs now.
    pub(crate) fn follow<R: Root>(&self, heap: &Heap<R>) {
        self.notify(|request| request.marker = heap.marker());
    }

    fn notify(&self, what: impl FnOnce(&mut Request)) {
        let (request, changed) = &*self.request;
        let mut request = request.lock().unwrap();
        request.times += 1;
        what(&mut request);
        changed.notify_all();
    }
}

fn help((request, changed): &(Mutex<Request>, Condvar), objects: usize) {
    let mut seen = 0;
    loop {
        let marker = {
            let mut request = request.lock().unwrap();
            while request.times == seen && !request.over {
                request = changed.wait(request).unwrap();
            }
            if request.over {
                return;
            }
            seen = request.times;
            request.marker.clone()
        };
        let Some(marker) = marker else { continue };
        loop {
            match marker.work(objects) {
                Progress::More => {}
                // An interpreter is slow enough without threads that wait.
                Progress::NoWork if !cfg!(miri) => thread::yield_now(),
                _ => break,
            }
        }
    }
}

impl Drop for Markers {
    fn drop(&mut self) {
        self.notify(|request| request.over = true);
        for thread in self.threads.drain(..) {
            // The test may be panicking already.
            assert!(thread.join().is_ok() || thread::panicking());
        }
    }
}

/// How a heap is made to mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// All the time, in small steps, with verification.
    Stressed,
    /// By its pacing. It has ballast, so that it counts as large.
    Paced,
}

impl Mode {
    pub(crate) fn pacing(self, seed: u64) -> Pacing {
        match self {
            Mode::Stressed => Pacing::new().stressed(Stress::new(When::Concurrent, seed)),
            Mode::Paced => Pacing::new().nursery(2048).first(1).growth(1.02),
        }
    }

    /// The ballast: more than heaps have that are marked stop-the-world.
    pub(crate) fn ballast<'gc>(self, m: &Mutator<'gc>) -> Option<vivant_heap::Gc<'gc, [u64]>> {
        (self == Mode::Paced).then(|| m.alloc_slice(vec![7; 40_000]))
    }
}

/// Runs a program with a number of seeds, in both modes.
pub(crate) fn with_seeds(short: u64, run: impl Fn(Mode, u64)) {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { short }) {
        for mode in [Mode::Stressed, Mode::Paced] {
            seeds::run(seed, || run(mode, seed));
        }
    }
}

pub(crate) fn source() -> Arc<PageSource> {
    Arc::new(PageSource::new())
}
