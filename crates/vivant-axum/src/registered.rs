//! [`Registered`]: an extractor of addresses by registered name.

use crate::Problem;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use vivant::{Address, System, Target};

/// The name under which the program registers the one actor of this type, or of this interface.
pub trait RegisteredName: Target {
    /// The name that is given to [`System::register`].
    const NAME: &'static str;
}

/// The address of the actor that is registered under its type's [`RegisteredName`], in the
/// [`System`] of the router's state.
///
/// An actor that has ended and was spawned and registered again is found under its new address,
/// without a restart of the server. Where an address does not change, it can be part of the state
/// instead: `State<Address<A>>` needs no look-up. For a name that the client chooses, call
/// [`System::lookup`] in the handler: `?` makes its error a 404.
///
/// ```
/// use axum::{Router, routing::post};
/// use vivant::prelude::*;
/// use vivant_axum::{Problem, Registered, RegisteredName};
///
/// #[derive(Actor)] struct Till { sum: u64 }
/// #[behaviours] impl Till {
///     fn pay(&mut self, amount: u64) -> u64 { self.sum += amount; self.sum }
/// }
///
/// impl RegisteredName for Till { const NAME: &'static str = "till"; }
///
/// async fn pay(Registered(till): Registered<Till>) -> Result<String, Problem> {
///     Ok(till.pay(5).ask().await?.to_string())
/// }
///
/// let system = System::new();
/// let app: Router = Router::new().route("/pay", post(pay)).with_state(system);
/// ```
///
/// The rejection is [`Problem::Absent`]: 503 if no actor has the name, 500 if the registered
/// address has another type. Costs a lock of the system's names.
#[derive(Debug)]
pub struct Registered<T: ?Sized + Target>(pub Address<T>);

impl<T, S> FromRequestParts<S> for Registered<T>
where
    T: ?Sized + RegisteredName,
    S: Send + Sync,
    System: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = System::from_ref(state).lookup(<T as RegisteredName>::NAME);
        found.map(Registered).map_err(Problem::Absent)
    }
}
