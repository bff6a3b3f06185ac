//! Splitting: one region becomes two.

use super::holder::{Holder, Role};
use super::iso::{Iso, Rooted};
use crate::heap::{Core, Heap};
use crate::mutator::Mutator;
use crate::types::Twin;
use std::fmt;
use std::mem::{self, ManuallyDrop};

impl<T: Twin> Iso<T> {
    /// The same region with another root, which `body` makes of the one that it had. What the new one does not reach is freed when the region is
    /// collected. No shared objects can be made meanwhile. If `body` panics, the region is lost.
    ///
    /// ```
    /// use vivant_heap::{Gc, Iso};
    ///
    /// fn second(words: Iso<Vec<Gc<'static, str>>>) -> Iso<Option<Gc<'static, str>>> {
    ///     words.map(|_, words| words.get(1).copied())
    /// }
    /// ```
    pub fn map<U: Twin>(
        self,
        body: impl for<'r> FnOnce(&Mutator<'r>, T::Of<'r>) -> U::Of<'r>,
    ) -> Iso<U> {
        let (core, root) = self.heap.take_apart();
        let heap = Heap::<Rooted<U>>::on(core, |r| {
            // SAFETY: the same type but for its brand, which the body cannot choose or keep. It is used once.
            body(r, unsafe { mem::transmute_copy(&root) })
        });
        Iso { heap }
    }
}

impl<A: Twin, B: Twin> Iso<(A, B)> {
    /// Splits the region: what the second root reaches moves to a region of its own. [`Iso::map`] makes the pair of another root.
    ///
    /// Nothing may be reached from both; a weak reference from one part to the other is empty afterwards. Costs a mark of the first part and a move of the second,
    /// about what a collection of the region costs: whether the parts are disjoint cannot be known for less. So let the second be the smaller one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Gc, Iso, Mut, Object, Source};
    ///
    /// #[derive(Object)]
    /// struct Shard<'gc> {
    ///     name: String,
    ///     next: Option<Gc<'gc, Mut<Shard<'gc>>>>,
    /// }
    ///
    /// let source = Arc::new(Source::new());
    /// let whole = Iso::<Shard<'static>>::new(&source, |r| {
    ///     let east = r.alloc(Mut::new(Shard { name: "east".into(), next: None }));
    ///     Shard { name: "west".into(), next: Some(east) }
    /// });
    /// let pair = whole.map::<(Shard<'static>, Option<Gc<'static, Mut<Shard<'static>>>>)>(|_, mut west| {
    ///     let east = west.next.take();
    ///     (west, east)
    /// });
    /// let (mut west, mut east) = pair.split().expect("nothing refers to the other part");
    /// std::thread::spawn(move || east.open(|_, east| assert_eq!(east.unwrap().borrow().name, "east")));
    /// west.open(|_, west| assert_eq!(west.name, "west"));
    /// ```
    ///
    /// # Errors
    ///
    /// Both roots reach an object: [`NotDisjoint`] names its type, and has the region, as it was.
    pub fn split(self) -> Result<(Iso<A>, Iso<B>), NotDisjoint<A, B>> {
        let mut whole = self.settle();
        let (core, (rest, part)) = whole.heap.parts();
        let role = Role::Region(Holder::None);
        let mut apart = Core::new(&core.source, core.pacing, role);
        apart.get_mut().shows.set(core.shows.get());
        if let Err(shared) = core.split(rest, part, apart.get_mut()) {
            return Err(NotDisjoint { whole, shared });
        }
        let (core, roots) = whole.heap.take_apart();
        let (rest, part) = ManuallyDrop::into_inner(roots);
        let (mut rest, part) = (
            Heap::<Rooted<A>>::of(core, rest),
            Heap::<Rooted<B>>::of(apart, part),
        );
        rest.sweep();
        Ok((Iso { heap: rest }, Iso { heap: part }))
    }
}

/// A region that is not split, because both parts reach the same object.
pub struct NotDisjoint<A: Twin, B: Twin> {
    /// The region, as it was.
    pub whole: Iso<(A, B)>,
    /// The type of an object that both parts reach.
    pub shared: &'static str,
}

impl<A: Twin, B: Twin> fmt::Debug for NotDisjoint<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NotDisjoint");
        shown.field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl<A: Twin, B: Twin> fmt::Display for NotDisjoint<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the region is not split: both parts reach the same object, a `{}`. Take the references from one part to the other out first; the region is in \
             this error, as it was",
            self.shared
        )
    }
}

impl<A: Twin, B: Twin> std::error::Error for NotDisjoint<A, B> {}
