//! Tags in images: a [`Tag`] is saved as the name of its tag entry, and that has the name of its
//! target.

use super::content::{Content, fault};
use super::object_codec::{ObjectCodec, Restored, Room};
use super::reference_names::{FOREIGN, REFERENCE, VAL};
use super::references::{object_shape, save_object};
use super::restore_order::RestoreOrder;
use super::restored_tags::WantedTarget;
use super::restoring_heaps::CurrentHeap;
use super::saved_target::{Elements, TagTarget};
use super::shared_references::{SharedOwner, load_owned, load_shared, save_shared};
use crate::alloc::header::Header;
use crate::object::gc::Gc;
use crate::tags::tag::Tag;
use crate::weak::tag_entry::TagEntry;
use std::ptr::NonNull;
use vivant_codec::{
    Decoder, Encoder, Field, LoadError, ReferenceTarget, Saved, Shape, ShapeRef, Variant, shape_of,
};

/// The codec of tag entries, whatever their targets are.
static TAG_ENTRY: ObjectCodec = ObjectCodec::by_hand(
    TagEntry::table,
    shape_of::<'static, EntryContent>(),
    save_entry,
    Restored::Whole(restore_entry),
);

/// A reference to a tag entry, as to any shared object.
static ENTRY: Shape = Shape::variants(
    VAL,
    const {
        &[
            Variant::new(
                "Own",
                const { &[Field::new("0", ShapeRef::new(|| &ENTRY_NAME))] },
            ),
            Variant::new(
                FOREIGN,
                const {
                    &[
                        Field::new("heap", shape_of::<'static, u64>()),
                        Field::new("object", ShapeRef::new(|| &ENTRY_NAME)),
                    ]
                },
            ),
        ]
    },
);

static ENTRY_NAME: Shape = object_shape(ReferenceTarget::new(|| &TAG_ENTRY));

/// The content of a tag entry.
#[derive(Saved)]
#[saved(name = "vivant::TagEntry")]
struct EntryContent {
    number: u64,
    /// `None`: its heap has no turns any more.
    target: Option<TargetName>,
}

/// The name of a target, of any type.
struct TargetName(u64);

impl<'gc> Saved<'gc> for TargetName {
    const SHAPE: &'static Shape = &Shape::reference(REFERENCE, shape_of::<'static, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<TargetName, LoadError> {
        Ok(TargetName(input.reference(Self::SHAPE)?))
    }
}

/// # Safety
///
/// A tag entry lies at `value`, and no turn of its heap runs.
unsafe fn save_entry(value: NonNull<u8>, out: &mut Encoder<'_>) {
    // SAFETY: the caller's contract (X1): the header lies in front of the value.
    let (entry, target, number) = unsafe {
        let entry = value.cast::<Header>().sub(1);
        (entry, TagEntry::target(entry), TagEntry::number(entry))
    };
    number.save(out);
    match target == entry {
        true => out.variant(0),
        false => {
            out.variant(1);
            save_object(target, out);
        }
    }
}

/// Makes a tag entry without a target: a tag knows its type.
///
/// # Safety
///
/// The room is in the heap that is being restored.
unsafe fn restore_entry(
    content: Content<'_>,
    room: &mut Room<'_>,
) -> Result<NonNull<Header>, LoadError> {
    let current = content.input.context::<CurrentHeap>();
    let Some(heap) = current.and_then(CurrentHeap::heap) else {
        return Err(fault("a tag entry, where no heap is restored"));
    };
    // SAFETY: it has no brand (S1).
    let EntryContent { number, target } = unsafe { content.load()? };
    let entry = room(size_of::<TagEntry>())?;
    // SAFETY: there is room for it (X4). It is its own target until the first tag of it is loaded.
    unsafe { TagEntry::begin(entry, entry, number) };
    let begun = heap.tags.begins(entry, number, target.map(|it| it.0));
    begun.map_err(fault)?;
    Ok(entry)
}

impl<'gc, T: ?Sized + TagTarget<'gc>> Saved<'gc> for Tag<'gc, T> {
    /// The types that a tag names are a part of its shape, and no part of its bytes.
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Tag",
        const {
            &[
                Field::new("entry", ShapeRef::new(|| &ENTRY)),
                Field::new("of", shape_of::<'gc, [Gc<'gc, T>; 0]>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        // SAFETY: a tag keeps its entry (O4).
        unsafe { save_shared(self.header(), out) };
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Tag<'gc, T>, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let (entry, owner) = fields.part(0, &ENTRY, |input| {
            load_owned(input, (&ENTRY, &ENTRY_NAME), |input, owner| {
                load_shared(input, &ENTRY_NAME, owner, &TAG_ENTRY)
            })
        })?;
        let _of: [Gc<'gc, T>; 0] = fields.field(1)?;
        let target = target::<T>(fields.input(), owner, entry)?;
        fields.end()?;
        // SAFETY: the tag entry of this object; or an entry without an object, in a heap without
        // turns, where nothing opens it (S19). Where the value lies in a heap, that heap counts the
        // entry (S14).
        Ok(unsafe { Tag::at(entry, target) })
    }
}

/// A pointer with the metadata of an entry's object. The object is made later: it may need what
/// waits for the tag. The first tag of an entry says of which type the object is.
fn target<'gc, T: ?Sized + TagTarget<'gc>>(
    input: &Decoder<'gc, '_>,
    SharedOwner(owner): SharedOwner,
    entry: NonNull<Header>,
) -> Result<NonNull<T>, LoadError> {
    let Some(current) = input.context::<CurrentHeap>() else {
        return Err(input.error("a tag, where no heap is restored"));
    };
    let tags = &current.heaps.heap(owner).tags;
    let Some(name) = tags.target_name(entry) else {
        return Ok(T::nothing());
    };
    let codec = (T::CODEC.codec)();
    let count = match T::CODEC.elements {
        Elements::None => 0,
        Elements::Counted => RestoreOrder::new(current, input).count(owner, name, codec)?,
    };
    let wanted = WantedTarget {
        entry,
        name,
        codec,
        count: (T::CODEC.elements == Elements::Counted).then_some(count),
    };
    tags.wants(wanted).map_err(|why| input.error(why))?;
    Ok(T::with_count(count))
}
