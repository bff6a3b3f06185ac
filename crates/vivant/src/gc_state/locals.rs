//! [`LocalsInHeap`]: the locals of a behaviour in steps, between two steps of an actor with a heap.
//!
//! They may refer to collected objects, so they lie in the heap, below its root. The message of the
//! next step has their type. A turn puts back what it leaves, not what it finds: the locals of a
//! step that does not run any more are garbage after the next turn.

use super::collected::GcState;
use crate::api::{Actor, KeepLocals, Turn};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::saving::{Codec, LocalsCodec, SaveKind, SavedInHeap, StoredShape};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::{Encoder, LoadError, Saved};
use vivant_heap::{Anything, Gc, HeapDecoder, Leaf, Mut, Object, unsize};

/// The type of locals, named without a brand. `#[behaviours]` implements it for the behaviour.
pub trait BrandedLocals: 'static {
    /// The locals in a turn with this brand.
    type Of<'gc>: Object<'gc>;

    /// How they are saved, if the actor's state is saved: `locals_codec`.
    #[doc(hidden)]
    const CODEC: Option<LocalsCodec> = None;
}

/// The codec of the locals `L` for an actor of the kind `K`. For the macros.
#[doc(hidden)]
#[must_use]
pub const fn locals_codec<K: SaveKind, L: BrandedLocals>() -> Option<LocalsCodec>
where
    for<'gc> L::Of<'gc>: SavedInHeap<'gc, K>,
{
    match K::SAVES.messages() {
        true => Some(LocalsCodec {
            shape: <L::Of<'static> as SavedInHeap<'static, K>>::IN_HEAP,
            save: save::<K, L>,
            load: load::<K, L>,
        }),
        false => None,
    }
}

fn save<'gc, K, L: BrandedLocals>(object: Gc<'gc, dyn Anything>, out: &mut Encoder<'_>)
where
    for<'any> L::Of<'any>: SavedInHeap<'any, K>,
{
    let object = Gc::downcast::<Mut<Option<L::Of<'gc>>>>(object);
    let locals = object.map(|object| object.borrow());
    match locals.as_deref() {
        Some(Some(locals)) => locals.save_in_heap(out),
        _ => out.error("locals that are not there"),
    }
}

fn load<'gc, 'a, K, L: BrandedLocals>(
    decoder: &HeapDecoder<'gc, '_>,
    bytes: &'a [u8],
    (comparison, shape): StoredShape<'a>,
) -> Result<Gc<'gc, dyn Anything>, LoadError>
where
    for<'any> L::Of<'any>: SavedInHeap<'any, K>,
{
    let current = <L::Of<'static> as SavedInHeap<'static, K>>::IN_HEAP;
    let mut input = decoder.of(bytes);
    let load = <L::Of<'gc> as SavedInHeap<'gc, K>>::load_in_heap;
    let locals = input.stored_by(comparison, shape, current, load)?;
    input.finish()?;
    Ok(unsize!(decoder.alloc(Mut::new(Some(locals))) => dyn Anything))
}

/// Locals with a brand: they are in the heap of the actor, and this message alone takes them out.
pub struct LocalsInHeap<L>(PhantomData<fn() -> L>);

/// The locals that a step has left, a `Mut<Option<L::Of>>` of which the pending step knows `L`; and
/// how they are saved.
pub(super) type Locals<'gc> = Option<(Gc<'gc, dyn Anything>, Leaf<Option<LocalsCodec>>)>;

/// The locals in a turn.
pub(super) struct TurnLocals<'gc> {
    found: Cell<Locals<'gc>>,
    left: Cell<Locals<'gc>>,
}

impl<'gc> TurnLocals<'gc> {
    pub(super) fn begin(found: Locals<'gc>) -> TurnLocals<'gc> {
        TurnLocals {
            found: Cell::new(found),
            left: Cell::new(None),
        }
    }

    /// Returns the locals for the next step.
    pub(super) fn end(&self) -> Locals<'gc> {
        let left = self.left.take();
        #[cfg(test)]
        let left = match () {
            () if is_planted(InjectedFault::LostLocals) => None,
            () if is_planted(InjectedFault::LeftInHeap) => left.or_else(|| self.found.take()),
            () => left,
        };
        left
    }
}

impl<A: Actor<Storage = GcState>, L: BrandedLocals> KeepLocals<A> for LocalsInHeap<L>
where
    for<'any> A::State<'any>: Object<'any>,
{
    type In<'gc> = L::Of<'gc>;
    const IN_HEAP: Option<LocalsCodec> = L::CODEC;

    fn keep<'gc>(locals: L::Of<'gc>, turn: &Turn<'gc, A>) -> Self {
        let left = unsize!(turn.alloc(Mut::new(Some(locals))) => dyn Anything);
        turn.part().locals.left.set(Some((left, Leaf(L::CODEC))));
        LocalsInHeap(PhantomData)
    }

    fn open<'gc>(self, turn: &Turn<'gc, A>) -> L::Of<'gc> {
        let found = turn.part().locals.found.take();
        let found = found.and_then(|(found, _)| Gc::downcast::<Mut<Option<L::Of<'gc>>>>(found));
        let locals = found.and_then(|found| found.borrow_mut(turn).take());
        locals.expect("the last step has left them, and no turn came between")
    }
}

impl<L: BrandedLocals> LocalsInHeap<L> {
    /// What the message of the next step has of them: nothing.
    #[doc(hidden)]
    pub const IN_MESSAGE: Option<Codec<LocalsInHeap<L>>> = match L::CODEC {
        Some(_) => Some(Codec::new(
            <() as Saved<'static>>::SHAPE,
            |_, _| (),
            |input| <()>::load(input).map(|()| LocalsInHeap(PhantomData)),
        )),
        None => None,
    };
}

impl<L> fmt::Debug for LocalsInHeap<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalsInHeap")
    }
}
