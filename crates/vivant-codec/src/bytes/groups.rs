//! The groups of seven bits of an integer, side by side or one in each byte: a word at once.

/// An integer below this has eight groups at most, so that its varint fits into a word.
pub(crate) const WORD_END: u64 = 1 << 56;

/// The highest bit of each byte, which says that another byte follows.
pub(crate) const FOLLOWED: u64 = 0x8080_8080_8080_8080;

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

/// The value of the varint at the beginning of `bytes`, which has two bytes or more, and its number
/// of bytes. None if it has more bytes than it needs or than a `u64` has, or if less than a word is
/// left.
#[inline]
pub(crate) fn gather(bytes: &[u8]) -> Option<(u64, usize)> {
    let (word, behind) = bytes.split_first_chunk()?;
    let word = u64::from_le_bytes(*word);
    let unfollowed = !word & FOLLOWED;
    if unfollowed == 0 {
        let low = groups(word);
        return match behind {
            [high @ 1..0x80, ..] => Some((low | u64::from(*high) << 56, 9)),
            // The highest bit of all has the place of the bit that says that it follows.
            [high @ 0x80..=0xff, 1, ..] => Some((low | u64::from(*high) << 56, 10)),
            _ => None,
        };
    }
    // The bit of the last byte, which says that no byte follows, and all below it.
    let within = unfollowed ^ unfollowed.wrapping_sub(1);
    let end = unfollowed.trailing_zeros();
    match word & within & !FOLLOWED {
        word if word >> (end - 7) == 0 => None,
        word => Some((groups(word), end as usize / 8 + 1)),
    }
}

/// The lowest seven bits of each byte, side by side.
#[inline]
fn groups(word: u64) -> u64 {
    let word = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = (word & 0x3fff_0000_3fff) | (word & 0x3fff_0000_3fff_0000) >> 2;
    (word & 0x0fff_ffff) | (word & 0x0fff_ffff_0000_0000) >> 4
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
        (0..64).flat_map(move |bit| {
            let power = 1 << bit;
            let random = std::array::from_fn::<_, 100, _>(|_| power | (rng.u64(..) % power));
            [power - 1, power, power | (power - 1)]
                .into_iter()
                .chain(random)
        })
    }

    #[test]
    fn a_value_has_its_bytes_in_a_word() {
        for value in values().filter(|value| *value < WORD_END) {
            let (word, count) = spread(value);
            let expected = by_bytes(value);
            assert_eq!(word.to_le_bytes()[..count], expected, "{value:#x}");
            assert!(word.to_le_bytes()[count..].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn bytes_have_their_value_whatever_follows() {
        for value in values().filter(|value| *value >= 0x80) {
            let bytes = by_bytes(value);
            for behind in [0, 1, 0x80, 0xff] {
                let all = [bytes.clone(), vec![behind; 8]].concat();
                assert_eq!(gather(&all), Some((value, bytes.len())), "{value:#x}");
            }
        }
    }

    #[test]
    fn what_has_another_length_is_no_varint() {
        for count in 1..20 {
            let followed = vec![0x81; count];
            for end in [vec![0; 8], vec![0x80, 0, 0, 0, 0, 0, 0, 0]] {
                let all = [followed.clone(), end].concat();
                assert_eq!(gather(&all), None, "{all:x?}");
            }
        }
        // The 65th bit, and less than a word.
        assert_eq!(
            gather(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]),
            None
        );
        assert_eq!(gather(&[0x80, 1, 0, 0, 0, 0, 0]), None);
    }
}
