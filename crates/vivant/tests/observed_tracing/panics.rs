//! A subscriber that panics when a message is sent.

use super::{Desk, collector::Seen};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::Subscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata};
use tracing_core::span::Current;
use vivant::simulation::Simulation;

/// As the subscriber, but it panics whenever it is asked for the current span.
struct Panics<S>(S, Arc<AtomicU64>);

impl<S: Subscriber> Subscriber for Panics<S> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.enabled(metadata)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.new_span(span)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.0.record(span, values);
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        self.0.record_follows_from(span, follows);
    }

    fn event(&self, event: &Event<'_>) {
        self.0.event(event);
    }

    fn enter(&self, span: &Id) {
        self.0.enter(span);
    }

    fn exit(&self, span: &Id) {
        self.0.exit(span);
    }

    fn try_close(&self, id: Id) -> bool {
        self.0.try_close(id)
    }

    fn current_span(&self) -> Current {
        self.1.fetch_add(1, Ordering::Relaxed);
        panic!("a subscriber that panics");
    }
}

/// The messages arrive, and promises get their values.
#[test]
fn a_panic_of_a_subscriber_loses_no_message() {
    let panics = Arc::new(AtomicU64::new(0));
    let subscriber = Panics(Seen::default().subscriber(), panics.clone());
    tracing::subscriber::with_default(subscriber, || {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let desk = |next| system.spawn(Desk { next, open: false });
        let first = desk(Some(desk(Some(desk(None)))));
        assert_eq!(first.forward().ask_blocking(), Ok(7));
    });
    assert!(panics.load(Ordering::Relaxed) > 0);
}
