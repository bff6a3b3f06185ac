//! Synchronizers that images contain: [`SavedSynchronizer`], and the handle in an image.

use super::{Synchronizer, SynchronizerBuilder, SynchronizerError};
use crate::actor::{Lasts, Scope, SeenActors, Shared};
use crate::api::{
    Listed, ListedSynchronizer, NotDeclared, RestoredSystem, RunningSystem, SavedList,
    StoredSynchronizer,
};
use crate::constraints::{Constraints, MemberPatterns, RestoredSynchronizer, SynchronizerCodec};
use crate::failures::catch;
use crate::sync::Arc;
use std::any::{Any, TypeId};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// A synchronizer that snapshots contain. Its state is the type itself; what else it is made of
/// follows from arguments, which are data.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Pattern, Saved, SavedKinds, SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerKind};
///
/// #[derive(Actor)] #[actor(saved)] struct Account { balance: i64 }
/// #[behaviours] impl Account {
///     fn pay(&mut self, transfer: u64, amount: i64) {
///         let _ = transfer;
///         self.balance += amount;
///     }
///     fn balance(&self) -> i64 { self.balance }
/// }
/// use account_messages::Pay;
///
/// /// The two halves of a transfer happen together.
/// #[derive(Saved)] struct Transfer;
///
/// impl SavedSynchronizer for Transfer {
///     type Args = (Address<Account>, Address<Account>, u64);
///
///     fn constrain((from, to, transfer): &Self::Args, it: SynchronizerBuilder<Transfer>) -> SynchronizerBuilder<Transfer> {
///         let transfer = *transfer;
///         let half = |account| Pattern::<Pay<Account>>::at(account).when(move |args| args.0 == transfer);
///         it.atomic((half(from), half(to)))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The program lists it, as it lists its actors.
/// let system = System::builder().saved::<(Account, SynchronizerKind<Transfer>)>().build();
/// let (ada, bob) = (system.spawn(Account { balance: 9 }), system.spawn(Account { balance: 0 }));
/// Synchronizer::saved(Transfer, (ada.clone(), bob.clone(), 7))?.forever();
///
/// ada.pay(7, -5).send();
/// bob.pay(7, 5).send();
/// # let mut balances = (0, 0);
/// # while balances != (4, 5) { balances = (ada.balance().ask_blocking()?, bob.balance().ask_blocking()?); }
/// # Ok(()) }
/// ```
///
/// # In a snapshot
///
/// A snapshot has the synchronizer if it has its handle, which may be in the state of a saved actor
/// or in a message, or if it lasts [forever](Synchronizer::forever). Others end with the system, as
/// if the handle were dropped. A restored system calls [`constrain`](SavedSynchronizer::constrain)
/// with the arguments, before any actor runs, and goes on with the state.
///
/// In a snapshot either all messages of a set have been dispatched or none. Messages that were
/// decided to be dispatched and have not begun wait in it as such: after a restore each is the
/// first message of its actor. Those of a state are as the messages that were dispatched left it.
pub trait SavedSynchronizer: for<'gc> Saved<'gc> + Send + Sized + 'static {
    /// The actors that it constrains, and what else its patterns need. It does not keep these
    /// actors alive.
    type Args: for<'gc> Saved<'gc> + Send + 'static;

    /// Adds its patterns, conditions and changes. Called when it is declared, and for each restore:
    /// they are to follow from the arguments alone.
    fn constrain(
        args: &Self::Args,
        synchronizer: SynchronizerBuilder<Self>,
    ) -> SynchronizerBuilder<Self>;
}

/// Names a type of synchronizers in a list of what a program saves:
/// `System::builder().saved::<(Account, SynchronizerKind<Transfer>)>()`.
#[derive(Debug)]
pub struct SynchronizerKind<S>(PhantomData<S>);

