//! [`Ledger`]: adds up who counts what, over all heaps and parcels (O3, O4, O5).

use super::held::Held;
use super::orphan::Orphan;
use super::parcel::Parcel;
use crate::header::Header;
use crate::heap::{Heap, Root};
use crate::region::Iso;
use crate::types::Twin;
use crate::verify::Fault;
use crate::walk::{Referrer, Search};
use std::collections::{BTreeMap, HashMap};
use std::ptr::NonNull;

/// A check of everything that is shared: give it all heaps, orphans, parcels and held references
/// that there are, and ask.
///
/// It remembers what it was shown, so nothing may happen between that and the question. For tests
/// and simulations: it walks through all heaps.
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Heap, Ledger, Pacing, Root, Source, Val};
///
/// struct News;
/// impl Root for News {
///     type Of<'gc> = Val<'gc, str>;
/// }
///
/// let source = Arc::new(Source::new());
/// let mut heap = Heap::<News>::new(&source, Pacing::default(), |m| m.val_str("rain"));
/// let parcel = heap.turn(|m, news| m.pack::<Val<'static, str>>(*news));
///
/// let mut ledger = Ledger::default();
/// ledger.heap(&mut heap).unwrap();
/// assert_eq!(ledger.check().unwrap_err().rule, "O5", "the parcel is missing");
/// ledger.parcel(&parcel);
/// assert_eq!(ledger.check(), Ok(()));
/// ```
#[derive(Default, Debug)]
pub struct Ledger {
    /// What owners know of the references that others have.
    known: BTreeMap<usize, i64>,
    /// The references that others have.
    had: BTreeMap<usize, i64>,
    /// What is reached from heaps' states, parcels and held references, and by which type.
    roots: Vec<(usize, Referrer)>,
    /// All objects that live at their owners, with what they refer to that is shared.
    alive: HashMap<usize, Vec<usize>>,
    names: HashMap<usize, &'static str>,
}

impl Ledger {
    /// Verifies a heap, and takes down what it counts and refers to.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn heap<R: Root>(&mut self, heap: &mut Heap<R>) -> Result<(), Fault> {
        if heap.heed() {
            // Its holder has to know.
            heap.tells_again();
        }
        let Ledger {
            known,
            had,
            roots,
            alive,
            names,
        } = self;
        heap.verify_each(|object, edges| {
            let name = object.map(|object| {
                // SAFETY: the verifier has seen that an object begins there.
                let name = (unsafe { object.as_ref() }.table().name)();
                names.insert(address(object), name);
                // Of a frozen object its own heap's too: others read them as shared.
                alive.insert(address(object), edges.all().map(address).collect());
                name
            });
            roots.extend(edges.foreign.iter().map(|edge| (address(*edge), name)));
        })?;
        let sharing = heap.parts().0.sharing.get_mut();
        for export in sharing.exports.iter() {
            *known.entry(address(export.object)).or_default() += export.count;
        }
        for (object, count) in sharing.imports.iter() {
            *had.entry(address(object)).or_default() += count;
        }
        Ok(())
    }

    /// As [`Ledger::heap`], of what is left of one.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn orphan(&mut self, orphan: &mut Orphan) -> Result<(), Fault> {
        orphan.hears(usize::MAX);
        self.heap(&mut orphan.heap)
    }

    /// As [`Ledger::heap`], of a region.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn iso<T: Twin>(&mut self, iso: &mut Iso<T>) -> Result<(), Fault> {
        self.heap(iso.heap_mut())
    }

    /// Takes down what a parcel has.
    pub fn parcel<T: Twin>(&mut self, parcel: &Parcel<T>) {
        parcel
            .roots()
            .into_iter()
            .for_each(|root| self.has_one(root));
    }

    /// Takes down what is held.
    pub fn held<T: ?Sized>(&mut self, held: &Held<T>) {
        self.has_one(held.header());
    }

    fn has_one(&mut self, object: NonNull<Header>) {
        *self.had.entry(address(object)).or_default() += 1;
        self.roots.push((address(object), None));
    }

    /// Whether all counts agree, and all that anybody reaches lives at its owner.
    ///
    /// # Errors
    ///
    /// The rule that is broken first: O5 for counts, O3 for what is reached.
    pub fn check(&self) -> Result<(), Fault> {
        let objects: BTreeMap<usize, ()> = self
            .known
            .keys()
            .chain(self.had.keys())
            .map(|&object| (object, ()))
            .collect();
        let count = |of: &BTreeMap<usize, i64>, object| of.get(&object).copied().unwrap_or(0);
        for (object, ()) in objects {
            let (known, had) = (count(&self.known, object), count(&self.had, object));
            if known != had {
                let what = match known < had {
                    true => "others have more references than its owner knows",
                    false => "its owner knows of more references than others have",
                };
                return self.fault("O5", what, object, None);
            }
        }
        let mut reached = Search::new();
        for (root, from) in &self.roots {
            reached.extend([*root], *from);
        }
        while let Some((object, from)) = reached.next() {
            let Some(edges) = self.alive.get(&object) else {
                let what =
                    "it is reached from elsewhere, and its owner does not know that it lives";
                return self.fault("O3", what, object, from);
            };
            let name = self.names.get(&object).copied();
            reached.extend(edges.iter().copied(), name);
        }
        Ok(())
    }

    fn fault(
        &self,
        rule: &'static str,
        what: &'static str,
        address: usize,
        from: Referrer,
    ) -> Result<(), Fault> {
        Err(Fault {
            rule,
            what,
            address,
            from,
        })
    }
}

fn address(object: NonNull<Header>) -> usize {
    object.addr().get()
}
