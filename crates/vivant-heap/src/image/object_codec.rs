//! [`ObjectCodec`]: how the objects of one type are written and made again. [`ObjectCodecs`] are
//! those of a program.

use super::content::Content;
use super::reference_names::VAL;
use super::saved_raw::SavedRaw;
use crate::alloc::header::{Header, Length};
use crate::object::collected::Collected;
use crate::object::erased::Erased;
use crate::object::evacuator::CLEAN;
use crate::object::object_trait::Object;
use crate::object::raw_object::RawGc;
use crate::object::table::Table;
use crate::types::borrow::WRITING;
use std::any::{Any, TypeId};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::ptr::NonNull;
use vivant_codec::{Encoder, LoadError, Saved, Shape, ShapeRef, shape_of};

/// How the objects of one type are written to files and made again.
pub(crate) struct ObjectCodec {
    pub(super) table: fn() -> &'static Table,
    /// The shape of the content.
    content: ShapeRef,
    /// Its caller has an object of the type, by the address behind the header.
    pub(super) save: unsafe fn(NonNull<u8>, &mut Encoder<'_>),
    pub(super) restored: Restored,
}

/// How an object is made again.
pub(super) enum Restored {
    /// It never changes. It is made of its content at once, after all objects that the content
    /// refers to. Returns its header.
    Whole(unsafe fn(Content<'_>, &mut Room<'_>) -> Result<NonNull<Header>, LoadError>),
    /// It is not made: what has it loads its content.
    Part,
    /// It changes in place. It begins without content, borrowed mutably, so that no code can read
    /// it; its content is loaded when all references to it may exist.
    InPlace {
        /// Bytes behind the header.
        bytes: usize,
        /// Makes the object without its content, where there is room for it.
        begin: unsafe fn(NonNull<Header>),
        /// Loads the content.
        fill: unsafe fn(Content<'_>, NonNull<Header>) -> Result<(), LoadError>,
    },
}

/// What saves an object that changes in place, begins it and fills it.
pub(super) type InPlaceFunctions = (
    unsafe fn(NonNull<u8>, &mut Encoder<'_>),
    unsafe fn(NonNull<Header>),
    unsafe fn(Content<'_>, NonNull<Header>) -> Result<(), LoadError>,
);

/// A type of objects that are saved, whatever their brand is: an impl for one brand alone could
/// keep what it saves, because it would have references that last.
pub(super) trait SavedObject<'gc>: Object<'gc> + Saved<'gc> {}

impl<'gc, T> SavedObject<'gc> for T
where
    T: Object<'gc> + Saved<'gc> + Erased,
    for<'any> <T as Erased>::Of<'any>: Saved<'any>,
{
}

/// The largest alignment of what lies in a heap.
const ALIGN_MAX: usize = 8;

/// Finds room for an object of so many bytes behind its header.
pub(super) type Room<'a> = dyn FnMut(usize) -> Result<NonNull<Header>, LoadError> + 'a;

impl ObjectCodec {
    /// The codec of a type of which all objects have the same size.
    pub(super) const fn sized<'gc, T: SavedObject<'gc>>() -> ObjectCodec {
        // SAFETY: a `SavedObject` is saved with every brand (S3).
        unsafe { ObjectCodec::of_sized::<'gc, T>() }
    }

    /// As `sized`.
    ///
    /// # Safety
    ///
    /// The type is saved with every brand.
    pub(super) const unsafe fn of_sized<'gc, T: Object<'gc> + Saved<'gc>>() -> ObjectCodec {
        const {
            assert!(
                align_of::<T>() <= ALIGN_MAX,
                "an object is aligned to 8 bytes at most"
            )
        };
        ObjectCodec {
            table: Table::of::<T>,
            content: shape_of::<'gc, T>(),
            save: save_sized::<T>,
            restored: if T::MUTABLE {
                Restored::InPlace {
                    bytes: size_of::<T>(),
                    begin: begin_mutable::<T>,
                    fill: fill_mutable::<T>,
                }
            } else {
                Restored::Whole(restore_sized::<T>)
            },
        }
    }

    /// The codec of slices.
    pub(super) const fn slice<'gc, T: SavedObject<'gc>>() -> ObjectCodec {
        // SAFETY: a `SavedObject` is saved with every brand (S3).
        unsafe { ObjectCodec::of_slice::<'gc, T>() }
    }

    /// As `slice`.
    ///
    /// # Safety
    ///
    /// The type is saved with every brand.
    pub(super) const unsafe fn of_slice<'gc, T: Object<'gc> + Saved<'gc>>() -> ObjectCodec {
        const {
            assert!(
                align_of::<T>() <= ALIGN_MAX,
                "an element is aligned to 8 bytes at most"
            )
        };
        ObjectCodec {
            table: Table::of_slice::<T, [T]>,
            content: shape_of::<'gc, Vec<T>>(),
            save: save_slice::<T>,
            restored: Restored::Whole(restore_slice::<T>),
        }
    }

    /// The codec of objects of one size that change in place, by functions that save, begin and
    /// fill one.
    pub(super) const fn in_place(
        table: fn() -> &'static Table,
        content: ShapeRef,
        bytes: usize,
        (save, begin, fill): InPlaceFunctions,
    ) -> ObjectCodec {
        ObjectCodec {
            table,
            content,
            save,
            restored: Restored::InPlace { bytes, begin, fill },
        }
    }

    /// The codec of a type that is written in this crate.
    pub(super) const fn by_hand(
        table: fn() -> &'static Table,
        content: ShapeRef,
        save: unsafe fn(NonNull<u8>, &mut Encoder<'_>),
        restored: Restored,
    ) -> ObjectCodec {
        ObjectCodec {
            table,
            content,
            save,
            restored,
        }
    }

    /// The codec of raw objects, which are parts of the collection that has them.
    pub(super) const fn raw<'gc, C: SavedRaw<'gc>>() -> ObjectCodec {
        ObjectCodec {
            table: Table::of_raw::<C>,
            content: shape_of::<'gc, C::Data>(),
            save: save_raw::<C>,
            restored: Restored::Part,
        }
    }

    /// The codec of strings.
    pub(super) const TEXT: ObjectCodec = ObjectCodec {
        table: Table::of_slice::<u8, str>,
        content: shape_of::<'static, String>(),
        save: save_text,
        restored: Restored::Whole(restore_text),
    };

    pub(super) fn is_of(&self, table: &Table) -> bool {
        let own = (self.table)();
        std::ptr::eq(own, table) || (own.id)() == (table.id)()
    }

    pub(super) fn is_like(&self, other: &ObjectCodec) -> bool {
        self.is_of((other.table)())
    }

    pub(super) fn type_id(&self) -> TypeId {
        ((self.table)().id)()
    }

    /// Whether the content may refer to objects that never change.
    pub(super) fn refers_to_whole(&self) -> bool {
        let mut refers = false;
        self.content.get().targets(&mut |target| {
            let codec = target.downcast_ref::<ObjectCodec>();
            // The content of a part is one of this content.
            refers |=
                codec.is_some_and(|codec| !matches!(codec.restored, Restored::InPlace { .. }));
        });
        refers
    }

    pub(super) fn type_name(&self) -> &'static str {
        ((self.table)().name)()
    }
}

/// # Safety
///
/// A `T` lies at `value`, and no turn runs.
unsafe fn save_sized<'gc, T: Saved<'gc>>(value: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1).
    unsafe { value.cast::<T>().as_ref() }.save(out);
}

/// # Safety
///
/// A slice of `T` begins at `length`, and no turn runs.
unsafe fn save_slice<'gc, T: Saved<'gc>>(length: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1): the elements follow the length.
    let elements = unsafe {
        let count = length.cast::<Length>().read().elements();
        let first = length.cast::<Length>().add(1).cast::<T>();
        NonNull::slice_from_raw_parts(first, count).as_ref()
    };
    out.elements(elements.len(), |out| T::save_all(elements, out));
}

/// # Safety
///
/// A string begins at `length`, and no turn runs.
unsafe fn save_text(length: NonNull<u8>, out: &mut Encoder<'_>) {
    // The bytes of a text are those of a sequence of bytes.
    // SAFETY: the caller's contract (X1).
    unsafe { save_slice::<u8>(length, out) };
}

/// # Safety
///
/// A raw object of the type `C` begins at `head`, and no turn runs.
unsafe fn save_raw<'gc, C: SavedRaw<'gc>>(head: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1).
    unsafe { C::save(RawGc(head.cast()), out) };
}

/// # Safety
///
/// `'gc` is the brand of the heap that is being restored, and the room is in it.
unsafe fn restore_sized<'gc, T: Object<'gc> + Saved<'gc>>(
    content: Content<'_>,
    room: &mut Room<'_>,
) -> Result<NonNull<Header>, LoadError> {
    // SAFETY: the caller's contract (X1).
    let value: T = unsafe { content.load()? };
    let object = room(size_of::<T>())?;
    // SAFETY: there is room for the header and the value (X4).
    unsafe {
        object.write(Header::new(Table::of::<T>()));
        object.add(1).cast::<T>().write(value);
    }
    Ok(object)
}

