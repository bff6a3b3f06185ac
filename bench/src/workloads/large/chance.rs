//! Pseudo-random numbers, the same in every run and on every platform.

/// A number below 2⁵⁹ for one below 2⁵⁸, in no order; only its highest bits are not set as often as
/// not. Nothing on the way is larger: a number of so many bits is small on every platform, in
/// Erlang too.
pub(super) fn mixed(number: u64) -> u64 {
    FACTORS.into_iter().fold(number, |number, factor| {
        let product = (number & 0x3FFF_FFFF) * factor + (number >> 30);
        product ^ product >> 29
    })
}

/// Primes a little larger than 2²⁸: no product has more than 59 bits.
const FACTORS: [u64; 4] = [284_661_031, 324_043_739, 334_161_007, 295_214_089];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinct_and_each_low_bit_is_as_often_set_as_not() {
        const NUMBERS: u64 = 1 << 17;
        let mut numbers: Vec<u64> = (0..NUMBERS).map(mixed).collect();
        for bit in 0..48 {
            let set = numbers.iter().filter(|it| *it >> bit & 1 == 1).count();
            let share = set as f64 / NUMBERS as f64;
            assert!((0.49..0.51).contains(&share), "bit {bit}: {share}");
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len() as u64, NUMBERS);
        assert!(numbers.iter().all(|number| *number < 1 << 59));
    }
}
