//! [`Sink`]: what is done with the value of a promise, of any type.

use super::Resolver;
use super::arrival_type::arrival_type;
use super::saved::{PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::Shown;
use super::sink_data::SinkData;
use crate::actor::{AskError, Next};
use crate::message::pool;
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Takes a promise's value; returns what follows.
pub(crate) trait Continue<T>: SinkLink + Send + Sized + 'static {
    fn fill(self, value: Result<T, AskError>) -> Next;
}

/// A sink, of which the type of the value is not known.
pub(crate) trait SinkLink {
    /// The address and the resolver that this sink alone has, as far as it shows them.
    fn shown(&self) -> Shown<'_> {
        Shown::default()
    }

    /// What it is, and where it leads. Waits for the lock of a join, a pipeline or a time limit.
    fn data(&self) -> SinkData;

    /// Encodes what a restore makes it of. `None` if the value is not wanted.
    fn save(&self, _: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        Err(PromiseUnsaved::Sink(self.data().kind.name()))
    }
}

/// What is done with a value: a continuation of any type, and the table of that type.
#[repr(C)]
pub(crate) struct Sink<T: Send + 'static> {
    table: &'static SinkTable<T>,
    content: Content,
}

/// A continuation of two words or fewer; or the place of a larger one, in recycled memory.
type Content = MaybeUninit<[*mut (); 2]>;

// SAFETY: it owns a `Continue`, which is `Send` (X9); the table is a constant.
unsafe impl<T: Send + 'static> Send for Sink<T> {}

/// The table (vtable) of a continuation's type.
///
/// # Safety
///
/// Each function demands a content that `with_table` wrote for the table's type, and that has not
/// been taken out. All but `any.link` take it out.
#[repr(C)]
struct SinkTable<T: Send + 'static> {
    /// Comes first, where [`AnySink`] finds it.
    any: AnyTable,
    fill: unsafe fn(Content, Result<T, AskError>) -> Next,
    drop: unsafe fn(Content),
    /// Set if the value goes on as it is.
    resolver: Option<unsafe fn(Content) -> Resolver<T>>,
}

/// The beginning of every [`SinkTable`].
#[repr(C)]
struct AnyTable {
    link: for<'s> unsafe fn(&'s Content) -> &'s dyn SinkLink,
    /// The type of the message that brings the value.
    arrival: fn() -> TypeId,
}

impl<T: Send + 'static> SinkTable<T> {
    const fn of<C: Continue<T>>() -> SinkTable<T> {
        SinkTable {
            any: AnyTable {
                // SAFETY: the contract of `SinkTable` (X1): the `C` is there as long as the content
                // is borrowed, and is only shared meanwhile (X6).
                link: |content| unsafe { place_of::<C>(NonNull::from(content)).as_ref() },
                arrival: arrival_type::<T>,
            },
            // SAFETY: the contract of `SinkTable`, which is that of `taken` (X1).
            fill: |content, value| unsafe { taken::<C>(content) }.fill(value),
            // SAFETY: the contract of `SinkTable`, which is that of `taken` (X1).
            drop: |content| drop(unsafe { taken::<C>(content) }),
            resolver: None,
        }
    }

    const fn passing<C: Continue<T> + Into<Resolver<T>>>() -> SinkTable<T> {
        SinkTable {
            // SAFETY: the contract of `SinkTable`, which is that of `taken` (X1).
            resolver: Some(|content| unsafe { taken::<C>(content) }.into()),
            ..SinkTable::of::<C>()
        }
    }
}

/// Whether a continuation has no block of its own.
const fn fits<C>() -> bool {
    size_of::<C>() <= size_of::<Content>() && align_of::<C>() <= align_of::<Content>()
}

/// Returns where the continuation is.
///
/// # Safety
///
/// A content for this type is there.
#[inline(always)]
unsafe fn place_of<C>(content: NonNull<Content>) -> NonNull<C> {
    match const { fits::<C>() } {
        true => content.cast(),
        // SAFETY: the caller's contract: `with_table` has put the place there (X1).
        false => unsafe { content.cast::<NonNull<C>>().read() },
    }
}