/// # Safety
///
/// As for `restore_sized`.
unsafe fn restore_slice<'gc, T: Object<'gc> + Saved<'gc>>(
    content: Content<'_>,
    room: &mut Room<'_>,
) -> Result<NonNull<Header>, LoadError> {
    // SAFETY: the caller's contract (X1); the type is `[T]`.
    unsafe { write_slice::<T, [T]>(content.load()?, room) }
}

/// # Safety
///
/// As for `restore_sized`.
unsafe fn restore_text(
    content: Content<'_>,
    room: &mut Room<'_>,
) -> Result<NonNull<Header>, LoadError> {
    // SAFETY: the caller's contract (X1); the bytes are those of a string.
    unsafe { write_slice::<u8, str>(content.load::<String>()?.into_bytes(), room) }
}

/// Writes a slice of these values.
///
/// # Safety
///
/// The room is in the heap that is being restored. The values are those of an `S`.
unsafe fn write_slice<'gc, T: Object<'gc>, S: ?Sized + Collected<'gc>>(
    mut values: Vec<T>,
    room: &mut Room<'_>,
) -> Result<NonNull<Header>, LoadError> {
    let length = Length::new(values.len()).expect("no vector of objects is longer than a length");
    let object = room(size_of::<Length>() + mem::size_of_val(&values[..]))?;
    // SAFETY: there is room for the header, the length and the values (X4). The vector forgets the
    // values once they are copied (X10).
    unsafe {
        object.write(Header::new(Table::of_slice::<T, S>()));
        object.add(1).cast::<Length>().write(length);
        let first = object.add(2).cast::<T>().as_ptr();
        first.copy_from_nonoverlapping(values.as_ptr(), values.len());
        values.set_len(0);
    }
    Ok(object)
}

