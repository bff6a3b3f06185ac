//! Tags: a byte of each key's hash, sixteen of which are compared at once.

use std::ptr::NonNull;

/// Tags in a group.
pub(crate) const GROUP: usize = 16;

/// Those tags of a group that equal `tag`, a bit for each.
///
/// # Safety
///
/// Sixteen bytes can be read there.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) unsafe fn equal(group: NonNull<u8>, tag: u8) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
    };
    // SAFETY: the caller's; every x86-64 processor has SSE2.
    unsafe {
        let group = _mm_loadu_si128(group.cast::<__m128i>().as_ptr());
        _mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8(tag as i8))) as u32
    }
}

/// Those tags of a group that equal `tag`, a bit for each.
///
/// # Safety
///
/// Sixteen bytes can be read there.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn equal(group: NonNull<u8>, tag: u8) -> u32 {
    // SAFETY: the caller's.
    let group = unsafe { group.cast::<[u8; GROUP]>().as_ref() };
    let bit = |(number, &byte): (usize, &u8)| u32::from(byte == tag) << number;
    group.iter().enumerate().map(bit).sum()
}

/// Those of 64 tags that equal `tag`, a bit for each.
///
/// # Safety
///
/// So many bytes can be read there.
#[inline]
pub(crate) unsafe fn equal_64(groups: NonNull<u8>, tag: u8) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        let [one, two, three, four] =
            [0, 1, 2, 3].map(|number| u64::from(equal(groups.add(number * GROUP), tag)));
        one | two << 16 | three << 32 | four << 48
    }
}
