//! [`Reports`]: the reports of a system.

use crate::failures::{Failed, GaveUp, Panic, Report, catch};
use crate::interned::Name;
use crate::observe;
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::collections::VecDeque;
use std::io;
use vivant_heap::Marking;

/// Number of latest reports kept for inspection.
const KEPT_MAX: usize = 64;

/// Called with each report, on the thread that makes it.
pub(crate) type Listener = Box<dyn Fn(&Report) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Reports {
    latest: Mutex<VecDeque<Report>>,
    panics: AtomicU64,
    listener: Option<Listener>,
}

impl Reports {
    pub(crate) fn new(listener: Option<Listener>) -> Reports {
        Reports {
            listener,
            ..Reports::default()
        }
    }

    pub(crate) fn panicked(&self, panic: &Panic) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        self.publish(Report::Panicked(panic.clone()));
    }

    pub(crate) fn failed(&self, actor: String, why: &Arc<Failed>) {
        let why = why.clone();
        self.publish(Report::Failed { actor, why });
    }

    pub(crate) fn large_turn(&self, actor: String, behaviour: Name, bytes: u64) {
        self.publish(Report::LargeTurn {
            actor,
            behaviour,
            bytes,
        });
    }

    pub(crate) fn large_container(&self, actor: String, elements: usize) {
        self.publish(Report::LargeContainer { actor, elements });
    }

    pub(crate) fn leaked(&self, objects: usize) {
        self.publish(Report::Leaked { objects });
    }

    pub(crate) fn slow_turn(&self, actor: String, behaviour: Name, for_ms: u64) {
        self.publish(Report::SlowTurn {
            actor,
            behaviour,
            for_ms,
        });
    }

    pub(crate) fn gave_up(&self, supervisor: String, why: &Arc<GaveUp>) {
        let why = why.clone();
        self.publish(Report::GaveUp { supervisor, why });
    }

    pub(crate) fn overdue(&self, actor: String) {
        self.publish(Report::Overdue { actor });
    }

    pub(crate) fn state_not_restored(&self, actor: String, why: String) {
        self.publish(Report::StateNotRestored { actor, why });
    }

    pub(crate) fn unused_collector(&self, place: Name, name: String, marking: Marking) {
        self.publish(Report::UnusedCollector {
            place,
            name,
            marking,
        });
    }

    pub(crate) fn thread_failed(&self, error: &io::Error) {
        self.publish(Report::ThreadFailed {
            error: error.to_string(),
        });
    }

    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    pub(crate) fn latest(&self) -> Vec<Report> {
        lock(&self.latest).iter().cloned().collect()
    }

    fn publish(&self, report: Report) {
        observe::report(&report);
        if let Some(listener) = &self.listener {
            // On a worker's or the clock's thread: a panic of the listener must not end that
            // thread.
            let _heard = catch(|| listener(&report));
        }
        let mut latest = lock(&self.latest);
        if latest.len() == KEPT_MAX {
            latest.pop_front();
        }
        latest.push_back(report);
    }
}
