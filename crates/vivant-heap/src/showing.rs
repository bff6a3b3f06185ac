//! [`Heap::collect_and_show`]: what living objects hold of things that are counted elsewhere.

use crate::collector::Shows;
use crate::heap::{Begun, Heap, Root};
use crate::types::Holdings;
use std::any::Any;

impl<R: Root> Heap<R> {
    /// As [`Heap::collect`], and hands what living objects show
    /// ([`Object::show_holdings`](crate::Object::show_holdings)) to `each`, if the state reaches
    /// them by references that are the heap's own (`Gc`, and collections). The state itself shows
    /// nothing here, nor do shared objects (`Val`), which others may read, and the insides of
    /// regions. If one of them or `each` panics, the rest is not shown; the collection is over by
    /// then.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Heap, Object, Pacing, Root, Source, leaf};
    ///
    /// struct Door(u64);
    /// leaf!([] Door, door shows &door.0);
    ///
    /// #[derive(Object)]
    /// struct Room<'gc> {
    ///     doors: Vec<Door>,
    ///     next: Option<Gc<'gc, Room<'gc>>>,
    /// }
    /// struct House;
    /// impl Root for House {
    ///     type Of<'gc> = Gc<'gc, Room<'gc>>;
    /// }
    ///
    /// let mut heap = Heap::<House>::new(&Arc::new(Source::new()), Pacing::default(), |m| {
    ///     let next = Some(m.alloc(Room { doors: vec![Door(3)], next: None }));
    ///     m.alloc(Room { doors: vec![Door(1), Door(2)], next })
    /// });
    /// let mut doors = Vec::new();
    /// heap.collect_and_show(&mut |held| doors.extend(held.downcast_ref::<u64>().copied()));
    /// assert_eq!(doors, [1, 2, 3]);
    /// ```
    pub fn collect_and_show(&mut self, each: &mut dyn FnMut(&dyn Any)) {
        if self.never() {
            return;
        }
        let (core, state) = self.parts();
        core.major(state, Shows::Private);
        self.check();
        self.show(each);
    }

    /// As [`Heap::begin_mark`], and notes which objects may show something, for [`Heap::show`]. If
    /// a mark runs already, it notes what that was begun to note.
    pub fn begin_mark_to_show(&mut self) -> Begun {
        self.begin_mark_and_note(Shows::Private)
    }

    /// Hands over what the objects show that the last mark has noted: as [`Heap::collect_and_show`]
    /// does, and with what these objects hold now. Nothing a second time. If a turn has run since
    /// the mark began, there may be others too, and some of these may not be reached any more.
    pub fn show(&mut self, each: &mut dyn FnMut(&dyn Any)) {
        let showing = std::mem::take(&mut self.parts().0.showing);
        let mut shown = Holdings::to(each);
        for &object in showing.iter() {
            // SAFETY: the last mark has met it, and no other has begun since: so it was not swept,
            // and is old. No turn and no collection runs: both need the heap, which is borrowed.
            // The value follows the header.
            unsafe {
                if let Some(show) = object.as_ref().table().show {
                    show(object.add(1).cast(), &mut shown);
                }
            }
        }
    }

    /// Whether an object was ever made in it that may show something.
    #[inline]
    #[must_use]
    pub fn shows(&self) -> bool {
        self.core().shows.get()
    }
}
