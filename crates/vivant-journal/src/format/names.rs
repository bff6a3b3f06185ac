//! Names of files. No name is read from a file: each follows from the image's number.

use std::fmt;

/// The end of the name of a file that is renamed when it is complete.
pub(crate) const ASIDE: &str = ".new";

const MANIFEST: &str = ".manifest";
const SEGMENT: &str = ".segment";
const NUMBER_DIGITS: usize = 20;
const SEGMENT_DIGITS: usize = 5;

/// A file of an image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FileName {
    Manifest {
        image: u64,
    },
    Segment {
        image: u64,
        segment: u32,
    },
    /// A manifest that was not published.
    Aside {
        image: u64,
    },
}

impl FileName {
    /// The file of this name, or `None` if it is not one of an image.
    pub(crate) fn parse(name: &str) -> Option<FileName> {
        let parsed = match name.strip_suffix(ASIDE) {
            Some(manifest) => FileName::Aside {
                image: number(manifest.strip_suffix(MANIFEST)?)?,
            },
            None => match name.strip_suffix(MANIFEST) {
                Some(image) => FileName::Manifest {
                    image: number(image)?,
                },
                None => {
                    let (image, segment) = name.strip_suffix(SEGMENT)?.split_once('-')?;
                    FileName::Segment {
                        image: number(image)?,
                        segment: segment.parse().ok()?,
                    }
                }
            },
        };
        // One name for each file: no sign, no other number of digits.
        (parsed.to_string() == name).then_some(parsed)
    }

    pub(crate) fn image(self) -> u64 {
        match self {
            FileName::Manifest { image }
            | FileName::Segment { image, .. }
            | FileName::Aside { image } => image,
        }
    }
}

fn number(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileName::Manifest { image } => write!(f, "{image:0NUMBER_DIGITS$}{MANIFEST}"),
            FileName::Segment { image, segment } => {
                write!(
                    f,
                    "{image:0NUMBER_DIGITS$}-{segment:0SEGMENT_DIGITS$}{SEGMENT}"
                )
            }
            FileName::Aside { image } => write!(f, "{image:0NUMBER_DIGITS$}{MANIFEST}{ASIDE}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_page_and_no_other() {
        let page = include_str!("../../FORMAT.md");
        for (name, file) in [
            (
                "00000000000000000007.manifest",
                FileName::Manifest { image: 7 },
            ),
            (
                "00000000000000000007-00003.segment",
                FileName::Segment {
                    image: 7,
                    segment: 3,
                },
            ),
            (
                "00000000000000000007.manifest.new",
                FileName::Aside { image: 7 },
            ),
        ] {
            assert_eq!(FileName::parse(name), Some(file));
            assert!(page.contains(&format!("| `{name}` |")), "{name}");
        }
        for other in [
            "7.manifest",
            "+0000000000000000007.manifest",
            "00000000000000000007.manifest.new.new",
            "00000000000000000007-00003.segment.new",
            "00000000000000000007-3.segment",
            "99999999999999999999.manifest",
            "lost+found",
            "",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }
}
