//! [`Parcel`]: values on their way from one heap to another.

use super::owner::Owner;
use super::post::Post;
use crate::collector::Tracer;
use crate::header::Header;
use crate::heap::Root;
use crate::mutator::Mutator;
use crate::types::{Object, Sendable};
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

/// A message on its way from one heap to another: the values that [`Mutator::pack`] took, until [`Mutator::unpack`] gives them to a turn.
///
/// What it shares lives, because the parcel counts each reference in it (O5). One that is dropped gives that back (O11): nothing leaks.
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Heap, Pacing, Root, Source, Val};
///
/// struct News;
/// impl Root for News {
///     type Of<'gc> = Option<Val<'gc, str>>;
/// }
///
/// let source = Arc::new(Source::new());
/// let mut paper = Heap::<News>::new(&source, Pacing::default(), |m| Some(m.val_str("rain")));
/// let mut reader = Heap::<News>::new(&source, Pacing::default(), |_| None);
///
/// let parcel = paper.turn(|m, news| m.pack::<News>(*news));
/// reader.turn(|m, news| *news = m.unpack(parcel));
/// paper.turn(|_, news| *news = None);
/// paper.collect();
/// reader.turn(|_, news| assert_eq!(&**news.as_ref().unwrap(), "rain"));
/// ```
#[must_use = "a parcel that is dropped was packed for nothing"]
pub struct Parcel<M: Root> {
    message: ManuallyDrop<M::Of<'static>>,
}

// SAFETY: all that lies in it may go to another thread: `Object::Static` is `Send`, and what it shares was allowed to be shared.
unsafe impl<M: Root> Send for Parcel<M> {}

/// Does something for each reference that lies in a message itself (O7).
fn each_root<'gc>(message: &impl Object<'gc>, each: impl FnMut(NonNull<Header>)) {
    let listed = Tracer::list(|tracer| message.trace(tracer));
    debug_assert!(
        listed.own.is_empty(),
        "`Sendable` has no references of one's own"
    );
    listed.shared.into_iter().for_each(each);
}

/// Whether a message type can share anything: known when it is compiled.
const fn shares<M: Root>() -> bool {
    <M::Of<'static> as Object<'static>>::NEEDS_TRACE
}

impl<'gc> Mutator<'gc> {
    /// Packs a message for another heap, or for another turn of this one.
    ///
    /// Costs a count for each reference to something shared that lies in the message itself, whatever lies below it (O7); nothing for
    /// a type that has none. Sometimes, for what belongs to a third heap, a change in that one's lane (O6).
    pub fn pack<M: Root>(&self, message: M::Of<'gc>) -> Parcel<M>
    where
        M::Of<'gc>: Sendable<'gc>,
    {
        let message = ManuallyDrop::new(message);
        if shares::<M>() {
            let (own, mut sharing) = (Owner::name(&self.core().owner), self.sharing());
            // SAFETY: this turn has the references, and its thread holds the heap.
            each_root(&*message, |root| unsafe { sharing.pack(own, root) });
        }
        Parcel {
            // SAFETY: the same type but for its brand. Nobody gets it in this form (Y4).
            message: unsafe { mem::transmute_copy(&message) },
        }
    }

    /// Takes a message out of its parcel. Costs as much as packing it.
    pub fn unpack<M: Root>(&self, parcel: Parcel<M>) -> M::Of<'gc> {
        let parcel = ManuallyDrop::new(parcel);
        // SAFETY: as in `pack`: with the brand of this turn, whose heap has what the message shares from here on. It is used once: nobody drops
        // the parcel.
        let message: M::Of<'gc> = unsafe { mem::transmute_copy(&parcel.message) };
        if shares::<M>() {
            let (own, mut sharing) = (Owner::name(&self.core().owner), self.sharing());
            // SAFETY: as in `pack`.
            each_root(&message, |root| unsafe { sharing.unpack(own, root) });
        }
        message
    }
}

impl<M: Root> Parcel<M> {
    /// The references in it, each with a weight of one.
    pub(super) fn roots(&self) -> Vec<NonNull<Header>> {
        let mut roots = Vec::new();
        each_root(&*self.message, |root| roots.push(root));
        roots
    }
}

impl<M: Root> Drop for Parcel<M> {
    fn drop(&mut self) {
        if shares::<M>() {
            let mut fewer = Post::default();
            // SAFETY: the parcel counts them until the post leaves, and nobody uses them.
            unsafe {
                each_root(&*self.message, |root| fewer.add(root, -1));
                fewer.leave();
            }
        }
        // SAFETY: once. Destructors are of leaves, which reach nothing shared (H10).
        unsafe { ManuallyDrop::drop(&mut self.message) };
    }
}

impl<M: Root> fmt::Debug for Parcel<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parcel").finish_non_exhaustive()
    }
}
