//! [`Tag`]: the identity of a private object.

use crate::alloc::header::Header;
use crate::gc::mark_cycle::Resurrection;
use crate::gc::mutator::Mutator;
use crate::gc::role::Role;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::collected::Collected;
use crate::object::erased::{Erased, ErasedOf};
use crate::object::evacuator::Evacuator;
use crate::object::frozen::FrozenParts;
use crate::object::gc::{Brand, Gc, like};
use crate::object::object_trait::Object;
use crate::object::sendable::Sendable;
use crate::object::tracer::Tracer;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use crate::types::leaf::leaf_types;
use crate::weak::tag_entry::TagEntry;
use crate::weak::tag_table::Target;
use std::any::type_name;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The identity of an object that is private to its heap. Any heap may store it, send it
/// ([`Mutator::pack`]), put it into a [`Val`](crate::Val) and compare it. Only the heap that made
/// the tag can get the object by it: [`Tag::open`]. `Copy`; one word, two if the object is a slice,
/// a string or a trait object.
///
/// As long as its heap has a state, the object lives as long as any heap has a tag of it (ORCA),
/// also when that state does not reach it any more. It can be written as before: the holder of a
/// tag does not see its value. Two tags are equal if they are of the same object.
///
/// There is no order of tags, and no hash by address. [`Tag::id`] is a plain key for maps.
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Gc, Heap, Mut, Pacing, Parcel, Root, PageSource, Tag};
///
/// struct Counters;
/// impl Root for Counters {
///     type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
/// }
/// struct Marks;
/// impl Root for Marks {
///     type Of<'gc> = Vec<Tag<'gc, Mut<u64>>>;
/// }
/// type One = Parcel<Tag<'static, Mut<u64>>>;
///
/// let source = Arc::new(PageSource::new());
/// let mut counters = Heap::<Counters>::new(&source, Pacing::default(), |m| vec![m.alloc(Mut::new(1))]);
/// let mut marks = Heap::<Marks>::new(&source, Pacing::default(), |_| Vec::new());
///
/// let there: One = counters.turn(|m, counters| m.pack(m.tag(counters.pop().unwrap())));
/// marks.turn(|m, marks| marks.push(m.unpack(there)));
/// counters.collect();                                     // the tag keeps the counter alive
///
/// let back: One = marks.turn(|m, marks| {
///     assert!(marks[0].open(m).is_err());                 // but gives no access to it
///     m.pack(marks[0])
/// });
/// counters.turn(|m, counters| {
///     let counter = m.unpack(back).open(m).unwrap();
///     *counter.borrow_mut(m) += 1;
///     counters.push(counter);
/// });
/// ```
///
/// `open` is the only way to the object:
///
/// ```compile_fail,E0599
/// use vivant_heap::{Mut, Tag};
///
/// fn read<'gc>(tag: Tag<'gc, Mut<u64>>) -> u64 {
///     *tag.borrow()
/// }
/// ```
#[allow(explicit_outlives_requirements, reason = "as `Gc` has it")]
pub struct Tag<'gc, T: ?Sized + 'gc> {
    /// The address of the tag entry. Of a wide pointer only the metadata is the object's.
    tag_entry: NonNull<T>,
    brand: Brand<'gc>,
}

/// A tag as a plain value: a key for maps. It keeps nothing alive.
///
/// The ids of two tags that exist at the same time are equal if the tags are. The id of a tag that
/// no heap has any more means nothing: much later another tag may get it. Ids have no order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagId {
    heap: HeapId,
    number: u64,
}

leaf_types! { not_freezable { [] [] TagId; } }

/// A tag that this heap cannot open, because another heap has made it. What to do: send it to the
/// actor that owns the object, and open it in that actor's turn.
///
/// An actor that was restarted has a new heap: tags of its earlier objects are foreign to it too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignTag {
    type_name: &'static str,
    number: u64,
}

