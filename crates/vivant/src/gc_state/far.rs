//! [`Far`]: a reference to an object inside another actor.

use super::collected::GcState;
use crate::actor::OutgoingReferences;
use crate::api::{Actor, Address, Call, Message, Target, TraceReferences, Turn};
use std::fmt;
use std::hash::{Hash, Hasher};
use vivant_heap::{
    Erased, ErasedOf, Evacuator, ExternalEdges, FrozenParts, Gc, Mutator, Object, Sendable, Tag,
    Tracer,
};

/// A far reference: a reference to an object inside another actor. It consists of the object's
/// [`Tag`] and its actor's address, and is made by [`Turn::far`]. It can be sent, kept in a state
/// or an object, put into a [`Val`](crate::Val), and compared.
///
/// Use it to send the actor a message about the object: [`Far::to`]. The behaviour takes a `Tag`
/// and opens it. Only the actor reads or writes the object, so no lock is needed.
///
/// It keeps both the object and its actor alive. When the actor has ended all the same, because it
/// was stopped, the object has ended with it, messages become dead letters as any that come too
/// late, and the tag is an identity to compare. A restarted actor has other objects: it gets the
/// message, and its [`Tag::open`] is refused.
///
/// Costs two words; a clone costs as much as cloning the address.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Object)]
/// pub struct Shape { name: String }
///
/// #[derive(Actor)]
/// pub struct SceneState<'gc> { shapes: Vec<Gc<'gc, Mut<Shape>>> }
///
/// #[behaviours]
/// impl<'gc> SceneState<'gc> {
///     #[start]
///     pub fn new() -> Self { SceneState { shapes: Vec::new() } }
///     pub fn draw(&mut self, t: &Turn<'gc, Scene>, name: String) -> Far<'gc, Scene, Mut<Shape>> {
///         let shape = t.alloc(Mut::new(Shape { name }));
///         self.shapes.push(shape);
///         t.far(shape)
///     }
///     pub fn rename(&mut self, t: &Turn<'gc, Scene>, shape: Tag<'gc, Mut<Shape>>, name: String) {
///         if let Ok(shape) = shape.open(t) {                      // none of another actor's
///             shape.borrow_mut(t).name = name;
///         }
///     }
///     pub fn names(&self) -> Vec<String> {
///         self.shapes.iter().map(|shape| shape.borrow().name.clone()).collect()
///     }
/// }
///
/// #[derive(Actor)]
/// pub struct EditorState<'gc> { selected: Option<Far<'gc, Scene, Mut<Shape>>> }
///
/// #[behaviours]
/// impl<'gc> EditorState<'gc> {
///     #[start]
///     pub fn new() -> Self { EditorState { selected: None } }
///     pub fn select(&mut self, shape: Far<'gc, Scene, Mut<Shape>>) { self.selected = Some(shape); }
///     pub fn type_name(&self, t: &Turn<'gc, Editor>, name: String) {
///         if let Some(selected) = &self.selected {
///             t.send(selected.to(|scene, shape| scene.rename(shape, name)));
///         }
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let simulation = vivant::simulation::Simulation::new(1);
/// let (scene, editor) = (Scene::spawn(simulation.system()), Editor::spawn(simulation.system()));
/// let circle = scene.draw("circle".into()).ask_blocking()?;       // outside turns, in a `Parcel`
/// circle.look(|circle| editor.select(circle.clone()).send());
/// editor.type_name("moon".into()).send();
/// simulation.run();
/// assert_eq!(scene.names().ask_blocking()?, ["moon"]);
/// # Ok(()) }
/// ```
#[allow(explicit_outlives_requirements, reason = "as `Gc` has it")]
pub struct Far<'gc, A: ?Sized + Target, T: ?Sized + 'gc> {
    owner: Address<A>,
    tag: Tag<'gc, T>,
}

impl<'gc, A: ?Sized + Target, T: ?Sized> Far<'gc, A, T> {
    pub(super) fn new(owner: Address<A>, tag: Tag<'gc, T>) -> Self {
        Far { owner, tag }
    }

    /// The actor that owns the object.
    pub fn owner(&self) -> &Address<A> {
        &self.owner
    }

