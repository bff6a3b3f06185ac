//! [`Compression`]: how blocks are compressed. Every failure is a value, and nothing is allocated
//! by a length that a file gives: the caller provides both buffers.

use crate::error::Damage;

/// How the blocks of an image are compressed. A block that does not shrink is stored as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    None,
    /// LZ4, in Rust: some gigabytes a second, and about half of the bytes of typical state.
    #[default]
    Lz4,
    /// Zstandard, in C: fewer bytes for more time. Needs the feature `zstd`.
    #[cfg(feature = "zstd")]
    Zstd {
        /// From 1, the fastest, to 22; 3 is zstd's own choice.
        level: i32,
    },
}

/// The code of a compression in a block head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    None = 0,
    Lz4 = 1,
    Zstd = 2,
}

impl Code {
    pub(crate) fn of(code: u64) -> Option<Code> {
        [Code::None, Code::Lz4, Code::Zstd]
            .into_iter()
            .find(|known| *known as u64 == code)
    }

    /// The name of the feature without which this program cannot decompress, if it was built so.
    pub(crate) fn missing_feature(self) -> Option<&'static str> {
        match self {
            Code::Zstd if cfg!(not(feature = "zstd")) => Some("zstd"),
            _ => None,
        }
    }

    /// Fills `content` from `stored`. It is damage if these are not the bytes of a compressor, or
    /// give another number of bytes.
    pub(crate) fn decompress(self, stored: &[u8], content: &mut [u8]) -> Result<(), Damage> {
        let bytes = match self {
            Code::None if stored.len() == content.len() => {
                content.copy_from_slice(stored);
                Some(stored.len())
            }
            Code::None => None,
            Code::Lz4 => lz4_flex::block::decompress_into(stored, content).ok(),
            #[cfg(feature = "zstd")]
            Code::Zstd => zstd::bulk::decompress_to_buffer(stored, content).ok(),
            #[cfg(not(feature = "zstd"))]
            Code::Zstd => None,
        };
        match bytes {
            Some(bytes) if bytes == content.len() => Ok(()),
            _ => Err(Damage::Compressed),
        }
    }
}

impl Compression {
    /// Appends the shorter of `content` and its compressed form to `out`.
    pub(crate) fn compress(self, content: &[u8], out: &mut Vec<u8>) -> Code {
        let start = out.len();
        let (code, bytes) = match self {
            Compression::None => (Code::None, None),
            Compression::Lz4 => {
                let bytes_max = lz4_flex::block::get_maximum_output_size(content.len());
                out.resize(start + bytes_max, 0);
                let bytes = lz4_flex::block::compress_into(content, &mut out[start..]);
                (Code::Lz4, bytes.ok())
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd { level } => {
                out.resize(start + content.len(), 0);
                // No room for more than the content: a failure means that it does not shrink.
                let bytes = zstd::bulk::compress_to_buffer(content, &mut out[start..], level);
                (Code::Zstd, bytes.ok())
            }
        };
        match bytes {
            Some(bytes) if bytes < content.len() => {
                out.truncate(start + bytes);
                code
            }
            _ => {
                out.truncate(start);
                out.extend_from_slice(content);
                Code::None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Compression> {
        vec![
            Compression::None,
            Compression::Lz4,
            #[cfg(feature = "zstd")]
            Compression::Zstd { level: 3 },
        ]
    }

    #[test]
    fn what_is_compressed_comes_back_and_never_grows() {
        let mut random = fastrand::Rng::with_seed(1);
        for compression in all() {
            for length in [1, 2, 17, 64, 1000, 65_536] {
                let repeated = vec![7; length];
                let noise: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
                for content in [repeated, noise] {
                    let mut stored = Vec::new();
                    let code = compression.compress(&content, &mut stored);
                    assert_eq!(code == Code::None, stored.len() == content.len());
                    assert!(stored.len() <= content.len());
                    let mut again = vec![0; length];
                    assert_eq!(code.decompress(&stored, &mut again), Ok(()));
                    assert_eq!(again, content);
                }
            }
        }
    }

    #[test]
    fn another_length_of_content_is_refused() {
        for compression in all() {
            let mut stored = Vec::new();
            let code = compression.compress(&[7; 1000], &mut stored);
            for wrong in [0, 1, 999, 1001] {
                let outcome = code.decompress(&stored, &mut vec![0; wrong]);
                assert_eq!(outcome, Err(Damage::Compressed), "{compression:?}, {wrong}");
            }
        }
    }
}
