//! Group marks: marks of several heaps that end together, and find cycles of references across
//! them. [README.md](README.md) has the protocol.

pub(crate) mod components;
#[cfg(test)]
mod dissolve_tests;
pub(crate) mod group_mark;
pub(crate) mod group_survey;
pub(crate) mod leak_check;
pub(crate) mod member;
#[cfg(test)]
mod model_checks;
#[cfg(test)]
mod model_objects;
#[cfg(test)]
mod model_program;
#[cfg(test)]
mod model_tests;
mod neighbourhoods;
#[cfg(test)]
mod survey_tests;
mod visit_queue;
