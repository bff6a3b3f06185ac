//! Freezing: the objects of a region become shared objects of its holder, and are never written
//! again (Y6).

use super::iso::Iso;
use crate::alloc::header::Header;
use crate::gc::mutator::Mutator;
use crate::object::erased::Erased;
use crate::object::evacuator::CLEAN;
use crate::object::object_trait::Object;
use crate::object::table::Table;
use crate::types::freeze::{Freeze, FreezeOf};
use crate::types::val::Val;
use std::mem;

impl<T: Erased> Iso<T> {
    /// Freezes the region: from here on its objects are shared objects of the turn's heap, which
    /// never change and never move. Each `Gc` in them is read as a [`Val`]. Returns the root, as an
    /// object: of a root that is a `Gc` itself, `*iso.freeze(m)` is the graph.
    ///
    /// Its young objects are evacuated once. Apart from that it costs some stores for each page, a
    /// count for each shared object that the region refers to, and one object for the root. Death
    /// watches over its objects end. Objects that were not reachable any more are freed by the
    /// heap's next mark.
    ///
    /// In an open region the frozen objects belong to the heap of the turn around it, as all shared
    /// objects do.
    ///
    /// [`Freeze`] says how each type is read then, and what has no frozen form.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Freeze, Gc, Heap, Ice, Iso, Mut, Object, Pacing, Root, PageSource, Val};
    ///
    /// #[derive(Object, Freeze)]
    /// struct Level<'gc> {
    ///     price: u64,
    ///     better: Option<Gc<'gc, Mut<Level<'gc>>>>,
    ///     worse: Option<Gc<'gc, Mut<Level<'gc>>>>,
    /// }
    /// type Best<'gc> = Gc<'gc, Mut<Level<'gc>>>;
    ///
    /// struct Book;
    /// impl Root for Book {
    ///     type Of<'gc> = Option<Val<'gc, Ice<Mut<Level<'gc>>>>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let iso = Iso::<Best<'static>>::new(&source, |r| {
    ///     let best = r.alloc(Mut::new(Level { price: 101, better: None, worse: None }));
    ///     let next = r.alloc(Mut::new(Level { price: 100, better: Some(best), worse: None }));
    ///     best.borrow_mut(r).worse = Some(next);
    ///     best
    /// });
    /// let mut publisher = Heap::<Book>::new(&source, Pacing::default(), |_| None);
    /// let mut reader = Heap::<Book>::new(&source, Pacing::default(), |_| None);
    /// let parcel = publisher.turn(|m, _| m.pack::<Val<'static, Ice<Mut<Level<'static>>>>>(*iso.freeze(m)));
    /// reader.turn(|m, book| *book = Some(m.unpack(parcel)));
    /// reader.turn(|_, book| {
    ///     let worse = book.unwrap().read().worse.unwrap().read();
    ///     assert_eq!((worse.price, worse.better.unwrap().read().price), (100, 101));
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// The heap has its pages from another source, or there is no memory for the root. The region
    /// is lost then. Also in a region that was opened without a heap: there is no heap that could
    /// own the objects.
    pub fn freeze<'gc>(
        self,
        holder: &Mutator<'gc>,
    ) -> Val<'gc, <T::Of<'gc> as FreezeOf<'gc>>::Frozen>
    where
        T::Of<'gc>: Freeze<'gc>,
    {
        const {
            assert!(
                align_of::<T::Of<'static>>() <= 8,
                "an object is aligned to 8 bytes at most; box what needs more"
            );
        }
        let owner = holder.sharer();
        // The remembered objects are scanned before the pages go, and are clean then: nothing is
        // left that a later write barrier or collection could write.
        // SAFETY: the owner's turn lasts, and within this function nothing else accesses its heap.
        let root = unsafe { self.quiesce().give_to(owner) };
        // SAFETY: the same type but for its brand: all that it refers to belongs to this turn. The
        // region does not use it any more.
        let root: T::Of<'gc> = unsafe { mem::transmute_copy(&root) };
        let room = holder.allocate_shared(size_of::<T::Of<'gc>>());
        // SAFETY: there is room for the header, and for the value behind it. The caller had the
        // region, so there is no other reference to what is in it; and from here on there is no
        // `Gc` to it, because `Freeze` gives none.
        unsafe {
            room.write(Header::new(Table::of::<T::Of<'gc>>()));
            let value = room.add(1).cast::<T::Of<'gc>>();
            value.write(root);
            if <T::Of<'gc> as Object<'gc>>::MUTABLE {
                // The flag that the collection in `settle` would have written, had the root been an
                // object then. A `Mut` begins with its flag.
                value.cast::<u32>().write(CLEAN);
            }
            if const { mem::needs_drop::<T::Of<'static>>() } {
                holder.note_drop_shared(room);
            }
            Val::at(<T::Of<'gc> as FreezeOf<'gc>>::frozen(value))
        }
    }
}
