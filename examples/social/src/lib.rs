//! A social network in actors: people are objects in the heaps of a few shards.
//!
//! | module | what |
//! |---|---|
//! | [`shard`] | the actor: a part of the people, and all that is done with them |
//! | [`person`] | a person, and its references to other people |
//! | [`network`] | all shards, and the rule by which a person has one |
//! | [`reply`] | what shards reply |
//! | [`refusal`] | why a request is refused |
//! | [`http`] | the routes |
//! | [`planted`] | bugs for the tests of the tests |
//! | [`demo`] | the network that the program starts with |

pub mod demo;
pub mod http;
pub mod network;
pub mod person;
pub mod planted;
pub mod refusal;
pub mod reply;
pub mod shard;
