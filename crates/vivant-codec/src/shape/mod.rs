//! [`Shape`]: the form of a type's encoding, as a constant of the program.
//!
//! A shape refers to the shapes of its parts by functions ([`ShapeRef`]), so the shape of a
//! recursive type is a constant too.

pub(crate) mod primitive;
pub(crate) mod target;
mod targets;

use primitive::Primitive;
use std::fmt;
use target::ReferenceTarget;

/// The form in which the values of a type are encoded: a name, a version, and the parts.
///
/// `#[derive(Saved)]` writes it. A type that writes `Saved` by hand makes it of the functions
/// below, or has the shape of the type as which it is saved. Types are told apart by their shapes,
/// so type parameters need no place in the name.
#[derive(Clone, Debug)]
pub struct Shape {
    name: &'static str,
    was: &'static [&'static str],
    version: u32,
    kind: Kind,
    /// Whether a value changes in place, by shared references. A file knows nothing of it.
    in_a_cell: bool,
}

/// What a shape consists of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Primitive(Primitive),
    Option(ShapeRef),
    Sequence(ShapeRef),
    Map(ShapeRef, ShapeRef),
    Tuple(&'static [ShapeRef]),
    Array(ShapeRef, u64),
    Structure(&'static [Field]),
    Enum(&'static [Variant]),
    #[cfg_attr(
        not(feature = "serde"),
        expect(dead_code, reason = "only serde has such values")
    )]
    Opaque,
    Reference(ShapeRef, Option<ReferenceTarget>),
}

/// The shape of a part.
///
/// [`shape_of`](crate::shape_of) makes it.
#[derive(Clone, Copy)]
pub struct ShapeRef(fn() -> &'static Shape);

/// A field of a structure or of a variant.
#[derive(Clone, Debug)]
pub struct Field {
    name: &'static str,
    was: &'static [&'static str],
    shape: ShapeRef,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct Variant {
    name: &'static str,
    was: &'static [&'static str],
    fields: &'static [Field],
}

impl Shape {
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Shape {
        Shape {
            name,
            was: &[],
            version: 0,
            kind,
            in_a_cell: false,
        }
    }

    /// The same shape, of a value that code may change by a shared reference, as that in a
    /// [`Cell`](std::cell::Cell): [`has_cells`](Shape::has_cells) finds it.
    #[must_use]
    pub const fn in_a_cell(of: &Shape) -> Shape {
        Shape {
            in_a_cell: true,
            ..of.copy()
        }
    }

    /// The same shape, of a value that no code changes by a shared reference.
    ///
    /// For types that are saved as a `Serde`, of which the shape cannot know it. Cells in parts of
    /// the value are found all the same.
    #[must_use]
    pub const fn unchanging(of: &Shape) -> Shape {
        Shape {
            in_a_cell: false,
            ..of.copy()
        }
    }

    const fn copy(&self) -> Shape {
        Shape {
            name: self.name,
            was: self.was,
            version: self.version,
            kind: self.kind,
            in_a_cell: self.in_a_cell,
        }
    }

    /// A number of elements, and the elements, as [`Encoder::elements`] writes them.
    ///
    /// [`Encoder::elements`]: crate::Encoder::elements
    pub const fn sequence(element: ShapeRef) -> Shape {
        Shape::new("sequence", Kind::Sequence(element))
    }

    /// A number of pairs, and key and value of each.
    pub const fn map(key: ShapeRef, value: ShapeRef) -> Shape {
        Shape::new("map", Kind::Map(key, value))
    }

    /// A structure: its fields, one after the other.
    pub const fn structure(name: &'static str, fields: &'static [Field]) -> Shape {
        Shape::new(name, Kind::Structure(fields))
    }

    /// An enum: the number of the variant, from 0 on, and its fields.
    pub const fn variants(name: &'static str, variants: &'static [Variant]) -> Shape {
        Shape::new(name, Kind::Enum(variants))
    }

