//! The worst order: the owner of a notified inbox collects at once, before the sender of the delta
//! continues.

use super::model_tests::{Ended, Noted, Thing, Things};
use crate::check::count_verifier::CountVerifier;
use crate::gc::heap::Heap;
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Stress, When};
use crate::injected_fault::{self, InjectedFault};
use crate::pages::page_source::PageSource;
use crate::sync::{Arc, Mutex};
use crate::types::val::Val;
use std::task::{Wake, Waker};

/// A heap that collects whenever a delta arrives, except during its own turns and collections.
struct Eager(Mutex<Option<Heap<Things>>>);

impl Eager {
    fn with<T>(&self, body: impl FnOnce(&mut Heap<Things>) -> T) -> T {
        body(self.0.lock().unwrap().as_mut().unwrap())
    }
}

impl Wake for Eager {
    fn wake(self: Arc<Self>) {
        // A heap that is broken already is left alone.
        if let Ok(mut heap) = self.0.try_lock()
            && let Some(heap) = &mut *heap
        {
            heap.drain_all();
            if heap.verify().is_ok() {
                heap.collect();
                heap.sweep();
            }
        }
    }
}

fn eager(source: &Arc<PageSource>) -> Arc<Eager> {
    let pacing = Pacing {
        stress: Some(Stress::new(When::Paced, 1)),
        ..Pacing::default()
    };
    let heap = Heap::<Things>::new(source, pacing, |_| Vec::new());
    let eager = Arc::new(Eager(Mutex::new(Some(heap))));
    let waker = Waker::from(eager.clone());
    eager.with(|heap| heap.wake_by(waker));
    eager
}

type One = Val<'static, Thing<'static>>;

/// Sends a new object from one heap to another, with the first heap's objects as its components.
/// The first heap keeps neither.
fn send(from: &Eager, to: &Eager, number: usize, ended: &Ended) {
    let parcel = from.with(|heap| {
        heap.turn(|m, state| {
            let parts = std::mem::take(state);
            let noted = Noted(number, ended.clone());
            m.pack::<One>(m.val(Thing { noted, parts }))
        })
    });
    to.with(|heap| heap.turn(|m, state| state.push(m.unpack(parcel))));
}

/// The third heap gets a container of the second one, with a component of the first one, and keeps
/// only the component. Returns how often the two were destroyed, and whether the count verifier
/// finds no fault.
fn a_component_stays_live() -> (Vec<u32>, bool) {
    let source = Arc::new(PageSource::new());
    let ended = Ended::new(Mutex::new(vec![0, 0]));
    let heaps = [(); 3].map(|()| eager(&source));
    let [a, b, c] = &heaps;
    send(a, b, 0, &ended);
    send(b, c, 1, &ended);
    c.with(|heap| {
        heap.turn(|_, state| {
            let part = Val::as_ref(state[0]).parts[0];
            *state = vec![part];
        });
        heap.collect();
    });
    let mut verifier = CountVerifier::default();
    let mut in_order = |heap: &Arc<Eager>| heap.with(|heap| verifier.heap(heap)).is_ok();
    let in_order = heaps.iter().all(&mut in_order) && verifier.check().is_ok();
    let seen = ended.lock().unwrap().clone();
    for heap in heaps.into_iter().rev() {
        let heap = heap.0.lock().unwrap().take();
        // Heaps with exports are dropped after the heaps that import them; a broken one is leaked.
        match in_order {
            true => drop(heap),
            false => std::mem::forget(heap),
        }
    }
    (seen, in_order)
}

#[test]
fn a_component_is_counted_before_its_container_is_released() {
    assert_eq!(a_component_stays_live(), (vec![0, 1], true));
}

#[test]
fn injected_faults_of_order_are_caught() {
    let (ended, in_order) = injected_fault::with(InjectedFault::DecFirst, a_component_stays_live);
    assert_eq!((ended, in_order), (vec![1, 1], false));
}
