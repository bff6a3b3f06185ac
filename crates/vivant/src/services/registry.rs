//! All actors of a system: for inspection and shutdown. It owns the lifetime of each (C5); an actor
//! does not own itself.
//!
//! Slabs: the start and the end of an actor touch one place each, however many actors there are,
//! because an actor knows its place.

use crate::phase::Parity;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};

/// The place of a walk over all entries.
#[derive(Default)]
pub(crate) struct RegistryWalk {
    slab: usize,
    at: usize,
}

/// Number of slabs: workers seldom contend for one.
const SLABS: usize = 16;

pub(crate) struct Registry<T>([Slab<T>; SLABS]);

#[repr(align(128))]
struct Slab<T> {
    places: Mutex<Places<T>>,
}

struct Places<T> {
    taken: Vec<Option<T>>,
    free: Vec<u32>,
    /// Number of entries that are in a pass, by its parity (L1, L7).
    in_pass: [usize; 2],
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

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Registry(std::array::from_fn(|_| Slab::default()))
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        let (taken, free, in_pass) = (Vec::new(), Vec::new(), [0; 2]);
        Slab {
            places: Mutex::new(Places {
                taken,
                free,
                in_pass,
            }),
        }
    }
}

impl<T> Registry<T> {
    /// Inserts `entry`, which is in a pass of this parity. Calls `placed` with its place, under the
    /// lock.
    ///
    /// Ends the process if a slab has no room for another: more than 2²⁸ actors of one thread.
    /// Unwinding would leave an actor without an owner of its lifetime (C5).
    pub(crate) fn insert(&self, entry: T, in_pass: Parity, placed: impl FnOnce(&T, u32)) {
        let slab = SLAB.try_with(|slab| *slab).unwrap_or(0);
        let mut places = lock(&self.0[slab].places);
        let at = places.free.pop().unwrap_or(places.taken.len() as u32);
        if at >= u32::MAX / SLABS as u32 {
            full();
        }
        placed(&entry, packed(slab, at));
        places.in_pass[in_pass as usize] += 1;
        match places.taken.get_mut(at as usize) {
            Some(place) => *place = Some(entry),
            None => places.taken.push(Some(entry)),
        }
    }

    /// Removes the entry at this place, if it is the one meant. It is in a pass of this parity.
    pub(crate) fn remove(
        &self,
        place: u32,
        in_pass: Parity,
        is_meant: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let (slab, at) = place_of(place);
        let mut places = lock(&self.0[slab].places);
        let there = places.taken.get_mut(at)?;
        if !there.as_ref().is_some_and(is_meant) {
            return None;
        }
        let entry = there.take();
        places.in_pass[in_pass as usize] -= 1;
        places.free.push(at as u32);
        entry
    }

    /// The entry at this place has entered the next pass, of this parity.
    pub(crate) fn enters(&self, place: u32, in_pass: Parity) {
        let (slab, _) = place_of(place);
        let mut places = lock(&self.0[slab].places);
        places.in_pass[in_pass.other() as usize] -= 1;
        places.in_pass[in_pass as usize] += 1;
    }

    /// Returns the number of entries that are in a pass of this parity.
    pub(crate) fn in_pass(&self, in_pass: Parity) -> usize {
        let count = |slab: &Slab<T>| lock(&slab.places).in_pass[in_pass as usize];
        self.0.iter().map(count).sum()
    }

    pub(crate) fn len(&self) -> usize {
        let alive = |slab: &Slab<T>| {
            let places = lock(&slab.places);
            places.taken.len() - places.free.len()
        };
        self.0.iter().map(alive).sum()
    }
}

impl<T: Clone> Registry<T> {
    /// Returns the entry at this place, if it is the one meant.
    pub(crate) fn get(&self, place: u32, is_meant: impl FnOnce(&T) -> bool) -> Option<T> {
        let (slab, at) = place_of(place);
        let places = lock(&self.0[slab].places);
        let there = places.taken.get(at)?.as_ref()?;
        is_meant(there).then(|| there.clone())
    }

    /// Returns the next entries of a walk that is at this place, and moves it on by up to `places`
    /// places. `None`: the walk is over. What is inserted meanwhile may be missing.
    ///
    /// A slab without places takes no page: the pages of a simulation do not depend on which slab
    /// its thread has.
    pub(crate) fn next_page(&self, walk: &mut RegistryWalk, places: usize) -> Option<Vec<T>> {
        loop {
            let slab = lock(&self.0.get(walk.slab)?.places);
            if walk.at >= slab.taken.len() {
                (walk.slab, walk.at) = (walk.slab + 1, 0);
                continue;
            }
            let page = slab.taken.iter().skip(walk.at).take(places);
            walk.at += places;
            return Some(page.flatten().cloned().collect());
        }
    }

    /// Returns all entries that exist now, in no order.
    pub(crate) fn all(&self) -> Vec<T> {
        let slabs = self.0.iter();
        slabs
            .flat_map(|slab| {
                let places = lock(&slab.places);
                places.taken.iter().flatten().cloned().collect::<Vec<_>>()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages of entries that one thread has inserted.
    fn pages() -> Vec<Vec<u32>> {
        let registry = Registry::default();
        for entry in 0..5 {
            registry.insert(entry, Parity::Even, |_, _| ());
        }
        let mut walk = RegistryWalk::default();
        std::iter::from_fn(|| registry.next_page(&mut walk, 3)).collect()
    }

    #[test]
    fn the_pages_of_a_walk_are_the_same_on_each_thread() {
        for _ in 0..SLABS {
            let pages = std::thread::spawn(pages).join();
            let pages = pages.expect("it does not panic");
            assert_eq!(pages, [vec![0, 1, 2], vec![3, 4]]);
        }
    }
}
