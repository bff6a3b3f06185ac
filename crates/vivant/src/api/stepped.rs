//! [`Stepped`]: a behaviour in steps as the runtime sees it. The message of each next step has the
//! locals, of the behaviour's own type.

use super::actor::Actor;
use super::behaviour::Behaviour;
use super::call::{Sent, outcome};
use super::promise::Resolver;
use super::saved_message::{ArgsOf, Coded, Content, HasCodec, save_sent};
use super::turn::Turn;
use crate::actor::{
    Envelope, KindTable, MessageKind, Next, Processed, Refusal, StateRef, Steps, Worker,
    drop_foreign,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::{Codec, LocalsCodec, shape};
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::{Field, Shape, shape_of};

/// A behaviour in steps. `#[behaviours]` writes it for each method that returns a
/// [`Step`](crate::Step).
///
/// Its message has no locals: [`Behaviour::run`] begins with default ones. What a step leaves is in
/// the message of the next one: the name of the behaviour says what the locals of its pending step
/// are.
pub trait Stepped: Behaviour {
    /// The locals, as the message of the next step keeps them.
    type Locals: KeepLocals<Self::Actor>;

    /// How they are saved, if the actor's state is saved. Of locals in the heap the message has
    /// nothing.
    const LOCALS_CODEC: Option<Codec<Self::Locals>> = None;

    /// One step.
    fn step<'gc>(
        state: &mut <Self::Actor as Actor>::State<'gc>,
        turn: &Turn<'gc, Self::Actor>,
        args: Self::Args,
        locals: LocalsOf<'gc, Self>,
        resolver: Resolver<Self::Reply>,
    );
}

/// The locals of `B` in a turn with this brand.
pub type LocalsOf<'gc, B> =
    <<B as Stepped>::Locals as KeepLocals<<B as Behaviour>::Actor>>::In<'gc>;

/// How the message of a next step keeps the locals that the last step has left: in itself
/// ([`LocalsInMessage`]), or in the heap of its actor ([`LocalsInHeap`](crate::LocalsInHeap)).
pub trait KeepLocals<A: Actor>: Send + 'static {
    /// The locals in a turn with this brand.
    type In<'gc>;
    /// How they are saved, if they are in the heap and the actor's state is saved.
    #[doc(hidden)]
    const IN_HEAP: Option<LocalsCodec> = None;
    /// Stores what a step leaves, at its end.
    fn keep<'gc>(locals: Self::In<'gc>, turn: &Turn<'gc, A>) -> Self;
    /// Takes the locals out, at the start of the next step.
    fn open<'gc>(self, turn: &Turn<'gc, A>) -> Self::In<'gc>;
}

/// Locals without a brand: a part of the message.
#[derive(Debug)]
pub struct LocalsInMessage<L>(
    /// The value.
    pub L,
);

impl<A: Actor, L: Send + 'static> KeepLocals<A> for LocalsInMessage<L> {
    type In<'gc> = L;

    fn keep<'gc>(locals: L, _: &Turn<'gc, A>) -> Self {
        LocalsInMessage(locals)
    }

    fn open<'gc>(self, _: &Turn<'gc, A>) -> L {
        self.0
    }
}

impl<'gc, A: Actor> Turn<'gc, A> {
    /// Requests one more step, with these arguments and locals. For the macros.
    ///
    /// # Panics
    ///
    /// In a behaviour of one step.
    #[doc(hidden)]
    pub fn __again<B: Stepped<Actor = A>>(
        &self,
        args: B::Args,
        locals: LocalsOf<'gc, B>,
        resolver: Resolver<B::Reply>,
    ) {
        self.worker().expect_steps();
        let content = ((args, resolver), B::Locals::keep(locals, self));
        // The place of sending is copied from the step before.
        let next = Envelope::new::<NextStep<B>>(content, Place::caller());
        self.worker().set_next_step(next);
    }
}

/// The next step of a behaviour: it tests no guard, and takes no place in a mailbox.
pub(super) struct NextStep<B>(PhantomData<B>);

impl<B: Stepped> MessageKind for NextStep<B> {
    type Content = (<Sent<B> as MessageKind>::Content, B::Locals);
    const KIND: KindTable = KindTable::new::<Self>(B::NAME, MessageRole::Turn);
    const STEPS: Steps = B::STEPS;
    const CODEC: Option<Codec<Self::Content>> = next_step::<B>();
    const LOCALS: Option<LocalsCodec> = B::Locals::IN_HEAP;

    #[cfg(test)]
    fn ready((sent, _): &Self::Content, state: &mut StateRef<'_>) -> bool {
        !is_planted(InjectedFault::GuardedStep) || Sent::<B>::ready(sent, state)
    }

    fn fmt_args((sent, _): &Self::Content, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sent::<B>::fmt_args(sent, f)
    }

    fn run(
        ((args, resolver), locals): Self::Content,
        state: &mut StateRef<'_>,
        worker: &Worker,
    ) -> Processed {
        let _none = state.turn::<B::Actor, _>(worker, |state, turn| {
            let locals = locals.open(turn);
            B::step(state, turn, args, locals, resolver);
        });
        outcome::<B>(worker)
    }

    fn refuse((sent, locals): Self::Content, refusal: &Refusal, place: Place) -> Next {
        #[cfg(test)]
        if is_planted(InjectedFault::LeakedLocals) {
            std::mem::forget(locals);
            return Sent::<B>::refuse(sent, refusal, place);
        }
        drop_foreign("the drop of a step's locals", locals);
        Sent::<B>::refuse(sent, refusal, place)
    }
}

/// The codec of the message of a next step, if its behaviour is saved with its locals.
const fn next_step<B: Stepped>() -> Option<Codec<(Content<B>, B::Locals)>> {
    match (B::CODEC, B::LOCALS_CODEC) {
        (Some(_), Some(_)) => Some(Codec::new(
            const {
                &Shape::structure(
                    "vivant::NextStep",
                    const {
                        &[
                            Field::new("arguments", shape_of::<Coded<ArgsOf<B>>>()),
                            Field::new("resolver", shape_of::<Resolver<B::Reply>>()),
                            Field::new("locals", shape_of::<Coded<SavedLocals<B>>>()),
                        ]
                    },
                )
            },
            |(sent, locals), out| {
                save_sent::<B>(sent, out);
                Coded::<SavedLocals<B>>::save_value(locals, out);
            },
            |input| {
                let mut fields = input.structure(const { shape(next_step::<B>()) })?;
                let args = fields.field::<Coded<ArgsOf<B>>>(0)?.0;
                let resolver = fields.field(1)?;
                let locals = fields.field::<Coded<SavedLocals<B>>>(2)?.0;
                fields.end()?;
                Ok(((args, resolver), locals))
            },
        )),
        _ => None,
    }
}

struct SavedLocals<B>(PhantomData<B>);

impl<B: Stepped> HasCodec for SavedLocals<B> {
    type Value = B::Locals;
    const CODEC: Option<Codec<B::Locals>> = B::LOCALS_CODEC;
}