    /// A value that refers to something outside of the bytes, such as an actor: it is encoded as
    /// the value of another shape, and has a meaning only together with what it refers to.
    pub const fn reference(name: &'static str, encoded: ShapeRef) -> Shape {
        Shape::new(name, Kind::Reference(encoded, None))
    }

    /// As [`reference`](Shape::reference), for a reference of which the program knows what it leads
    /// to: [`targets`](Shape::targets) finds that. A file knows nothing of it.
    pub const fn reference_to(
        name: &'static str,
        encoded: ShapeRef,
        target: ReferenceTarget,
    ) -> Shape {
        Shape::new(name, Kind::Reference(encoded, Some(target)))
    }

    /// The version of the type. Default: 0.
    #[must_use]
    pub const fn with_version(self, version: u32) -> Shape {
        Shape { version, ..self }
    }

    /// Earlier names of the type.
    #[must_use]
    pub const fn with_earlier_names(self, was: &'static [&'static str]) -> Shape {
        Shape { was, ..self }
    }

    /// The stable name of the type, without type parameters.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The version of the type.
    pub const fn version(&self) -> u32 {
        self.version
    }

    pub(crate) const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The shape in words of an error.
    pub(crate) fn description(&self) -> String {
        match &self.kind {
            Kind::Primitive(primitive) => format!("`{}`", primitive.name()),
            Kind::Option(_) => "an option".to_owned(),
            Kind::Sequence(_) => "a sequence".to_owned(),
            Kind::Map(..) => "a map".to_owned(),
            Kind::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Kind::Array(_, count) => format!("an array of {count}"),
            Kind::Structure(_) => format!("the structure `{}`", self.name),
            Kind::Enum(_) => format!("the enum `{}`", self.name),
            Kind::Opaque => "bytes of serde".to_owned(),
            Kind::Reference(..) => format!("a reference `{}`", self.name),
        }
    }

    /// Whether a type in a file has this name, or one of the earlier ones.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        is_named(self.name, self.was, name)
    }
}

impl ShapeRef {
    /// The shape that `shape` returns.
    #[inline]
    pub const fn new(shape: fn() -> &'static Shape) -> ShapeRef {
        ShapeRef(shape)
    }

    /// The shape.
    pub fn get(self) -> &'static Shape {
        (self.0)()
    }
}

/// The name alone: the parts of a recursive type have no end.
impl fmt::Debug for ShapeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShapeRef({})", self.get().name)
    }
}

impl Field {
    /// A field of this name. Fields without a name are called `0`, `1` and so on.
    pub const fn new(name: &'static str, shape: ShapeRef) -> Field {
        Field {
            name,
            was: &[],
            shape,
        }
    }

    /// Earlier names of the field.
    #[must_use]
    pub const fn with_earlier_names(self, was: &'static [&'static str]) -> Field {
        Field { was, ..self }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) const fn shape_ref(&self) -> ShapeRef {
        self.shape
    }

    pub(crate) fn shape(&self) -> &'static Shape {
        self.shape.get()
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        is_named(self.name, self.was, name)
    }
}

impl Variant {
    /// A variant of this name.
    pub const fn new(name: &'static str, fields: &'static [Field]) -> Variant {
        Variant {
            name,
            was: &[],
            fields,
        }
    }

    /// A variant with the name, and the earlier names, of a type.
    pub const fn of_type(shape: &Shape, fields: &'static [Field]) -> Variant {
        Variant {
            name: shape.name,
            was: shape.was,
            fields,
        }
    }

    /// Earlier names of the variant.
    #[must_use]
    pub const fn with_earlier_names(self, was: &'static [&'static str]) -> Variant {
        Variant { was, ..self }
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        is_named(self.name, self.was, name)
    }
}

fn is_named(now: &str, was: &[&str], name: &str) -> bool {
    now == name || was.contains(&name)
}
