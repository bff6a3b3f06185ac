//! The objects of the programs of `model_program.rs`. Implemented by hand: the derive names this
//! crate from outside.

use crate::gc::heap::Root;
use crate::object::erased::Erased;
use crate::object::frozen::FrozenParts;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::sync::{Arc, Mutex};
use crate::tags::tag::Tag;
use crate::types::mutable::Mut;
use crate::types::val::Val;
use crate::types::weak::Weak;

pub(super) type Number = usize;

/// How often each object was destroyed.
pub(super) type Ended = Arc<Mutex<Vec<u32>>>;

pub(super) struct Noted(pub(super) Number, pub(super) Ended);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap()[self.0] += 1;
    }
}

/// A private object.
pub(super) struct Thing<'gc> {
    pub(super) noted: Noted,
    pub(super) parts: Vec<Own<'gc>>,
    pub(super) tags: Vec<Name<'gc>>,
    pub(super) vals: Vec<Val<'gc, News<'gc>>>,
}

/// A shared object.
pub(super) struct News<'gc> {
    pub(super) _noted: Noted,
    pub(super) tags: Vec<Name<'gc>>,
    pub(super) vals: Vec<Val<'gc, News<'gc>>>,
}

pub(super) type Own<'gc> = Gc<'gc, Mut<Thing<'gc>>>;
pub(super) type Name<'gc> = Tag<'gc, Mut<Thing<'gc>>>;

// SAFETY: these are all its references (X11).
unsafe impl<'gc> Object<'gc> for Thing<'gc> {
    type Static = Thing<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.parts.trace(tracer);
        self.tags.trace(tracer);
        self.vals.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.parts.evacuate(evacuator);
        self.tags.evacuate(evacuator);
        self.vals.evacuate(evacuator);
    }
}

// SAFETY: its brand is replaced (X11).
unsafe impl Erased for Thing<'_> {
    type Of<'gc> = Thing<'gc>;
    type Static = Thing<'static>;
}

// SAFETY: these are all its references (X11).
unsafe impl<'gc> Object<'gc> for News<'gc> {
    type Static = News<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.tags.trace(tracer);
        self.vals.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.tags.evacuate(evacuator);
        self.vals.evacuate(evacuator);
    }
}

// SAFETY: its references are to shared objects, and nothing in it changes (X11).
unsafe impl<'gc> FrozenParts<'gc> for News<'gc> {}
// SAFETY: its brand is replaced (X11).
unsafe impl Erased for News<'_> {
    type Of<'gc> = News<'gc>;
    type Static = News<'static>;
}

pub(super) struct State;

impl Root for State {
    type Of<'gc> = Roots<'gc>;
}

#[derive(Default)]
pub(super) struct Roots<'gc> {
    pub(super) owns: Vec<Own<'gc>>,
    pub(super) names: Vec<Name<'gc>>,
    pub(super) vals: Vec<Val<'gc, News<'gc>>>,
    pub(super) weaks: Vec<Weak<'gc, Mut<Thing<'gc>>>>,
}

// SAFETY: these are all its references (X11).
unsafe impl<'gc> Object<'gc> for Roots<'gc> {
    type Static = Roots<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.owns.trace(tracer);
        self.names.trace(tracer);
        self.vals.trace(tracer);
        self.weaks.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.owns.evacuate(evacuator);
        self.names.evacuate(evacuator);
        self.vals.evacuate(evacuator);
        self.weaks.evacuate(evacuator);
    }
}
