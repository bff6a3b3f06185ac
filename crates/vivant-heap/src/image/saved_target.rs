//! [`SavedTarget`]: what a saved reference may lead to. [`saved!`](crate::saved): types behind a
//! trait.

use super::object_codec::ObjectCodec;
use crate::object::collected::Collected;
use crate::object::gc::Gc;
use std::ptr::NonNull;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};

/// What a [`Gc`] or a [`Weak`](crate::Weak) that is saved may lead to: a saved object, a slice of
/// such, a string, and trait objects that [`saved!`](crate::saved) declares.
///
/// # Safety
///
/// What it leads to is saved with every brand: the impl is generic in `'gc`.
#[diagnostic::on_unimplemented(
    message = "a reference to `{Self}` cannot be saved",
    label = "no image has such an object",
    note = "own types: `#[derive(Object, Saved)]`",
    note = "a trait: `vivant_heap::saved!(dyn Trait = Type, OtherType)`, once, with all types behind it"
)]
pub unsafe trait SavedTarget<'gc>: Collected<'gc> {
    /// The shape of a reference.
    const REFERENCE: &'static Shape;

    /// Saves a reference.
    fn save_reference(reference: Gc<'gc, Self>, out: &mut Encoder<'_>);

    /// Loads a reference.
    ///
    /// # Errors
    ///
    /// There is no such object, or it is of another type.
    fn load_reference(input: &mut Decoder<'gc, '_>) -> Result<Gc<'gc, Self>, LoadError>;

    /// The value of a reference without an object. Nothing reads it.
    fn nothing() -> NonNull<Self>;
}

/// What a [`Tag`](crate::Tag) that is saved may name: all but trait objects.
///
/// # Safety
///
/// `CODEC` is that of objects of this type, and `with_count` returns what it says.
#[diagnostic::on_unimplemented(
    message = "a tag of a `{Self}` cannot be saved",
    label = "no image has such a tag",
    note = "own types: `#[derive(Object, Saved)]`; tags of trait objects are not saved: keep a tag of the object's type"
)]
pub unsafe trait TagTarget<'gc>: SavedTarget<'gc> {
    /// How the objects are made.
    #[doc(hidden)]
    const CODEC: TagCodec;

    /// A pointer to such a value of so many elements, which has the metadata alone.
    #[doc(hidden)]
    fn with_count(count: usize) -> NonNull<Self>;
}

/// The codec of objects that have tags.
#[doc(hidden)]
#[derive(Debug)]
pub struct TagCodec {
    pub(super) codec: fn() -> &'static ObjectCodec,
    pub(super) elements: Elements,
}

/// Of what a tag's pointer needs the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elements {
    /// Of nothing: all objects have one size.
    None,
    /// Of elements, with which the content begins.
    Counted,
}

