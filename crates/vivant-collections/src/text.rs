//! Text in chunks: formatting and comparison of [`gc::String`](crate::gc::String) and
//! [`val::String`](crate::val::String), independent of where their chunks end.

use std::fmt::{self, Write};
use std::hash::Hasher;

/// Writes text as the `Debug` of `str` does.
pub(crate) fn quote<'a>(
    chunks: impl Iterator<Item = &'a str>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    f.write_char('"')?;
    for character in chunks.flat_map(str::chars) {
        match character {
            '\'' => f.write_char('\'')?,
            _ => write!(f, "{}", character.escape_debug())?,
        }
    }
    f.write_char('"')
}

/// Returns whether the chunks together equal a text.
pub(crate) fn is<'a>(mut chunks: impl Iterator<Item = &'a str>, text: &str) -> bool {
    let mut rest = text;
    let all = chunks.all(|chunk| match rest.strip_prefix(chunk) {
        Some(behind) => {
            rest = behind;
            true
        }
        None => false,
    });
    all && rest.is_empty()
}

/// Hashes text in blocks of one size; the last block may be shorter.
pub(crate) fn hash<'a>(chunks: impl Iterator<Item = &'a str>, hasher: &mut impl Hasher) {
    let mut block = [0; 64];
    let mut filled = 0;
    for text in chunks {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (now, behind) = rest.split_at(rest.len().min(block.len() - filled));
            block[filled..filled + now.len()].copy_from_slice(now);
            filled += now.len();
            rest = behind;
            if filled == block.len() {
                hasher.write(&block);
                filled = 0;
            }
        }
    }
    hasher.write(&block[..filled]);
    hasher.write_u8(0xFF);
}

/// Emits the formatting and comparison traits of a text type, except equality with its own type.
macro_rules! text {
    ($text:ident) => {
        impl std::fmt::Display for $text<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.chunks().try_for_each(|text| f.write_str(text))
            }
        }

        impl std::fmt::Debug for $text<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::text::quote(self.chunks(), f)
            }
        }

        impl Eq for $text<'_> {}

        impl PartialEq<str> for $text<'_> {
            fn eq(&self, other: &str) -> bool {
                self.len == other.len() && $crate::text::is(self.chunks(), other)
            }
        }

        impl PartialEq<&str> for $text<'_> {
            fn eq(&self, other: &&str) -> bool {
                *self == **other
            }
        }

        impl PartialOrd for $text<'_> {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $text<'_> {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.bytes().cmp(other.bytes())
            }
        }

        impl std::hash::Hash for $text<'_> {
            /// The same for the same text, wherever its chunks end: so it can be a key.
            fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
                $crate::text::hash(self.chunks(), hasher);
            }
        }
    };
}
pub(crate) use text;
