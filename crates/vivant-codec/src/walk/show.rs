//! Shows a value by the shapes of its file, without its program.

use crate::errors::load_error::LoadError;
use crate::table::shapes::Shapes;
use crate::table::stored::ShapeId;
use crate::walk::walker::{Event, Group};
use crate::walk::whole::walk;
use std::fmt::{self, Write};

/// Bytes of serde that are shown; of more, only their number is.
const OPAQUE_SHOWN_MAX: usize = 32;

/// Appends the value as text to `out`: one line for each field, element and pair, indented.
///
/// The text has at most about `bytes_max` bytes; `…` stands for the rest, which is checked all the
/// same. Before an error, `out` has the text of what could be read.
///
/// ```
/// use vivant_codec::{Saved, Shapes, show, to_bytes};
///
/// # #[cfg(feature = "derive")] {
/// #[derive(Saved)]
/// #[saved(name = "Booking")]
/// struct Booking {
///     passenger: String,
///     seats: Vec<u16>,
/// }
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(Booking::SHAPE)?;
/// let bytes = to_bytes(&Booking { passenger: "Ada".into(), seats: vec![7, 300] })?;
///
/// let mut text = String::new();
/// show(&shapes, id, &bytes, 1000, &mut text)?;
/// assert_eq!(text, "Booking {\n  passenger: \"Ada\",\n  seats: [7, 300],\n}");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The bytes are no value of this shape.
pub fn show(
    shapes: &Shapes,
    shape: ShapeId,
    bytes: &[u8],
    bytes_max: usize,
    out: &mut String,
) -> Result<(), LoadError> {
    show_named(shapes, shape, bytes, bytes_max, &|_, _| None, out)
}

