//! Blocks of behaviours: how a saved actor lists them, and how each finds that it is listed. For
//! the macros.
//!
//! A block has a number, the hash of the path of its module: `bank::account_messages`. The impls of
//! an actor cannot see each other, and the compiler can compare numbers.

use super::actor::Actor;
use super::behaviour::{Continuation, Message};
use super::link::Target;
use super::promise::saved::{HoleOf, ValueOf, load_then, then_shape};
use super::saved_kinds::SavedList;
use crate::actor::AskError;
use crate::saving::SaveKind;
use std::marker::PhantomData;

/// The actor has the block of behaviours with this number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such block of behaviours",
    label = "its `blocks(…)` lists a module that no `#[behaviours(module = …)]` of it has",
    note = "the path is that of the module, from where the actor's type is: `till`, or `orders::till`"
)]
pub trait BlockOf<const ID: u64> {
    /// Lists the kinds of messages of the block.
    fn list(list: &mut SavedList);
}

/// The block of an actor that may have none.
#[derive(Debug)]
pub struct MaybeBlock<A, const ID: u64>(PhantomData<A>);

impl<A: BlockOf<ID>, const ID: u64> MaybeBlock<A, ID> {
    /// Lists the kinds of messages of the block. It takes precedence over that of [`NoBlock`].
    pub fn list(list: &mut SavedList) {
        A::list(list);
    }
}

/// An actor without the block.
pub trait NoBlock {
    /// Nothing is listed.
    fn list(_: &mut SavedList) {}
}

impl<A, const ID: u64> NoBlock for MaybeBlock<A, ID> {}

/// A behaviour, of which the reply may be a result.
#[derive(Debug)]
pub struct MaybeResult<B>(PhantomData<B>);

impl<T: Send + 'static, E: Send + 'static, B: Message<Reply = Result<T, E>>> MaybeResult<B> {
    /// Lists the type of the reply: a request may be delegated as its `Ok`. It takes precedence
    /// over that of [`NoResult`].
    pub fn list(list: &mut SavedList) {
        list.values().add_result::<T, E>();
    }
}

/// A behaviour with another reply, or a continuation with another hole.
pub trait NoResult {
    /// Nothing is listed.
    fn list(_: &mut SavedList) {}
}

impl<B> NoResult for MaybeResult<B> {}

/// The hole of a continuation, which may be a promise's.
#[derive(Debug)]
pub struct MaybeHole<K>(PhantomData<K>);

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> MaybeHole<K> {
    /// Lists the continuation and the type of its hole. It takes precedence over that of
    /// [`NoHole`].
    pub fn list(list: &mut SavedList) {
        let values = list.values();
        values.add::<HoleOf<K>>(ValueOf::Hole, K::NAME);
        values.add_continuation(K::NAME, load_then::<T, K>, then_shape::<K>());
    }
}

/// A continuation of something else: of a dead letter, or of an item of a stream.
pub trait NoHole {
    /// Nothing is listed.
    fn list(_: &mut SavedList) {}
}

impl<K> NoHole for MaybeHole<K> {}

/// A continuation, of which the hole may be that of a promise of a result.
#[derive(Debug)]
pub struct MaybeResultHole<K>(PhantomData<K>);

impl<T, E, K> MaybeResultHole<K>
where
    T: Send + 'static,
    E: Send + 'static,
    K: Continuation<Hole = Result<Result<T, E>, AskError>>,
{
    /// Lists the type of the result, as [`MaybeResult`] does: the actor that is asked may be in no
    /// image, and delegate the request as its `Ok`. It takes precedence over that of
    /// [`NoResult`].
    pub fn list(list: &mut SavedList) {
        list.values().add_result::<T, E>();
    }
}

impl<K> NoResult for MaybeResultHole<K> {}

/// The number of a block: `module` is the path of its module from the module `here`.
#[must_use]
pub const fn block_id(here: &str, module: &str) -> u64 {
    let (here, mut module) = (here.as_bytes(), module.as_bytes());
    let mut end = here.len();
    loop {
        if let Some(rest) = without(module, b"self::") {
            module = rest;
        } else if let Some(rest) = without(module, b"super::") {
            end = parent(here, end);
            module = rest;
        } else if let Some(rest) = without(module, b"crate::") {
            while parent(here, end) > 0 {
                end = parent(here, end);
            }
            module = rest;
        } else {
            break;
        }
    }
    let hash = hashed(FNV_OFFSET, here, end);
    hashed(hashed(hash, b"::", 2), module, module.len())
}

/// The number of an interface.
#[must_use]
pub const fn interface_id<I: ?Sized + Target>() -> u64 {
    hashed(FNV_OFFSET, I::NAME.as_bytes(), I::NAME.len())
}

/// Whether an actor, if it is saved, lists the block with this number.
#[must_use]
pub const fn is_listed<A: Actor>(id: u64) -> bool {
    if !<A::SaveKind as SaveKind>::SAVES.messages() {
        return true;
    }
    let mut place = 0;
    while place < A::BLOCKS.len() {
        if A::BLOCKS[place] == id {
            return true;
        }
        place += 1;
    }
    false
}

/// The rest of `text` behind `prefix`.
const fn without<'t>(text: &'t [u8], prefix: &[u8]) -> Option<&'t [u8]> {
    match text.split_at_checked(prefix.len()) {
        Some((start, rest)) if is_same(start, prefix) => Some(rest),
        _ => None,
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() {
        if one[place] != other[place] {
            return false;
        }
        place += 1;
    }
    true
}

/// Where the path of the enclosing module ends; 0 if there is none.
const fn parent(path: &[u8], mut end: usize) -> usize {
    while end > 1 {
        if path[end - 1] == b':' && path[end - 2] == b':' {
            return end - 2;
        }
        end -= 1;
    }
    0
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a.
const fn hashed(mut hash: u64, text: &[u8], end: usize) -> u64 {
    let mut place = 0;
    while place < end {
        hash = (hash ^ text[place] as u64).wrapping_mul(FNV_PRIME);
        place += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::block_id;

    #[test]
    fn paths_are_relative_to_the_module_of_the_type() {
        let till = block_id("shop::orders", "till");
        assert_eq!(till, block_id("shop::orders", "self::till"));
        assert_eq!(till, block_id("shop", "orders::till"));
        assert_eq!(till, block_id("shop::orders::line", "super::till"));
        assert_eq!(till, block_id("shop::a::b", "super::super::orders::till"));
        assert_eq!(till, block_id("shop::a::b", "crate::orders::till"));
        assert_eq!(till, block_id("shop", "crate::orders::till"));
        assert_ne!(till, block_id("shop::orders", "tills"));
        assert_ne!(till, block_id("shop", "till"));
    }
}
