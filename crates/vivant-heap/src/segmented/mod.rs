//! A stack, a vector and a hash map that grow in segments, without a pause for what they hold; and
//! the hasher.

pub(crate) mod hasher;
pub(crate) mod linear_hash_map;
pub(crate) mod segmented_stack;
pub(crate) mod segmented_vec;