/// # Safety
///
/// There is room for a header and a `T`, which begins with its flag.
unsafe fn begin_mutable<'gc, T: Object<'gc>>(object: NonNull<Header>) {
    // SAFETY: the caller's contract (X1).
    unsafe {
        object.write(Header::new(Table::of::<T>()));
        object.add(1).cast::<Cell<u32>>().write(Cell::new(WRITING));
    }
}

/// # Safety
///
/// `begin_mutable` made the object, in the heap that is being restored and has the brand `'gc`.
unsafe fn fill_mutable<'gc, T: Object<'gc> + Saved<'gc>>(
    content: Content<'_>,
    object: NonNull<Header>,
) -> Result<(), LoadError> {
    // SAFETY: the caller's contract (X1).
    let value: T = unsafe { content.load()? };
    // SAFETY: the caller's contract (X1): there is room for the value, and what was there has no
    // destructor. All that it refers to is old, so its next write is the first one (H5).
    unsafe {
        let place = object.add(1).cast::<T>();
        place.write(value);
        place.cast::<Cell<u32>>().as_ref().set(CLEAN);
    }
    Ok(())
}

/// A type of regions, by that of their roots.
pub(super) struct RegionType(pub(super) fn() -> TypeId);

/// The codecs of all types of objects that some types of a program can refer to, with a number for
/// each.
#[derive(Default)]
pub struct ObjectCodecs {
    all: Vec<&'static ObjectCodec>,
    numbers: HashMap<TypeId, u32>,
    /// The types of which objects change in place without the write barrier, by their numbers.
    with_cells: HashSet<u32>,
    /// Whether a value may refer to a shared object.
    share: bool,
    /// The types of regions that lie in values: those of their objects are listed.
    regions: HashSet<TypeId>,
}

