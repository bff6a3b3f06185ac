//! [`Images`]: the images of a system in which the last states of its actors are.

use crate::actor::{Scope, Shared};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{Mutex, lock};
use std::collections::VecDeque;
use vivant_journal::{Catalog, HeldImage, WeakCatalog};

/// So many of the last images are known, of the system, and of trees.
const KNOWN_MAX: usize = 16;

/// The last images of a system: those that it has taken, and the one of which it was made. In
/// images of other systems its numbers of actors mean others.
///
/// It keeps no store open: a program that has closed its journal can open it again.
#[derive(Default)]
pub(crate) struct Images(Mutex<VecDeque<KnownImage>>);

#[derive(Clone)]
struct KnownImage {
    catalog: WeakCatalog,
    number: u64,
    of: ImageOf,
    /// The number of its cut.
    phase: u64,
}

/// Of what an image is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageOf {
    System,
    Tree,
}

/// An image that stays.
pub(super) struct OpenImage {
    pub(super) catalog: Catalog,
    pub(super) number: u64,
    _held: HeldImage,
}

impl Images {
    fn of(system: &Shared) -> &Images {
        system.extensions.part()
    }

    /// This image exists, of the cut of this phase. That of which the system was made is of phase
    /// 0.
    pub(super) fn add(
        system: &Shared,
        (catalog, number): (&Catalog, u64),
        phase: u64,
        scope: &Scope,
    ) {
        let mut images = lock(&Images::of(system).0);
        images.retain(|known| known.catalog.upgrade().is_some());
        let of = match scope {
            Scope::System => ImageOf::System,
            Scope::Tree(_) => ImageOf::Tree,
        };
        // Of two snapshots the older cut may be published last.
        let place = images.partition_point(|known| known.phase > phase);
        let known = KnownImage {
            catalog: catalog.downgrade(),
            number,
            of,
            phase,
        };
        images.insert(place, known);
        // Each kind has its places: an image of a tree lacks most actors.
        if images.iter().filter(|known| known.of == of).count() > KNOWN_MAX
            && let Some(oldest) = images.iter().rposition(|known| known.of == of)
        {
            images.remove(oldest);
        }
    }

    /// The images of which the stores are open, newest first. They stay as long as these values
    /// live; retention may have removed some before.
    pub(super) fn newest_first(system: &Shared) -> Vec<OpenImage> {
        let images = lock(&Images::of(system).0).clone();
        let open = images.into_iter().filter_map(|known| {
            let (catalog, number) = (known.catalog.upgrade()?, known.number);
            Some(OpenImage {
                _held: catalog.hold(number),
                catalog,
                number,
            })
        });
        #[cfg(test)]
        if is_planted(InjectedFault::OldestState) {
            return open.rev().collect();
        }
        open.collect()
    }
}
