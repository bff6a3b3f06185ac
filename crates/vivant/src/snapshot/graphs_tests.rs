//! Actors with graphs, in images: at every turn.

use super::taking::goes_on_at_every_step;
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::time::Duration;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object, Pacing, Stress, When};

/// A book in a ring, which changes in place.
#[derive(Object, Saved)]
struct Book<'gc> {
    number: u64,
    /// Loaded before the label, which is made meanwhile.
    asks: Vec<Resolver<u64>>,
    label: Gc<'gc, Label<'gc>>,
    next: Option<Gc<'gc, Mut<Book<'gc>>>>,
    reader: Option<Address<Reader>>,
}

/// What never changes.
#[derive(Object, Saved)]
struct Label<'gc> {
    text: Gc<'gc, str>,
    before: Option<Gc<'gc, Label<'gc>>>,
}

#[derive(Actor)]
#[actor(saved, pacing = Pacing::new().stressed(Stress::new(When::All, 1)))]
struct LibraryState<'gc> {
    first: Option<Gc<'gc, Mut<Book<'gc>>>>,
    count: u64,
}

#[behaviours]
impl<'gc> LibraryState<'gc> {
    #[start]
    fn new() -> Self {
        LibraryState {
            first: None,
            count: 0,
        }
    }

    /// Adds a book to the ring.
    fn add(
        &mut self,
        t: &Turn<'gc, Library>,
        text: String,
        reader: Option<Address<Reader>>,
    ) -> u64 {
        self.count += 1;
        let before = self.first.map(|first| first.borrow().label);
        let text = t.alloc_str(&text);
        let label = t.alloc(Label { text, before });
        let next = self.first.and_then(|first| first.borrow().next);
        let number = self.count;
        let book = t.alloc(Mut::new(Book {
            number,
            label,
            next,
            reader,
            asks: Vec::new(),
        }));
        match self.first {
            Some(first) => first.borrow_mut(t).next = Some(book),
            None => {
                book.borrow_mut(t).next = Some(book);
                self.first = Some(book);
            }
        }
        number
    }

    /// The first book, behind which the ring goes on, is taken out.
    fn remove(&mut self, t: &Turn<'gc, Library>) -> u64 {
        let Some(first) = self.first else { return 0 };
        let Some(next) = first.borrow().next else {
            return 0;
        };
        let taken = next.borrow().number;
        if Gc::ptr_eq(first, next) {
            self.first = None;
            return taken;
        }
        let behind = next.borrow().next;
        first.borrow_mut(t).next = behind;
        for ask in next.borrow_mut(t).asks.drain(..) {
            ask.resolve(taken);
        }
        if let Some(reader) = &next.borrow().reader {
            t.send(reader.reads(taken));
        }
        taken
    }

    /// Resolved when the second book is removed.
    fn waits(&mut self, t: &Turn<'gc, Library>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        let next = self.first.and_then(|first| first.borrow().next);
        if let Some(next) = next {
            next.borrow_mut(t).asks.push(resolver);
        }
        promise
    }

    /// The numbers and labels of the ring.
    fn all(&self) -> Vec<(u64, String)> {
        let Some(first) = self.first else {
            return Vec::new();
        };
        let mut all = Vec::new();
        let mut at = first;
        loop {
            let book = at.borrow();
            let mut texts = book.label.text.to_string();
            let mut label = book.label.before;
            while let Some(before) = label {
                texts.push_str(&before.text);
                label = before.before;
            }
            all.push((book.number, texts));
            match book.next {
                Some(next) if !Gc::ptr_eq(next, first) => at = next,
                _ => return all,
            }
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Reader {
    library: Address<Library>,
    log: Vec<String>,
}

#[behaviours]
impl Reader {
    #[start]
    fn new(library: Address<Library>) -> Reader {
        let log = Vec::new();
        Reader { library, log }
    }

    fn begins(&mut self, t: &Turn<Self>) {
        for n in 0..8_u64 {
            let reader = n.is_multiple_of(3).then(|| t.me());
            t.ask(self.library.add("ab".repeat(n as usize), reader))
                .then_send(t.me().hears(n));
            if n == 2 {
                t.ask(self.library.waits()).then_send(t.me().hears(200));
            }
            if n > 3 {
                t.ask(self.library.remove()).then_send(t.me().hears(100));
                t.ask(self.library.all()).then_send(t.me().has_all());
            }
        }
        t.after(Duration::from_secs(1), t.me().goes_on());
    }

    fn goes_on(&mut self, t: &Turn<Self>) {
        t.ask(self.library.remove()).then_send(t.me().hears(300));
        t.ask(self.library.all()).then_send(t.me().has_all());
    }

    fn reads(&mut self, number: u64) {
        self.log.push(format!("reads {number}"));
    }

    #[then]
    fn hears(&mut self, number: Result<u64, AskError>, about: u64) {
        self.log.push(format!("{about}: {number:?}"));
    }

    #[then]
    fn has_all(&mut self, all: Result<Vec<(u64, String)>, AskError>) {
        self.log.push(format!("{all:?}"));
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Library, Reader)>().expect("they have names"))
}

fn begin(simulation: &Simulation) {
    let system = simulation.system();
    let library = Library::spawn(system);
    let reader = Reader::spawn(system, library);
    system.keep(&reader);
    reader.begins().send();
}

fn end(simulation: &Simulation) -> Vec<String> {
    simulation.run();
    let mut log = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle
                .state()
                .look::<Reader, _>(|it| log.extend(it.log.clone()));
            idle.park();
        }
    }
    log.sort_unstable();
    log
}

#[test]
fn a_graph_goes_on_after_a_restore() {
    let images = goes_on_at_every_step(4, &kinds(), begin, end);
    assert!(images > 20, "{images} images");
}