/// # Safety
///
/// A content for this type is there, and this is called once for it.
#[inline(always)]
unsafe fn taken<C>(content: Content) -> C {
    // SAFETY: the caller's contract (X1): a `C` is there, and is taken out once. A place in
    // recycled memory was taken for this type (N4).
    unsafe {
        let place = place_of::<C>(NonNull::from(&content));
        let taken = place.read();
        if const { !fits::<C>() } {
            pool::give(place);
        }
        taken
    }
}

impl<T: Send + 'static> Sink<T> {
    #[inline(always)]
    pub(crate) fn new<C: Continue<T>>(continuation: C) -> Sink<T> {
        Sink::with_table(continuation, const { &SinkTable::of::<C>() })
    }

    /// As `new`, for a continuation that gives the value, as it is, to a resolver.
    pub(super) fn passing<C: Continue<T> + Into<Resolver<T>>>(continuation: C) -> Sink<T> {
        Sink::with_table(continuation, const { &SinkTable::passing::<C>() })
    }

    /// `table` is that of `C`.
    #[inline(always)]
    fn with_table<C>(continuation: C, table: &'static SinkTable<T>) -> Sink<T> {
        let mut content = Content::uninit();
        // SAFETY: `fits` says that there is room for it (X5). Else `take` returned memory for this
        // type (N4), which has no other owner (N1), and the place takes one of the two words (X5).
        unsafe {
            if const { fits::<C>() } {
                content.as_mut_ptr().cast::<C>().write(continuation);
            } else {
                let place = pool::take::<C>();
                place.write(continuation);
                content.as_mut_ptr().cast::<NonNull<C>>().write(place);
            }
        }
        Sink { table, content }
    }

    /// # Safety
    ///
    /// `new` made it of a `C`.
    pub(super) unsafe fn continuation<C>(&mut self) -> &mut C {
        // SAFETY: the caller's contract (X1); the sink is borrowed exclusively (X2).
        unsafe { place_of::<C>(NonNull::from(&mut self.content)).as_mut() }
    }

    #[inline]
    pub(super) fn fill(self, value: Result<T, AskError>) -> Next {
        let (content, fill) = (self.content, self.table.fill);
        std::mem::forget(self);
        // SAFETY: `with_table` wrote the type that the table is for (X5). It is taken out once,
        // because `self` is forgotten (X10).
        unsafe { fill(content, value) }
    }

    /// Returns the resolver that gets the value as it is, or what takes the value.
    pub(super) fn into_resolver(self) -> Result<Resolver<T>, Sink<T>> {
        let Some(resolver) = self.table.resolver else {
            return Err(self);
        };
        let content = self.content;
        std::mem::forget(self);
        // SAFETY: `with_table` wrote the type that the table is for (X5). It is taken out once,
        // because `self` is forgotten (X10).
        Ok(unsafe { resolver(content) })
    }
}

impl<T: Send + 'static> Drop for Sink<T> {
    fn drop(&mut self) {
        // SAFETY: `with_table` wrote the type that the table is for (X5). It is taken out once,
        // because what else takes it out forgets `self` (X10).
        unsafe { (self.table.drop)(self.content) };
    }
}

/// The beginning of every [`Sink`], of which the type of the value is not known.
#[repr(C)]
pub(super) struct AnySink {
    /// Its table, of which this is the beginning.
    table: &'static AnyTable,
    content: Content,
}

impl AnySink {
    pub(super) fn link(&self) -> &dyn SinkLink {
        // SAFETY: it is a `Sink`, which has the same layout: table and content. A table begins with
        // the function for the type of the content (X5), which is taken out only with the sink,
        // and this is borrowed (X6).
        unsafe { (self.table.link)(&self.content) }
    }

    /// The type of the message that brings the value.
    pub(super) fn arrival_type(&self) -> TypeId {
        (self.table.arrival)()
    }
}
