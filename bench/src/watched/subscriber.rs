//! A subscriber that counts spans and events, and keeps the entered span of each thread.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

#[derive(Default)]
struct Counting {
    spans: AtomicU64,
    links: AtomicU64,
    events: AtomicU64,
    /// Of all spans: there is one kind.
    turn: OnceLock<&'static Metadata<'static>>,
}

thread_local! {
    static ENTERED: RefCell<Vec<Id>> = const { RefCell::new(Vec::new()) };
}

/// For the whole process, once.
pub(super) fn begin() {
    tracing::subscriber::set_global_default(Counting::default())
        .expect("the process sets one subscriber");
}

impl Subscriber for Counting {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "vivant"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.turn.get_or_init(|| span.metadata());
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {
        self.links.fetch_add(1, Ordering::Relaxed);
    }

    fn event(&self, _: &Event<'_>) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.clone()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(Vec::pop);
    }

    fn current_span(&self) -> Current {
        let id = ENTERED.with_borrow(|entered| entered.last().cloned());
        match (id, self.turn.get()) {
            (Some(id), Some(turn)) => Current::new(id, turn),
            _ => Current::none(),
        }
    }
}