    /// The object's name.
    #[must_use]
    pub fn tag(&self) -> Tag<'gc, T> {
        self.tag
    }

    /// A message to the actor about the object:
    /// `t.send(node.to(|scene, node| scene.rename(node, name)))`, or `t.ask(…)` for a reply.
    pub fn to<'a, M: Message>(
        &'a self,
        message: impl FnOnce(&'a Address<A>, Tag<'gc, T>) -> Call<'a, M>,
    ) -> Call<'a, M> {
        message(&self.owner, self.tag)
    }
}

impl<'gc, A: Actor<Storage = GcState>> Turn<'gc, A>
where
    for<'any> A::State<'any>: Object<'any>,
{
    /// A far reference to an object of this actor, for other actors.
    ///
    /// Costs what [`Mutator::tag`](vivant_heap::Mutator::tag) does, and an address. A far reference
    /// in the actor's own state keeps the actor alive.
    ///
    /// # Panics
    ///
    /// There is no memory for it.
    pub fn far<T: ?Sized + vivant_heap::Collected<'gc>>(
        &self,
        object: Gc<'gc, T>,
    ) -> Far<'gc, A, T> {
        Far {
            owner: self.me(),
            tag: Mutator::tag(self, object),
        }
    }
}

impl<A: ?Sized + Target, T: ?Sized> Clone for Far<'_, A, T> {
    fn clone(&self) -> Self {
        Far {
            owner: self.owner.clone(),
            tag: self.tag,
        }
    }
}

/// Two are equal if they refer to the same object.
impl<A: ?Sized + Target, T: ?Sized> PartialEq for Far<'_, A, T> {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag
    }
}

impl<A: ?Sized + Target, T: ?Sized> Eq for Far<'_, A, T> {}

/// That of its tag: the same in each run.
impl<A: ?Sized + Target, T: ?Sized> Hash for Far<'_, A, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.tag.hash(state);
    }
}

impl<A: ?Sized + Target, T: ?Sized> fmt::Debug for Far<'_, A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Far({}, {:?})", Address::path(&self.owner), self.tag)
    }
}

/// Shows its actor. The object is not shown: it may outlive the actor.
impl<A: ?Sized + Target, T: ?Sized> TraceReferences for Far<'_, A, T> {
    fn outgoing_references(&self, seen: &mut OutgoingReferences<'_>) {
        self.owner.outgoing_references(seen);
    }
}

// The address is a leaf type: it has no brand and no reference into a heap, and it counts its own
// references.

// SAFETY: `trace` and `evacuate` report the tag, its only reference into a heap (X11). Its only
// destructor is that of the address, which contains no such reference (H10).
unsafe impl<'gc, A, T> Object<'gc> for Far<'gc, A, T>
where
    A: ?Sized + Target,
    T: ?Sized + vivant_heap::Collected<'gc>,
    Address<A>: Send,
{
    type Static = Far<'static, A, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.tag.trace(tracer);
    }
    #[inline]
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.tag.evacuate(evacuator);
    }
    const HAS_EXTERNAL_EDGES: bool = <Address<A> as Object<'gc>>::HAS_EXTERNAL_EDGES;
    fn trace_external(&self, to: &mut ExternalEdges<'_>) {
        self.owner.trace_external(to);
    }
}

// SAFETY: its only reference to a collected object is a tag (X11), which can go wherever a `Val`
// can (O1).
unsafe impl<'gc, A, T> Sendable<'gc> for Far<'gc, A, T>
where
    A: ?Sized + Target,
    T: ?Sized + vivant_heap::Collected<'gc>,
    Address<A>: Send,
{
}

// SAFETY: it refers to nothing in a heap, and nothing in it changes except by means that are `Sync`
// (X11).
unsafe impl<'gc, T: ?Sized + Target> FrozenParts<'gc> for Address<T> where Address<T>: Send {}

// SAFETY: its only reference to a collected object is a tag, which can go wherever a `Val` can
// (O1), and nothing in it changes (X11).
unsafe impl<'gc, A, T> FrozenParts<'gc> for Far<'gc, A, T>
where
    A: ?Sized + Target,
    T: ?Sized + vivant_heap::Collected<'gc>,
    Address<A>: Send,
{
}

// SAFETY: `Of` exchanges the brand of the tag and of its object's type, and changes nothing else
// (X11).
unsafe impl<'a, A, T> Erased for Far<'a, A, T>
where
    A: ?Sized + Target,
    T: ?Sized + ErasedOf,
    Address<A>: Send,
{
    type Of<'gc> = Far<'gc, A, T::Of<'gc>>;
    type Static = Far<'static, A, T::Static>;
}
