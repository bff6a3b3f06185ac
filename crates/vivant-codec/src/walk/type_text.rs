//! Types in the notation of Rust, by the shapes of a file alone.

use crate::table::shapes::Shapes;
use crate::table::stored::{ShapeId, StoredKind};

/// Levels of types without a name within each other; `…` stands for what is deeper.
const LEVELS_MAX: usize = 8;
/// Bytes after which no part begins; `…` stands for the rest.
const BYTES_MAX: usize = 120;

/// The type that has this shape, as `bank::Account`, `[u8]` or `Option<(u32, string)>`. A type
/// parameter is no part of a name. A long text is cut.
///
/// ```
/// use vivant_codec::{Saved, Shapes, type_text};
///
/// let mut shapes = Shapes::default();
/// let id = shapes.add(<Vec<(u16, Option<String>)>>::SHAPE)?;
/// assert_eq!(type_text(&shapes, id), "[(u16, Option<string>)]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn type_text(shapes: &Shapes, shape: ShapeId) -> String {
    let mut out = String::new();
    write(shapes, shape, LEVELS_MAX, &mut out);
    out
}

fn write(shapes: &Shapes, shape: ShapeId, levels: usize, out: &mut String) {
    let Some(shape) = shapes.get(shape).filter(|_| out.len() < BYTES_MAX) else {
        return out.push('…');
    };
    let mut group = |begin: &str, parts: &[ShapeId], end: &str| {
        out.push_str(begin);
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            match levels.checked_sub(1) {
                Some(levels) if out.len() < BYTES_MAX => write(shapes, *part, levels, out),
                _ => {
                    out.push('…');
                    break;
                }
            }
        }
        out.push_str(end);
    };
    match &shape.kind {
        StoredKind::Option(part) => group("Option<", &[*part], ">"),
        StoredKind::Sequence(part) => group("[", &[*part], "]"),
        StoredKind::Array(part, count) => group("[", &[*part], &format!("; {count}]")),
        StoredKind::Map(key, value) => group("{", &[*key, *value], "}"),
        StoredKind::Tuple(parts) => group("(", parts, ")"),
        StoredKind::Primitive(primitive) => out.push_str(primitive.name()),
        StoredKind::Opaque => out.push_str("serde"),
        StoredKind::Structure(_) | StoredKind::Enum(_) | StoredKind::Reference(_) => {
            out.extend(
                shape
                    .name
                    .chars()
                    .take(BYTES_MAX)
                    .flat_map(char::escape_debug),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Saved;

    #[test]
    fn a_type_without_end_is_cut() {
        let mut shapes = Shapes::default();
        let long = shapes.add(<[[(u8, u16, u32, u64); 9]; 9]>::SHAPE);
        let long = long.expect("there are few");
        assert_eq!(type_text(&shapes, long), "[[(u8, u16, u32, u64); 9]; 9]");
        type Wide = ([u64; 9], [u64; 8], [u64; 7], [u64; 6], [u64; 5], [u64; 4]);
        let wide = shapes.add(<(Wide, Wide, Wide, Wide)>::SHAPE);
        let text = type_text(&shapes, wide.expect("there are few"));
        assert!(text.len() < 2 * BYTES_MAX && text.contains('…'), "{text}");
        assert_eq!(type_text(&shapes, ShapeId::new(10_000)), "…");
    }

    #[test]
    fn a_shape_of_itself_is_cut() {
        // A table of one shape, an option of itself.
        let table = [1, 1, 1, b'o', 0, 1, 0];
        let shapes: Shapes = crate::from_bytes(&table).expect("it is a table");
        let text = type_text(&shapes, ShapeId::new(0));
        assert_eq!(text.matches("Option<").count(), LEVELS_MAX + 1);
        assert!(text.contains("<…>"), "{text}");
    }
}
