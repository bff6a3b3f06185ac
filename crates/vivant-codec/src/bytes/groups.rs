//! The groups of seven bits of an integer, side by side or one in each byte: a word at once.

/// An integer below this has eight groups at most, so that its varint fits into a word.
pub(crate) const WORD_END: u64 = 1 << 56;

/// The highest bit of each byte, which says that another byte follows.
const FOLLOWED: u64 = 0x8080_8080_8080_8080;

/// The varint of a value below [`WORD_END`], its first byte lowest, and its number of bytes.
#[inline]
pub(crate) fn spread(value: u64) -> (u64, usize) {
    let value = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let value = (value & 0x3fff_0000_3fff) | (value & 0x0fff_c000_0fff_c000) << 2;
    let value = (value & 0x007f_007f_007f_007f) | (value & 0x3f80_3f80_3f80_3f80) << 1;
    // The place of the highest bit, or that of the last byte if the value is zero.
    let before_last = (value | 1).ilog2() & !7;
    let followed = FOLLOWED & !(u64::MAX << before_last);
    (value | followed, before_last as usize / 8 + 1)
}

/// The value of the varint at the beginning of a word, its first byte lowest, and its number of
/// bytes. None if it is longer than the word, or has more bytes than it needs.
#[inline]
pub(crate) fn gather(word: u64) -> Option<(u64, usize)> {
    let last = !word & FOLLOWED;
    // All bits up to that of the last byte that says that no byte follows.
    let within = last ^ last.wrapping_sub(1);
    let value = word & within & !FOLLOWED;
    let count = (within.count_ones() / 8) as usize;
    if last == 0 || (count > 1 && value >> (8 * (count - 1)) == 0) {
        return None;
    }
    let value = (value & 0x007f_007f_007f_007f) | (value & 0x7f00_7f00_7f00_7f00) >> 1;
    let value = (value & 0x3fff_0000_3fff) | (value & 0x3fff_0000_3fff_0000) >> 2;
    let value = (value & 0x0fff_ffff) | (value & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, count))
}

#[cfg(test)]
mod tests {
    use super::{WORD_END, gather, spread};

    /// One byte after the other.
    fn by_bytes(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    /// Values around each power of two, and random ones of each length.
    fn values() -> impl Iterator<Item = u64> {
        let mut rng = fastrand::Rng::with_seed(1);
        (0..56).flat_map(move |bit| {
            let power = 1 << bit;
            let random = std::array::from_fn::<_, 100, _>(|_| rng.u64(power..2 * power));
            [power - 1, power].into_iter().chain(random)
        })
    }

    #[test]
    fn a_word_has_the_bytes_of_a_varint() {
        for value in values().chain([0, WORD_END - 1]) {
            let (word, count) = spread(value);
            assert_eq!(word.to_le_bytes()[..count], by_bytes(value), "{value:#x}");
            for behind in [0, u64::MAX, FOLLOWED_ODD] {
                let behind = behind.checked_shl(8 * count as u32).unwrap_or(0);
                assert_eq!(gather(word | behind), Some((value, count)), "{value:#x}");
            }
        }
    }

    const FOLLOWED_ODD: u64 = 0x80_0080_0080_0080;

    #[test]
    fn what_is_too_long_is_no_varint() {
        assert_eq!(gather(0x8080_8080_8080_8080), None);
        assert_eq!(gather(u64::MAX), None);
        for zeros in 1..8 {
            // A byte, and so many groups of zeros.
            let word = 0x8080_8080_8080_8081 & ((1 << (8 * zeros)) - 1);
            assert_eq!(gather(word), None, "{zeros}");
        }
    }
}
