//! [`CountVerifier`]: the count verifier. It adds up counts and references over all heaps and
//! parcels (O3, O4, O5).

use crate::alloc::header::Header;
use crate::fault::Fault;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Heap, Root};
use crate::mark::walk::{Referrer, Search};
use crate::object::erased::Erased;
use crate::region::iso::Iso;
use crate::share::holder_root::Held;
use crate::share::parcel::Parcel;
use std::collections::{BTreeMap, HashMap};
use std::ptr::NonNull;

/// The count verifier: checks everything that is shared. Show it all heaps, detached heaps, parcels
/// and held references that exist, then call [`CountVerifier::check`].
///
/// It records what it is shown, so nothing may change between the first recording and the check.
/// For tests and simulations: it walks all heaps.
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Heap, CountVerifier, Pacing, Root, PageSource, Val};
///
/// struct News;
/// impl Root for News {
///     type Of<'gc> = Val<'gc, str>;
/// }
///
/// let source = Arc::new(PageSource::new());
/// let mut heap = Heap::<News>::new(&source, Pacing::default(), |m| m.val_str("rain"));
/// let parcel = heap.turn(|m, news| m.pack::<Val<'static, str>>(*news));
///
/// let mut verifier = CountVerifier::default();
/// verifier.heap(&mut heap).unwrap();
/// assert_eq!(verifier.check().unwrap_err().rule, "O5", "the parcel is missing");
/// verifier.parcel(&parcel);
/// assert_eq!(verifier.check(), Ok(()));
/// ```
#[derive(Default, Debug)]
pub struct CountVerifier {
    /// The exports: the number of foreign references to each object, by its owner's counts.
    exported: BTreeMap<usize, i64>,
    /// The weights that other heaps, parcels and holder roots have.
    weights: BTreeMap<usize, i64>,
    /// Objects referred to by heaps' states, parcels and held references, each with the type that
    /// refers to it.
    roots: Vec<(usize, Referrer)>,
    /// All live objects at their owners, each with the shared objects that it refers to.
    live: HashMap<usize, Vec<usize>>,
    names: HashMap<usize, &'static str>,
}

impl CountVerifier {
    /// Verifies a heap, and records its counts and references.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn heap<R: Root>(&mut self, heap: &mut Heap<R>) -> Result<(), Fault> {
        if heap.drain_all() {
            // The heap's holder needs this result too.
            heap.note_again();
        }
        let CountVerifier {
            exported,
            weights,
            roots,
            live,
            names,
        } = self;
        heap.verify_each(|object, edges| {
            let name = object.map(|object| {
                // SAFETY: the verifier has checked that an object begins there.
                let name = (unsafe { object.as_ref() }.table().name)();
                names.insert(address(object), name);
                // Of a frozen object also those of its own heap: other heaps read them as shared.
                live.insert(address(object), edges.all().map(address).collect());
                name
            });
            roots.extend(edges.foreign.iter().map(|edge| (address(*edge), name)));
        })?;
        let sharing = heap.parts().0.sharing.get_mut();
        for export in sharing.exports.iter() {
            *exported.entry(address(export.object)).or_default() += export.count;
        }
        for (object, by) in sharing.kept.iter() {
            *exported.entry(address(object)).or_default() += by;
        }
        for (object, count) in sharing.imports.iter() {
            *weights.entry(address(object)).or_default() += count;
        }
        Ok(())
    }

    /// As [`CountVerifier::heap`], for a detached heap.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn detached(&mut self, detached: &mut DetachedHeap) -> Result<(), Fault> {
        detached.drain_piece(usize::MAX);
        self.heap(&mut detached.heap)
    }

    /// As [`CountVerifier::heap`], for a region.
    ///
    /// # Errors
    ///
    /// As [`Heap::verify`].
    pub fn iso<T: Erased>(&mut self, iso: &mut Iso<T>) -> Result<(), Fault> {
        self.heap(iso.heap_mut())
    }

    /// Records the references in a parcel.
    pub fn parcel<T: Erased>(&mut self, parcel: &Parcel<T>) {
        parcel
            .roots()
            .into_iter()
            .for_each(|root| self.record_one(root));
    }

    /// Records a held reference.
    pub fn held<T: ?Sized>(&mut self, held: &Held<T>) {
        self.record_one(held.header());
    }

    fn record_one(&mut self, object: NonNull<Header>) {
        *self.weights.entry(address(object)).or_default() += 1;
        self.roots.push((address(object), None));
    }

    /// Checks that all counts agree, and that each reached object is live at its owner.
    ///
    /// # Errors
    ///
    /// The first rule that is broken: O5 for counts, O3 for reached objects.
    pub fn check(&self) -> Result<(), Fault> {
        let objects: BTreeMap<usize, ()> = self
            .exported
            .keys()
            .chain(self.weights.keys())
            .map(|&object| (object, ()))
            .collect();
        let count = |of: &BTreeMap<usize, i64>, object| of.get(&object).copied().unwrap_or(0);
        for (object, ()) in objects {
            let (exported, weights) = (count(&self.exported, object), count(&self.weights, object));
            if exported != weights {
                let what = match exported < weights {
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
            let Some(edges) = self.live.get(&object) else {
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
