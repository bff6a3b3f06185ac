//! A layer over the registry that keeps every span and event of the runtime, with its links.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// The record, in order.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Record>>);

#[derive(Default)]
pub(crate) struct Record {
    pub(crate) spans: Vec<Span>,
    pub(crate) events: Vec<Happened>,
    /// The maximum number of open spans.
    pub(crate) open_max: usize,
}

pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) target: String,
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// Index of its parent in the record.
    pub(crate) parent: Option<usize>,
    /// Indices of the spans that it follows from.
    pub(crate) follows: Vec<usize>,
    pub(crate) entered: usize,
    pub(crate) closed: bool,
}

pub(crate) struct Happened {
    pub(crate) level: tracing::Level,
    pub(crate) target: String,
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// The span in which it happened.
    pub(crate) within: Option<usize>,
}

struct Place(usize);

impl Seen {
    /// A subscriber that writes into this record.
    pub(crate) fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        Registry::default().with(Collector(self.clone()))
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().expect("no test panics in here")
    }
}

impl Record {
    /// The spans of turns of this behaviour.
    pub(crate) fn turns_of(&self, behaviour: &str) -> Vec<usize> {
        let of = |&at: &usize| {
            let span = &self.spans[at];
            span.name == "turn" && span.fields["behaviour"].ends_with(behaviour)
        };
        (0..self.spans.len()).filter(of).collect()
    }

    /// The only turn of this behaviour.
    pub(crate) fn turn_of(&self, behaviour: &str) -> usize {
        match self.turns_of(behaviour)[..] {
            [one] => one,
            ref others => panic!("{} turns of {behaviour}", others.len()),
        }
    }

    pub(crate) fn named(&self, name: &str) -> usize {
        let at = self.spans.iter().position(|span| span.name == name);
        at.unwrap_or_else(|| panic!("no span {name}"))
    }

    /// The runtime's events with this message.
    pub(crate) fn events_of(&self, message: &str) -> Vec<&Happened> {
        let of = |event: &&Happened| {
            let said = event.fields.get("message").map(String::as_str);
            event.target == "vivant" && said == Some(message)
        };
        self.events.iter().filter(of).collect()
    }
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

struct Collector(Seen);

fn place<S: Subscriber + for<'s> LookupSpan<'s>>(id: &Id, context: &Context<'_, S>) -> usize {
    let span = context.span(id).expect("a link leads to a living span");
    span.extensions().get::<Place>().expect("set at birth").0
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Collector {
    fn on_new_span(&self, new: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("it was just made");
        let parent = span.parent().map(|parent| place(&parent.id(), &context));
        let mut fields = BTreeMap::new();
        new.record(&mut Fields(&mut fields));
        let mut record = self.0.record();
        span.extensions_mut().insert(Place(record.spans.len()));
        record.spans.push(Span {
            name: new.metadata().name(),
            target: new.metadata().target().to_owned(),
            fields,
            parent,
            follows: Vec::new(),
            entered: 0,
            closed: false,
        });
        let open = record.spans.iter().filter(|span| !span.closed).count();
        record.open_max = record.open_max.max(open);
    }

    fn on_follows_from(&self, span: &Id, follows: &Id, context: Context<'_, S>) {
        let (span, follows) = (place(span, &context), place(follows, &context));
        self.0.record().spans[span].follows.push(follows);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let span = place(id, &context);
        self.0.record().spans[span].entered += 1;
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = place(&id, &context);
        self.0.record().spans[span].closed = true;
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        let within = context.event_span(event);
        self.0.record().events.push(Happened {
            level: *event.metadata().level(),
            target: event.metadata().target().to_owned(),
            fields,
            within: within.map(|span| place(&span.id(), &context)),
        });
    }
}
