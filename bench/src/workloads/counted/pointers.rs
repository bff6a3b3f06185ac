//! The compared pointers. A new one is a line in each table, and a file like `arc.rs` beside this
//! one.

use super::program::Programs;
use super::queued::{self, Object};
use super::refcount::{Measured, alone, between_two, on_another, with_another};
use super::server::Page;
use super::{arc, brc, rc};
use crate::run::Run;
use std::rc::Rc;
use std::sync::Arc;
use vivant_brc::Brc;

/// By which the others are divided.
pub(super) const BASE: &str = "arc";

/// Which pointers a bench takes: all, or one. For a bench that shares objects between threads,
/// those which can be shared.
pub(super) const WORDS: &[&str] = &["all", "rc", "arc", "brc"];
pub(super) const SHARED_WORDS: &[&str] = &["all", "arc", "brc"];

/// The programs, by pointer.
pub(super) const PROGRAMS: &[(&str, Programs)] = &[
    ("rc", rc::programs::PROGRAMS),
    ("arc", arc::programs::PROGRAMS),
    ("brc", brc::programs::PROGRAMS),
];

/// The servers, by pointer.
pub(super) const SERVERS: &[(&str, fn(&Run, Page) -> u64)] =
    &[(BASE, arc::serving::run), ("brc", brc::serving::run)];

/// [`queued`], by pointer: the constructor of an object, and the merge of the owner's queue.
pub(super) const QUEUED: &[(&str, fn(&Run) -> u64)] = &[
    (BASE, |run| {
        queued::work(run, |value| Arc::new(Object::new(value)), || {})
    }),
    ("brc", |run| {
        let make = |value| Brc::new(Object::new(value));
        queued::work(run, make, vivant_brc::merge)
    }),
];

/// The measurements of an operation alone. See [`super::refcount`].
pub(super) const VARIANTS: &[(&str, fn(u64) -> Measured)] = &[
    ("rc", |clones| alone(&Rc::new(VALUE), clones)),
    ("arc", |clones| alone(&Arc::new(VALUE), clones)),
    ("brc_owner", |clones| alone(&Brc::new(VALUE), clones)),
    ("brc_other", |clones| on_another(&Brc::new(VALUE), clones)),
    ("triomphe", |clones| {
        alone(&triomphe::Arc::new(VALUE), clones)
    }),
    ("hybrid_local", |clones| {
        alone(&hybrid_rc::Rc::new(VALUE), clones)
    }),
    ("hybrid_shared", |clones| {
        alone(&hybrid_rc::Arc::new(VALUE), clones)
    }),
    ("arc_contended", |clones| {
        between_two(&Arc::new(VALUE), clones)
    }),
    ("brc_contended", |clones| {
        between_two(&Brc::new(VALUE), clones)
    }),
    ("brc_owner_and_other", |clones| {
        with_another(&Brc::new(VALUE), clones)
    }),
    ("triomphe_contended", |clones| {
        between_two(&triomphe::Arc::new(VALUE), clones)
    }),
    ("hybrid_contended", |clones| {
        between_two(&hybrid_rc::Arc::new(VALUE), clones)
    }),
];

/// The content of the objects of [`VARIANTS`].
pub(super) const VALUE: u64 = 7;