impl<'gc, T: ?Sized> Tag<'gc, T> {
    /// # Safety
    ///
    /// `tag_entry` is the tag entry of an object, `object` points or pointed to that object's
    /// value, and this turn's heap may use the tag entry.
    #[inline]
    pub(crate) unsafe fn at(tag_entry: NonNull<Header>, object: NonNull<T>) -> Tag<'gc, T> {
        Tag {
            tag_entry: like(object, tag_entry.cast()),
            brand: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn header(self) -> NonNull<Header> {
        self.tag_entry.cast()
    }

    fn owner(self) -> NonNull<HeapHandle> {
        // SAFETY: a tag keeps its entry live, by a count or by a container, so the page is its
        // owner's.
        unsafe { HeapHandle::of(self.header()) }
    }

    fn number(self) -> u64 {
        // SAFETY: a tag keeps its entry live, by a count or by a container.
        unsafe { TagEntry::number(self.header()) }
    }

    /// Whether this turn's heap has made it, so that it can be opened.
    #[inline]
    #[must_use]
    pub fn is_mine(self, m: &Mutator<'gc>) -> bool {
        self.owner() == HeapHandle::name(&m.core().owner)
    }

    /// The object, in a turn of the heap that has made the tag. Costs a few loads.
    ///
    /// # Errors
    ///
    /// Another heap has made it. An open region is not its holder's heap.
    #[inline]
    pub fn open(self, m: &Mutator<'gc>) -> Result<Gc<'gc, T>, ForeignTag> {
        if !self.is_mine(m) {
            return Err(ForeignTag {
                type_name: type_name::<T>(),
                number: self.number(),
            });
        }
        // SAFETY: a tag entry of this heap, in a turn of this heap; and its target, an object of
        // the type for which the tag was made: a tag goes from heap to heap in its erased form, and
        // no two types of one brand have the same (Y2). The entry keeps the object live, and has
        // its address.
        unsafe {
            let target = TagEntry::target(self.header());
            Ok(Gc::at(like(self.tag_entry, Header::value(target))))
        }
    }

    /// A plain key, for maps.
    #[must_use]
    pub fn id(self) -> TagId {
        TagId {
            // SAFETY: a tag keeps its entry live, so the entry's page has an owner, which exists.
            heap: unsafe { self.owner().as_ref() }.id(),
            number: self.number(),
        }
    }
}

impl<'gc> Mutator<'gc> {
    /// The tag of an object: the same one as long as any heap has it.
    ///
    /// Costs a lookup in the tag table; for the first tag of an object also an object of 32 bytes,
    /// and a row in the table. As long as the tag entry of a young object exists, each minor
    /// collection visits both, and keeps the object until the next mark.
    ///
    /// # Panics
    ///
    /// In an open region, because its objects have no tags. And as [`Mutator::alloc`].
    pub fn tag<T: ?Sized + Collected<'gc>>(&self, object: Gc<'gc, T>) -> Tag<'gc, T> {
        if let Role::Region(_) = self.core().role {
            in_a_region(type_name::<T>());
        }
        let target = object.header();
        let known = self.core().tags.borrow().of(target);
        // There may be no other reference to the tag entry: the table is weak.
        let known = known.filter(|tag_entry| {
            #[cfg(test)]
            if is_injected(InjectedFault::SecretTag) {
                return true;
            }
            self.resurrect(*tag_entry) == Resurrection::Live
        });
        let tag_entry = known.unwrap_or_else(|| self.tag_entry(target));
        // SAFETY: it is the object's tag entry.
        unsafe { Tag::at(tag_entry, Gc::pointer(object)) }
    }

    /// Allocates a tag entry for an object that has none, or has a dead one.
    #[cold]
    fn tag_entry(&self, target: NonNull<Header>) -> NonNull<Header> {
        let tag_entry = self.allocate_shared(size_of::<TagEntry>());
        let core = self.core();
        let mut tags = core.tags.borrow_mut();
        // SAFETY: there is room for it; `target` is an object of this turn.
        let age = unsafe {
            TagEntry::begin(tag_entry, target, tags.next());
            tags.insert(target, tag_entry)
        };
        #[cfg(test)]
        if is_injected(InjectedFault::TagEntryNotRemembered) {
            return tag_entry;
        }
        if age == Target::Young {
            core.remembered.borrow_mut().push(tag_entry);
        }
        tag_entry
    }
}

#[cold]
fn in_a_region(type_name: &str) -> ! {
    panic!(
        "Y3: an object of type `{type_name}` in an open region cannot be tagged: nothing outside may refer to an object of a region. Merge the region into \
         the actor's heap first, or name the object by something of your own"
    )
}

impl<T: ?Sized> Clone for Tag<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Tag<'_, T> {}

impl<T: ?Sized> PartialEq for Tag<'_, T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.header() == other.header()
    }
}

impl<T: ?Sized> Eq for Tag<'_, T> {}

/// By the number: the same in each run.
impl<T: ?Sized> Hash for Tag<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number().hash(state);
    }
}

/// By the number: the same in each run.
impl Hash for TagId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

// SAFETY: no program has a value of the erased form (Y4). It says that a value with tags may go to
// other threads, and be read by many: the referent of a tag is a tag entry, and those threads read
// only its number, which never changes. The object stays in its heap.
unsafe impl<T: ?Sized> Send for Tag<'static, T> {}
// SAFETY: other threads read only the number of the tag entry, which never changes.
unsafe impl<T: ?Sized> Sync for Tag<'static, T> {}

// SAFETY: it is one reference, to a shared object. It never moves.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for Tag<'gc, T> {
    type Static = Tag<'static, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.shared(self.header());
    }
    #[inline]
    fn evacuate(&mut self, _: &mut Evacuator<'_>) {}
}

// SAFETY: all that it refers to is shared: a tag entry.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Sendable<'gc> for Tag<'gc, T> {}
// SAFETY: all that it refers to is shared: a tag entry. The tag never changes.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> FrozenParts<'gc> for Tag<'gc, T> {}
// SAFETY: its brand is replaced, and so is that of its referent.
unsafe impl<'a, T: ?Sized + ErasedOf> Erased for Tag<'a, T> {
    type Of<'gc> = Tag<'gc, T::Of<'gc>>;
    type Static = Tag<'static, T::Static>;
}

impl<T: ?Sized> fmt::Debug for Tag<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({} {})", type_name::<T>(), self.number())
    }
}

impl fmt::Debug for TagId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TagId({})", self.number)
    }
}

impl fmt::Display for ForeignTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ForeignTag { type_name, number } = self;
        write!(
            f,
            "tag {number} of a `{type_name}` was made by another heap, which alone can open it: send it to the actor whose object it names. An actor that has begun \
             anew does not know the objects that it had before"
        )
    }
}

impl std::error::Error for ForeignTag {}