impl Synchronizer {
    /// Declares a synchronizer that snapshots contain, with this state. See [`SavedSynchronizer`].
    ///
    /// # Errors
    ///
    /// See [`SynchronizerError`].
    ///
    /// # Panics
    ///
    /// If a condition panics.
    #[track_caller]
    pub fn saved<S: SavedSynchronizer>(
        state: S,
        args: S::Args,
    ) -> Result<Synchronizer, SynchronizerError> {
        builder(state, args).declare()
    }
}

fn builder<S: SavedSynchronizer>(state: S, args: S::Args) -> SynchronizerBuilder<S> {
    let mut builder = S::constrain(&args, Synchronizer::with(state));
    let encode = move |system: &Arc<Shared>| {
        let seen = SeenActors::of(system, Scope::System);
        let contexts: [&dyn Any; 1] = [&seen];
        let mut out = Encoder::new().with_contexts(&contexts);
        args.save(&mut out);
        // Encoded once, at the declaration: no cut would learn of what they lead to.
        if !seen.take_references().is_empty() {
            out.error(
                "a handle of a subscription, a synchronizer, or a group or topic without a name: \
                 keep it in the state of an actor",
            );
        }
        out.finish()
    };
    builder.saved = Some((codec::<S>(), Box::new(encode)));
    builder
}

fn codec<S: SavedSynchronizer>() -> SynchronizerCodec {
    SynchronizerCodec {
        type_id: TypeId::of::<S>,
        name: <S as Saved<'static>>::SHAPE.name(),
        shape: <S as Saved<'static>>::SHAPE,
        save: |state, out| {
            if let Some(state) = state.downcast_ref::<S>() {
                state.save(out);
            }
        },
        args_shape: <S::Args as Saved<'static>>::SHAPE,
    }
}

impl<S: SavedSynchronizer> Listed for SynchronizerKind<S> {
    fn list(list: &mut SavedList) {
        let SynchronizerCodec {
            name,
            shape,
            args_shape,
            ..
        } = codec::<S>();
        let listed = ListedSynchronizer {
            type_id: TypeId::of::<S>(),
            type_name: std::any::type_name::<S>(),
            shapes: [shape, args_shape],
            declare: declare_again::<S>,
        };
        list.synchronizer(name, listed);
    }
}

fn declare_again<S: SavedSynchronizer>(
    stored: &StoredSynchronizer<'_>,
) -> Result<MemberPatterns, NotDeclared> {
    let state: S = stored.state.load().map_err(NotDeclared::Value)?;
    let args: S::Args = stored.args.load().map_err(NotDeclared::Value)?;
    let declare = || builder(state, args).declaration(stored.system, stored.declared);
    let declaration = catch(declare).map_err(|caught| NotDeclared::Code(caught.message))?;
    let declaration = declaration.map_err(|error| NotDeclared::Code(error.to_string()))?;
    let restored = RestoredSynchronizer {
        number: stored.number,
        lasts: stored.lasts,
        broken: stored.broken,
        declaration,
    };
    let patterns = Constraints::of(stored.system).restore(stored.system, restored);
    patterns.map_err(NotDeclared::Code)
}

/// A synchronizer that is made of closures is in no image: a snapshot of its members fails.
impl<'gc> Saved<'gc> for Synchronizer {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Synchronizer", shape_of::<u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        if SeenActors::is_elsewhere(self.system.number, out) {
            return out.error("a synchronizer of actors of another system");
        }
        SeenActors::note_synchronizer(self.number, out);
        self.number.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let number: u64 = input.reference(Self::SHAPE)?;
        let Some(RestoredSystem(system)) = input.context() else {
            return Err(input.error("a synchronizer, which only a restore can load"));
        };
        if number >= Constraints::of(system).next_number() {
            return Err(input.error("a synchronizer with the number of a later one"));
        }
        // In a running system it was lifted with the incarnation that had it, lasts forever, or is
        // another actor's by now: this handle does not lift it.
        let lasts = match input.context::<RunningSystem>() {
            Some(RunningSystem) => Lasts::Forever,
            None => Lasts::AsHandle,
        };
        Ok(Synchronizer {
            system: system.clone(),
            number,
            lasts,
        })
    }
}
