//! A served airline on a port of its own, and a client for it.

use airline::cli::{DataArguments, Instance};
use airline::id::Id;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use example_load::{Answer, Ask, Caller};
use serde_json::Value;

/// A served airline.
pub(crate) struct TestServer {
    pub(crate) instance: Instance,
    client: Caller,
    operator: Id,
}

impl TestServer {
    /// With `customers` customers, and a timetable of `days` days.
    pub(crate) fn open(customers: u32, days: u16) -> TestServer {
        let data = DataArguments {
            customers,
            days,
            workers: Some(2),
        };
        let operator = Id::secret().unwrap();
        let instance = Instance::open(&data, None, 0, |service| service.operator(operator));
        let instance = instance.expect("port 0 can always be had");
        let client = Caller::new(instance.address).unwrap();
        TestServer {
            instance,
            client,
            operator,
        }
    }

    /// Sends a request as one client, with its cookies.
    pub(crate) fn ask(&mut self, ask: Ask) -> Answer {
        let answer = self.client.ask(ask);
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Sends a request as the operator.
    pub(crate) fn ask_as_operator(&mut self, ask: Ask) -> Answer {
        let token = format!("Bearer {}", self.operator);
        self.ask(ask.header(AUTHORIZATION, token))
    }

    /// Logs in.
    pub(crate) fn log_in(&mut self, user: &str) {
        let answer = self.ask(login(user));
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }

    /// Another client.
    pub(crate) fn caller(&self) -> Caller {
        Caller::new(self.instance.address).unwrap()
    }
}

/// The request that logs a customer in.
pub(crate) fn login(user: &str) -> Ask {
    Ask::form(
        "/rest/api/login",
        &[("login", user), ("password", "password")],
    )
}

/// The answer's JSON.
pub(crate) fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}
