//! [`FieldPath`]: where in a value a walk is.

use vivant_codec::{Event, Group};

/// Characters of a key that are shown.
const KEY_SHORT: usize = 40;
/// Levels that are shown; `…` stands for those before.
const LEVELS_SHORT: usize = 64;
/// The enum of references to shared objects. Its variants are no fields of the program.
const SHARED: &str = "vivant::Val";

/// Where in a value a walk is, as `.shelves[3].books["Emma"]`.
#[derive(Default)]
pub(super) struct FieldPath<'s> {
    frames: Vec<Frame<'s>>,
}

/// A group that has begun.
enum Frame<'s> {
    /// The name of the field that is walked.
    Fields(&'s str),
    /// The number of elements that have begun.
    Sequence(u64),
    Tuple(u64),
    Map {
        /// The number of pairs that have begun.
        pairs: u64,
        /// The key of the last one, if it is a single value.
        key: Option<String>,
        is_key: bool,
    },
    /// Its part needs no name.
    Through,
}

impl<'s> FieldPath<'s> {
    /// Goes on with the walk.
    pub(super) fn event(&mut self, event: &Event<'s, '_>) {
        match (event, self.frames.last_mut()) {
            (Event::Field(name), Some(Frame::Fields(field))) => *field = name,
            (
                Event::Key,
                Some(Frame::Map {
                    pairs, key, is_key, ..
                }),
            ) => {
                (*pairs, *key, *is_key) = (*pairs + 1, None, true);
            }
            (Event::Value, Some(Frame::Map { is_key, .. })) => *is_key = false,
            (Event::Field(_) | Event::Key | Event::Value, _) => {}
            (Event::End(_), _) => {
                self.frames.pop();
            }
            (Event::Begin(group), _) => {
                self.part();
                self.frames.push(Frame::of(*group));
            }
            (value, _) => {
                self.part();
                if let Some(Frame::Map {
                    key, is_key: true, ..
                }) = self.frames.last_mut()
                {
                    *key = key_text(value);
                }
            }
        }
    }

    /// A part of the innermost group begins.
    fn part(&mut self) {
        if let Some(Frame::Sequence(parts) | Frame::Tuple(parts)) = self.frames.last_mut() {
            *parts += 1;
        }
    }

    /// Where the value is that has just begun.
    pub(super) fn text(&self) -> String {
        let (cut, shown) = match self.frames.len().checked_sub(LEVELS_SHORT) {
            Some(before) if before > 0 => ("…", &self.frames[before..]),
            _ => ("", &self.frames[..]),
        };
        let mut text = cut.to_owned();
        for frame in shown {
            text.push_str(&match frame {
                Frame::Fields(name) => format!(".{}", name.escape_debug()),
                Frame::Sequence(parts) => format!("[{}]", parts.saturating_sub(1)),
                Frame::Tuple(parts) => format!(".{}", parts.saturating_sub(1)),
                Frame::Map {
                    pairs,
                    is_key: true,
                    ..
                } => format!("[key {}]", pairs.saturating_sub(1)),
                Frame::Map { key: Some(key), .. } => format!("[{key}]"),
                Frame::Map { pairs, .. } => format!("[value {}]", pairs.saturating_sub(1)),
                Frame::Through => continue,
            });
        }
        text
    }
}

impl Frame<'_> {
    fn of(group: Group<'_>) -> Self {
        match group {
            Group::Variant { of: SHARED, .. } | Group::Some | Group::Reference(_) => Frame::Through,
            Group::Structure(_) | Group::Variant { .. } => Frame::Fields(""),
            Group::Row | Group::Sequence => Frame::Sequence(0),
            Group::Tuple => Frame::Tuple(0),
            Group::Map => Frame::Map {
                pairs: 0,
                key: None,
                is_key: true,
            },
        }
    }
}

/// A key that is a single value.
fn key_text(value: &Event<'_, '_>) -> Option<String> {
    Some(match value {
        Event::Bool(key) => key.to_string(),
        Event::Unsigned(key) => key.to_string(),
        Event::Signed(key) => key.to_string(),
        Event::Char(key) => format!("{key:?}"),
        Event::Text(key) => match key.char_indices().nth(KEY_SHORT) {
            Some((end, _)) => format!("{:?}…", &key[..end]),
            None => format!("{key:?}"),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use vivant_codec::{LoadError, Saved, Shapes, to_bytes, walk};

    #[derive(Saved)]
    #[saved(name = "Library")]
    struct Library {
        shelves: Vec<(bool, Option<Shelf>)>,
        names: BTreeMap<String, u8>,
        rooms: BTreeMap<(u8, u8), u8>,
    }

    #[derive(Saved)]
    #[saved(name = "Shelf")]
    enum Shelf {
        Full { books: [u8; 2] },
    }

    #[test]
    fn each_value_has_its_place() {
        let library = Library {
            shelves: vec![
                (true, None),
                (false, Some(Shelf::Full { books: [101, 102] })),
            ],
            names: BTreeMap::from([("a".to_owned(), 103), ("b".repeat(50), 104)]),
            rooms: BTreeMap::from([((105, 106), 107)]),
        };
        let mut shapes = Shapes::default();
        let shape = shapes.add(Library::SHAPE).expect("there are few");
        let bytes = to_bytes(&library).expect("it is small");
        let (mut path, mut places) = (FieldPath::default(), Vec::new());
        let walked = walk(&shapes, shape, &bytes, |event| {
            path.event(&event);
            if matches!(event, Event::Unsigned(_)) {
                places.push(path.text());
            }
            Ok::<(), LoadError>(())
        });
        walked.expect("it is a value");
        let long = format!(".names[{:?}…]", "b".repeat(KEY_SHORT));
        let expected = [
            ".shelves[1].1.books.0",
            ".shelves[1].1.books.1",
            ".names[\"a\"]",
            &long,
            ".rooms[key 0].0",
            ".rooms[key 0].1",
            ".rooms[value 0]",
        ];
        assert_eq!(places, expected);
        assert_eq!(path.text(), "", "the walk has ended");
    }
}