impl ObjectCodecs {
    /// Without any.
    #[must_use]
    pub fn new() -> ObjectCodecs {
        ObjectCodecs::default()
    }

    /// Adds the types of all objects that a value of this shape can refer to, also by way of other
    /// objects. Costs some work for each type.
    ///
    /// A type that no heap can hold does not compile:
    ///
    /// ```compile_fail,E0080
    /// use vivant_codec::Saved;
    /// use vivant_heap::{Gc, ObjectCodecs};
    ///
    /// let mut codecs = ObjectCodecs::new();
    /// codecs.add(<Gc<'static, u128> as Saved<'static>>::SHAPE);
    /// ```
    ///
    /// Nor does a type that is saved with one brand alone: it could keep what it saves.
    ///
    /// ```compile_fail
    /// use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
    /// use vivant_heap::{Gc, Object, ObjectCodecs};
    ///
    /// #[derive(Object)]
    /// struct Node<'gc>(Option<Gc<'gc, Node<'gc>>>);
    ///
    /// impl Saved<'static> for Node<'static> {
    ///     const SHAPE: &'static Shape = <u64 as Saved<'static>>::SHAPE;
    ///     fn save(&self, out: &mut Encoder<'_>) {}
    ///     fn load(input: &mut Decoder<'static, '_>) -> Result<Self, LoadError> {
    ///         Ok(Node(None))
    ///     }
    /// }
    /// let mut codecs = ObjectCodecs::new();
    /// codecs.add(<Gc<'static, Node<'static>> as Saved<'static>>::SHAPE);
    /// ```
    pub fn add(&mut self, shape: &'static Shape) {
        let mut open = vec![shape];
        while let Some(shape) = open.pop() {
            self.share |= shape.has_part_named(VAL);
            shape.targets(&mut |target: &'static (dyn Any + Send + Sync)| {
                if let Some(RegionType(region)) = target.downcast_ref() {
                    self.regions.insert(region());
                }
                open.extend(target.downcast_ref().and_then(|codec| self.insert(codec)));
            });
        }
    }

    /// Returns the shape of the contents, if the type is new.
    fn insert(&mut self, codec: &'static ObjectCodec) -> Option<&'static Shape> {
        let next = self.all.len() as u32;
        let number = self.numbers.entry(((codec.table)().id)()).or_insert(next);
        if *number != next {
            return None;
        }
        self.all.push(codec);
        if codec.content.get().has_cells() {
            self.with_cells.insert(next);
        }
        Some(codec.content.get())
    }

    /// The shapes of the contents, in the order of the numbers of the types.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = &'static Shape> {
        self.all.iter().map(|codec| codec.content.get())
    }

    /// Whether values of the types that were added may refer to shared objects.
    #[must_use]
    pub fn share(&self) -> bool {
        self.share
    }

    /// Whether the objects are listed that regions of this type have.
    pub(super) fn has_region(&self, region: TypeId) -> bool {
        self.regions.contains(&region)
    }

    /// Whether a type has cells.
    pub(super) fn have_cells(&self) -> bool {
        !self.with_cells.is_empty()
    }

    /// Whether objects of this type may change without the write barrier: they have cells.
    pub(super) fn has_cells(&self, table: &Table) -> bool {
        let number = self.numbers.get(&(table.id)());
        number.is_some_and(|number| self.with_cells.contains(number))
    }

    /// The number and the codec of a type; `None` if no listed type refers to such objects.
    pub(super) fn find(&self, table: &Table) -> Option<(u32, &'static ObjectCodec)> {
        let number = *self.numbers.get(&(table.id)())?;
        Some((number, self.all[number as usize]))
    }
}

impl std::fmt::Debug for ObjectCodecs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.all.iter().map(|codec| codec.type_name());
        f.debug_set().entries(names).finish()
    }
}
