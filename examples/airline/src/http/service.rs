//! The data that handlers share: the airline, and the limit of a request.

use super::{AccessLog, Metrics, Problem};
use crate::airline::Airline;
use crate::data::Network;
use crate::desk::Refusal;
use crate::id::Id;
use crate::manager::CUSTOMERS_DEFAULT;
use std::sync::Arc;
use std::time::Duration;
use vivant::{Call, Message};

/// Limit of the time for which a request waits for actors; after it the answer is 504.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Limit of the time between two parts of a request's body.
pub const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// The airline behind the API.
#[derive(Clone, Debug)]
pub struct Service {
    airline: Airline,
    network: Arc<Network>,
    patience: Duration,
    body_patience: Duration,
    customers: u32,
    token: Option<Id>,
    metrics: Option<Metrics>,
    access_log: AccessLog,
}

impl Service {
    /// The API of this airline.
    pub fn new(airline: Airline) -> Service {
        Service {
            airline,
            network: Arc::new(Network::new()),
            patience: PATIENCE,
            body_patience: BODY_PATIENCE,
            customers: CUSTOMERS_DEFAULT,
            token: None,
            metrics: None,
            access_log: AccessLog::Off,
        }
    }

    /// With another limit than [`BODY_PATIENCE`].
    pub fn with_body_patience(mut self, limit: Duration) -> Service {
        self.body_patience = limit;
        self
    }

    pub(super) fn body_patience(&self) -> Duration {
        self.body_patience
    }

    /// With a number of customers that the loader makes if the request names none.
    pub fn customers(mut self, customers: u32) -> Service {
        self.customers = customers;
        self
    }

    /// With this token of the operator. Without one, no request is the operator's.
    pub fn operator(mut self, token: Id) -> Service {
        self.token = Some(token);
        self
    }

    /// With these metrics at `/metrics`.
    pub fn metrics(mut self, metrics: Metrics) -> Service {
        self.metrics = Some(metrics);
        self
    }

    pub(super) fn recorder(&self) -> Option<&Metrics> {
        self.metrics.as_ref()
    }

    /// With a line for each request.
    pub fn access_log(mut self, access_log: AccessLog) -> Service {
        self.access_log = access_log;
        self
    }

    pub(super) fn log(&self) -> AccessLog {
        self.access_log
    }

    pub(super) fn token(&self) -> Option<Id> {
        self.token
    }

    pub(super) fn customers_to_load(&self) -> u32 {
        self.customers
    }

    /// With another limit than [`PATIENCE`].
    pub fn patience(mut self, limit: Duration) -> Service {
        self.patience = limit;
        self
    }

    pub(super) fn network(&self) -> &Network {
        &self.network
    }

    /// The airline.
    pub fn airline(&self) -> &Airline {
        &self.airline
    }

    /// Asks an actor, and waits no longer than the limit.
    ///
    /// # Errors
    ///
    /// It did not answer.
    pub async fn ask<M: Message>(&self, call: Call<'_, M>) -> Result<M::Reply, Problem> {
        Ok(call.ask().within(self.patience).await?)
    }

    /// As [`Service::ask`], of an actor that may refuse.
    ///
    /// # Errors
    ///
    /// It did not answer, or refused.
    pub async fn request<T, M>(&self, call: Call<'_, M>) -> Result<T, Problem>
    where
        M: Message<Reply = Result<T, Refusal>>,
    {
        Ok(self.ask(call).await??)
    }
}
