//! Tags: one byte of each key's hash. Sixteen of them are compared by one instruction.

use std::ptr::NonNull;

/// The number of tags in a group.
pub(crate) const GROUP: usize = 16;

/// Returns a bit for each tag of a group that equals `tag`.
///
/// # Safety
///
/// Sixteen bytes can be read at `group`.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) unsafe fn equal(group: NonNull<u8>, tag: u8) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
    };
    // SAFETY: guaranteed by the caller; every x86-64 processor has SSE2.
    unsafe {
        let group = _mm_loadu_si128(group.cast::<__m128i>().as_ptr());
        _mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8(tag as i8))) as u32
    }
}

/// Returns a bit for each tag of a group that equals `tag`.
///
/// # Safety
///
/// Sixteen bytes can be read at `group`.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn equal(group: NonNull<u8>, tag: u8) -> u32 {
    // SAFETY: guaranteed by the caller.
    let group = unsafe { group.cast::<[u8; GROUP]>().as_ref() };
    let bit = |(number, &byte): (usize, &u8)| u32::from(byte == tag) << number;
    group.iter().enumerate().map(bit).sum()
}

/// Returns a bit for each of 64 tags that equals `tag`.
///
/// # Safety
///
/// 64 bytes can be read at `groups`.
#[inline]
pub(crate) unsafe fn equal_64(groups: NonNull<u8>, tag: u8) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let [one, two, three, four] =
            [0, 1, 2, 3].map(|number| u64::from(equal(groups.add(number * GROUP), tag)));
        one | two << 16 | three << 32 | four << 48
    }
}
