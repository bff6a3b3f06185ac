#![doc = include_str!("../README.md")]

#[allow(
    unsafe_code,
    reason = "lays out nodes by hand, by the contract of `vivant_heap::raw`"
)]
pub mod gc;
#[cfg(test)]
mod injected_fault;
mod text;
pub mod val;
