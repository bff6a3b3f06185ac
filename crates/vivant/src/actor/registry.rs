//! All actors of a system: for inspection and shutdown. It owns the lifetime of each (C5); an actor
//! does not own itself.
//!
//! Slabs: the start and the end of an actor touch one place each, however many actors there are,
//! because an actor knows its place.

use super::header::Header;
use super::reference::CellRef;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};

/// Number of slabs: workers seldom contend for one.
const SLABS: usize = 16;

#[derive(Default)]
pub(crate) struct Registry([Slab; SLABS]);

#[repr(align(128))]
#[derive(Default)]
struct Slab {
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    taken: Vec<Option<CellRef>>,
    free: Vec<u32>,
}

thread_local! {
    /// The slab for actors made by this thread: it affects speed only.
    static SLAB: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % SLABS
    };
}

/// A slab's number and a place in it, in one word.
fn packed(slab: usize, at: u32) -> u32 {
    at * SLABS as u32 + slab as u32
}

fn place_of(packed: u32) -> (usize, usize) {
    (packed as usize % SLABS, packed as usize / SLABS)
}

#[cold]
fn full() -> ! {
    #[allow(clippy::print_stderr, reason = "the last words of the process")]
    {
        eprintln!("vivant: a system has room for 2^28 living actors from one thread");
    }
    std::process::abort()
}

impl Registry {
    /// Ends the process if a slab has no room for another: more than 2²⁸ actors of one thread.
    /// Unwinding would leave an actor without an owner of its lifetime (C5).
    pub(crate) fn insert(&self, cell: CellRef) {
        let slab = SLAB.try_with(|slab| *slab).unwrap_or(0);
        let mut places = lock(&self.0[slab].places);
        let at = places.free.pop().unwrap_or(places.taken.len() as u32);
        if at >= u32::MAX / SLABS as u32 {
            full();
        }
        cell.place.store(packed(slab, at), Ordering::Relaxed);
        match places.taken.get_mut(at as usize) {
            Some(place) => *place = Some(cell),
            None => places.taken.push(Some(cell)),
        }
    }

    /// Removes the actor, if it is there.
    pub(crate) fn remove(&self, actor: &Header) -> Option<CellRef> {
        let (slab, at) = place_of(actor.place());
        let mut places = lock(&self.0[slab].places);
        let there = places.taken.get_mut(at)?;
        if there.as_ref().is_none_or(|cell| cell.id != actor.id) {
            return None;
        }
        let cell = there.take();
        places.free.push(at as u32);
        cell
    }

    /// The actor with this number that was put at this place, if it is still there.
    pub(crate) fn get(&self, id: u64, place: u32) -> Option<CellRef> {
        let (slab, at) = place_of(place);
        let places = lock(&self.0[slab].places);
        let there = places.taken.get(at)?.as_ref()?;
        (there.id == id).then(|| there.clone())
    }

    pub(crate) fn len(&self) -> usize {
        let alive = |slab: &Slab| {
            let places = lock(&slab.places);
            places.taken.len() - places.free.len()
        };
        self.0.iter().map(alive).sum()
    }

    /// All actors that exist now, in the order of their creation.
    pub(crate) fn all(&self) -> Vec<CellRef> {
        let mut all: Vec<CellRef> = self
            .0
            .iter()
            .flat_map(|slab| {
                let places = lock(&slab.places);
                places.taken.iter().flatten().cloned().collect::<Vec<_>>()
            })
            .collect();
        all.sort_by_key(|cell| cell.id);
        all
    }
}
