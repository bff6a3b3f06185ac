//! Merging: the objects of a region become its holder's.

use super::iso::Iso;
use crate::collector::Ageing;
use crate::heap::Core;
use crate::mutator::Mutator;
use crate::orca::Owner;
use crate::sync::Arc;
use crate::types::Twin;
use std::mem;

impl<T: Twin> Iso<T> {
    /// Merges the region into the turn's heap: its objects are the heap's from here on, and its root is a value of the turn.
    ///
    /// Its young objects are moved once; then it costs some stores for each page, and a count for each shared object that it refers to. Watches
    /// over its objects end.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Iso, Pacing, Root, Source};
    ///
    /// struct Names;
    /// impl Root for Names {
    ///     type Of<'gc> = Vec<Gc<'gc, str>>;
    /// }
    ///
    /// let source = Arc::new(Source::new());
    /// let iso = Iso::<Vec<Gc<'static, str>>>::new(&source, |r| vec![r.alloc_str("rain")]);
    /// let mut heap = Heap::<Names>::new(&source, Pacing::default(), |_| Vec::new());
    /// heap.turn(|m, names| *names = iso.merge(m));
    /// heap.collect();
    /// heap.turn(|_, names| assert_eq!(&*names[0], "rain"));
    /// ```
    ///
    /// # Panics
    ///
    /// The heap has its pages from another source. The region is lost then.
    pub fn merge<'gc>(mut self, holder: &Mutator<'gc>) -> T::Of<'gc> {
        let heap = holder.heap();
        // SAFETY: the turn's heap is there as long as its turn; within this function nothing else reaches it, and no foreign code runs: destructors are
        // of the region's dead, which are swept before.
        let sources = unsafe { &(*heap.as_ref().get()).source };
        assert!(
            Arc::ptr_eq(sources, &self.heap.core().source),
            "a region is merged into a heap that has its pages from another source: make both with one `Source`, or send what the region has by a parcel"
        );
        self.heap.sweep();
        let (region, root) = self.heap.parts();
        region.minor(root, Ageing::Never);
        // SAFETY: as above.
        unsafe { (*heap.as_ref().get()).absorb(region) };
        let (core, root) = self.heap.take_apart();
        drop(core);
        // SAFETY: the same type but for its brand: the objects to which it refers are this heap's now. The region does not use it any more.
        unsafe { mem::transmute_copy(&root) }
    }
}

impl Core {
    /// Takes in all objects of a region, which has an empty nursery and nothing to sweep, and the same source.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both.
    unsafe fn absorb(&mut self, region: &mut Core) {
        self.counted.born_old(region.old.live);
        debug_assert!(region.tags.get_mut().is_empty(), "Y3");
        let own = Owner::name(&self.owner);
        // SAFETY: the caller's.
        unsafe { self.old.absorb(&mut region.old, own) };
        // Written since they became old, or never clean: what comes in without a bit is told of at its next write, or remembered here.
        self.remembered
            .get_mut()
            .append(region.remembered.get_mut());
        // SAFETY: as above; what the region counts lives.
        unsafe { self.sharing.get_mut().absorb(own, region.sharing.get_mut()) };
    }
}