/// Lists the types behind a trait, so that references to it can be saved. A file has the stable
/// name of the type with each reference.
///
/// It is written once, beside [`collected!`](crate::collected). If the trait or a type has a brand,
/// the brand is named first. Types can be added and moved in the list. If one is removed, files
/// that have it cannot be read. A reference to an object of a type that the list lacks is an error
/// when it is saved. Costs a comparison for each type in front of that of the object.
///
/// ```
/// use vivant_codec::Saved;
/// use vivant_heap::{Gc, Mut, Object, collected, saved};
///
/// trait Shape {
///     fn area(&self) -> u64;
/// }
/// collected!(dyn Shape);
/// saved!('gc => dyn Shape = Square, Group<'gc>);
///
/// #[derive(Object, Saved)]
/// #[saved(name = "drawing::Square")]
/// struct Square(u64);
///
/// #[derive(Object, Saved)]
/// #[saved(name = "drawing::Group")]
/// struct Group<'gc> {
///     members: Vec<Gc<'gc, dyn Shape>>,
/// }
///
/// impl Shape for Square {
///     fn area(&self) -> u64 { self.0 * self.0 }
/// }
/// impl Shape for Group<'_> {
///     fn area(&self) -> u64 { self.members.iter().map(|it| it.area()).sum() }
/// }
///
/// fn is_saved<'gc, T: Saved<'gc>>() {}
/// is_saved::<Gc<'static, dyn Shape>>();
/// ```
///
/// A trait without a list is not saved:
///
/// ```compile_fail,E0277
/// # use vivant_codec::Saved;
/// # use vivant_heap::{Gc, collected};
/// # trait Shape {}
/// # collected!(dyn Shape);
/// fn is_saved<'gc, T: Saved<'gc>>() {}
/// is_saved::<Gc<'static, dyn Shape>>();
/// ```
///
/// Two types of one name do not compile, because a file could mean both:
///
/// ```compile_fail,E0080
/// # use vivant_codec::Saved;
/// # use vivant_heap::{Gc, Object, collected, saved};
/// # trait Shape {}
/// # collected!(dyn Shape);
/// saved!(dyn Shape = Square, Circle);
///
/// #[derive(Object, Saved)]
/// #[saved(name = "drawing::Shape")]
/// struct Square(u64);
/// #[derive(Object, Saved)]
/// #[saved(name = "drawing::Shape")]
/// struct Circle(u64);
/// # impl Shape for Square {}
/// # impl Shape for Circle {}
///
/// let shape = <Gc<'static, dyn Shape> as Saved<'static>>::SHAPE;
/// ```
#[macro_export]
macro_rules! saved {
    (dyn $trait:path = $($type:ty),+ $(,)?) => {
        $crate::saved!('gc => dyn $trait = $($type),+);
    };
    ($brand:lifetime => dyn $trait:path = $first:ty $(, $type:ty)* $(,)?) => {
        // SAFETY: each type is saved with this brand, which is any (S3).
        #[automatically_derived]
        unsafe impl<$brand> $crate::SavedTarget<$brand> for (dyn $trait + $brand) {
            const REFERENCE: &'static $crate::saved_target::Shape =
                &$crate::saved_target::Shape::variants(
                    // A trait has no stable name.
                    "vivant::Dyn",
                    $crate::saved_target::distinct(const {
                        &[
                            $crate::saved_target::variant::<$brand, $first>(),
                            $($crate::saved_target::variant::<$brand, $type>(),)*
                        ]
                    }),
                );

            fn save_reference(
                reference: $crate::Gc<$brand, Self>,
                out: &mut $crate::saved_target::Encoder<'_>,
            ) {
                let mut number = 0;
                $crate::saved!(@save reference, out, number, $brand, $first);
                $(
                    number += 1;
                    $crate::saved!(@save reference, out, number, $brand, $type);
                )*
                $crate::saved_target::unlisted(reference, ::core::stringify!($trait), out);
            }

            fn load_reference(
                input: &mut $crate::saved_target::Decoder<$brand, '_>,
            ) -> ::core::result::Result<$crate::Gc<$brand, Self>, $crate::saved_target::LoadError> {
                let (variant, mut fields) = input.variant(Self::REFERENCE)?;
                let mut number = 0;
                $crate::saved!(@load fields, variant, number, $brand, $first);
                $(
                    number += 1;
                    $crate::saved!(@load fields, variant, number, $brand, $type);
                )*
                ::core::result::Result::Err(fields.input().error("a variant that is not there"))
            }

            fn nothing() -> ::core::ptr::NonNull<Self> {
                ::core::ptr::NonNull::<$first>::dangling()
            }
        }
    };
    (@save $reference:ident, $out:ident, $number:ident, $brand:lifetime, $type:ty) => {
        if let ::core::option::Option::Some(one) = $crate::Gc::downcast::<$type>($reference) {
            $out.variant($number);
            return $crate::SavedTarget::save_reference(one, $out);
        }
    };
    (@load $fields:ident, $variant:ident, $number:ident, $brand:lifetime, $type:ty) => {
        if $variant == $number {
            let one = $fields.field::<$crate::Gc<$brand, $type>>(0)?;
            $fields.end()?;
            return ::core::result::Result::Ok($crate::unsize!(one => Self));
        }
    };
}

/// The variant of a reference to a trait object that stands for this type.
pub const fn variant<'gc, T: SavedTarget<'gc> + Saved<'gc>>() -> Variant {
    let fields = const { &[Field::new("0", shape_of::<'gc, Gc<'gc, T>>())] };
    Variant::of_type(T::SHAPE, fields)
}

/// A reference to an object of a type that the list of its trait lacks.
pub fn unlisted<'gc, T: ?Sized + SavedTarget<'gc>>(
    reference: Gc<'gc, T>,
    name: &str,
    out: &mut Encoder<'_>,
) {
    // SAFETY: there is a reference to it, so the object is in its place (Y3).
    let table = unsafe { reference.header().as_ref() }.table();
    let type_name = (table.name)();
    out.error(format!(
        "a reference to a `{type_name}`, which `saved!(dyn {name})` does not list"
    ));
}

/// The variants, if no two of them have one name.
///
/// # Panics
///
/// Two have.
pub const fn distinct(variants: &'static [Variant]) -> &'static [Variant] {
    let mut one = 0;
    while one < variants.len() {
        let mut other = one + 1;
        while other < variants.len() {
            assert!(
                !is_equal(
                    variants[one].name().as_bytes(),
                    variants[other].name().as_bytes()
                ),
                "`saved!` lists two types with one stable name: give each its own, by `#[saved(name = \"…\")]`"
            );
            other += 1;
        }
        one += 1;
    }
    variants
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