/// As [`show`]. A reference that is encoded as a number is shown as the text that `name` returns
/// for the name of its shape and that number, if there is one.
///
/// ```
/// use vivant_codec::{Saved, Shapes, show_named, to_bytes};
/// # use vivant_codec::{Decoder, Encoder, LoadError, Shape, shape_of};
/// # struct Page(u64);
/// # impl<'gc> Saved<'gc> for Page {
/// #     const SHAPE: &'static Shape = &Shape::reference("Page", shape_of::<'gc, u64>());
/// #     fn save(&self, out: &mut Encoder<'_>) { self.0.save(out) }
/// #     fn load(input: &mut Decoder<'gc, '_>) -> Result<Page, LoadError> {
/// #         Ok(Page(input.reference(Self::SHAPE)?))
/// #     }
/// # }
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(<Vec<Page> as Saved<'_>>::SHAPE)?;
/// let bytes = to_bytes(&vec![Page(1), Page(20)])?;
///
/// let name = |_: &str, number| (number > 9).then(|| format!("page {number} of the annex"));
/// let mut text = String::new();
/// show_named(&shapes, id, &bytes, 1000, &name, &mut text)?;
/// assert_eq!(text, "[\n  → Page (1),\n  → Page (page 20 of the annex),\n]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The bytes are no value of this shape.
pub fn show_named(
    shapes: &Shapes,
    shape: ShapeId,
    bytes: &[u8],
    bytes_max: usize,
    name: &dyn Fn(&str, u128) -> Option<String>,
    out: &mut String,
) -> Result<(), LoadError> {
    let mut text = Text {
        end: out.len().saturating_add(bytes_max),
        out,
        groups: Vec::new(),
        is_cut: false,
        name,
        reference: None,
    };
    walk(shapes, shape, bytes, |event| {
        text.event(&event);
        Ok(())
    })
}

/// The text so far.
struct Text<'t, 's> {
    out: &'t mut String,
    /// No part begins behind this length.
    end: usize,
    groups: Vec<Open>,
    is_cut: bool,
    name: &'t dyn Fn(&str, u128) -> Option<String>,
    /// The name of the reference of which the value comes next.
    reference: Option<&'s str>,
}

/// A group that has begun.
struct Open {
    is_in_line: bool,
    parts: u64,
    /// The next part is the value of a pair: it stands behind its key.
    follows: bool,
}

impl<'s> Text<'_, 's> {
    fn event(&mut self, event: &Event<'s, '_>) {
        if self.out.len() >= self.end && !self.is_cut {
            self.out.push('…');
            self.is_cut = true;
        }
        if self.is_cut {
            return;
        }
        // Writing to a string does not fail.
        let _ = self.write(event);
    }

    fn write(&mut self, event: &Event<'s, '_>) -> fmt::Result {
        let reference = self.reference.take();
        match event {
            Event::Field(name) => {
                self.part();
                if let Some(open) = self.groups.last_mut() {
                    open.follows = true;
                }
                write!(self.out, "{}: ", Name(name))
            }
            Event::Key => Ok(()),
            Event::Value => {
                if let Some(open) = self.groups.last_mut() {
                    open.follows = true;
                }
                write!(self.out, " => ")
            }
            Event::Begin(group) => {
                self.part();
                if let Group::Reference(name) = group {
                    self.reference = Some(name);
                }
                self.begin(*group)
            }
            Event::End(group) => self.end(*group),
            Event::Unsigned(number) => {
                self.part();
                let name = reference.and_then(|reference| (self.name)(reference, *number));
                match name {
                    Some(name) => write!(self.out, "{}", Name(&name)),
                    None => write!(self.out, "{number}"),
                }
            }
            value => {
                self.part();
                self.value(value)
            }
        }
    }

    /// A part of the innermost group begins.
    fn part(&mut self) {
        let level = self.groups.len();
        let Some(open) = self.groups.last_mut() else {
            return;
        };
        if std::mem::take(&mut open.follows) {
            return;
        }
        open.parts += 1;
        match (open.is_in_line, open.parts) {
            (true, 1) => {}
            (true, _) => self.out.push_str(", "),
            (false, 1) => self.line(level),
            (false, _) => {
                self.out.push(',');
                self.line(level);
            }
        }
    }

    fn line(&mut self, level: usize) {
        self.out.push('\n');
        for _ in 0..level {
            self.out.push_str("  ");
        }
    }

    fn begin(&mut self, group: Group<'_>) -> fmt::Result {
        let is_in_line = match group {
            Group::Some => {
                write!(self.out, "Some(")?;
                true
            }
            Group::Row => {
                write!(self.out, "[")?;
                true
            }
            Group::Sequence => {
                write!(self.out, "[")?;
                false
            }
            Group::Map => {
                write!(self.out, "{{")?;
                false
            }
            Group::Tuple => {
                write!(self.out, "(")?;
                true
            }
            Group::Structure(name) => {
                write!(self.out, "{} {{", Name(name))?;
                false
            }
            Group::Variant { of, variant, .. } => {
                write!(self.out, "{}::{} {{", Name(of), Name(variant))?;
                false
            }
            Group::Reference(name) => {
                write!(self.out, "→ {} (", Name(name))?;
                true
            }
        };
        self.groups.push(Open {
            is_in_line,
            parts: 0,
            follows: false,
        });
        Ok(())
    }

    fn end(&mut self, group: Group<'_>) -> fmt::Result {
        let open = self.groups.pop();
        if open.is_some_and(|open| !open.is_in_line && open.parts > 0) {
            self.out.push(',');
            self.line(self.groups.len());
        }
        let closing = match group {
            Group::Some | Group::Tuple | Group::Reference(_) => ')',
            Group::Sequence | Group::Row => ']',
            Group::Map | Group::Structure(_) | Group::Variant { .. } => '}',
        };
        self.out.push(closing);
        Ok(())
    }

    fn value(&mut self, value: &Event<'_, '_>) -> fmt::Result {
        match value {
            Event::None => write!(self.out, "None"),
            Event::Bool(value) => write!(self.out, "{value}"),
            Event::Signed(value) => write!(self.out, "{value}"),
            Event::F32(value) => write!(self.out, "{value:?}"),
            Event::F64(value) => write!(self.out, "{value:?}"),
            Event::Char(value) => write!(self.out, "{value:?}"),
            Event::Text(text) => self.text(text),
            Event::Bytes(bytes) => self.bytes(bytes),
            Event::Opaque(bytes) if bytes.len() <= OPAQUE_SHOWN_MAX => {
                write!(self.out, "serde({bytes:02x?})")
            }
            Event::Opaque(bytes) => write!(self.out, "serde({} bytes)", bytes.len()),
            _ => Ok(()),
        }
    }

    /// A row of bytes, cut where the limit is.
    fn bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        self.out.push('[');
        for (i, byte) in bytes.iter().enumerate() {
            if self.out.len() >= self.end {
                self.is_cut = true;
                self.out.push('…');
                return Ok(());
            }
            let comma = if i == 0 { "" } else { ", " };
            write!(self.out, "{comma}{byte}")?;
        }
        self.out.push(']');
        Ok(())
    }

    /// A text, cut where the limit is.
    fn text(&mut self, text: &str) -> fmt::Result {
        let left = self.end.saturating_sub(self.out.len());
        let mut shown = text.len().min(left);
        while !text.is_char_boundary(shown) {
            shown -= 1;
        }
        let cut = if shown < text.len() { "…" } else { "" };
        write!(self.out, "{:?}{cut}", &text[..shown])
    }
}

/// A name of a file, which may have any characters.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_debug())
    }
}
