//! Towns: an airline that is served on a port of its own, and a client for it.

use airline::cli::{DataArguments, House};
use airline::load::{Answer, Ask, Client};
use hyper::StatusCode;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::runtime::{self, Runtime};

/// A served airline.
pub(crate) struct Town {
    pub(crate) house: House,
    client: Caller,
}

/// A client that waits for its answers.
pub(crate) struct Caller {
    runtime: Runtime,
    client: Client,
}

impl Town {
    /// With so many customers, and a timetable of so many days.
    pub(crate) fn open(customers: u32, days: u16) -> Town {
        let data = DataArguments {
            customers,
            days,
            workers: Some(2),
        };
        let house = House::open(&data, 0).expect("port 0 can always be had");
        let client = Caller::new(house.address);
        Town { house, client }
    }

    /// Asks as one client, whose cookies are kept.
    pub(crate) fn ask(&mut self, ask: Ask) -> Answer {
        self.client.ask(ask)
    }

    /// Logs in.
    pub(crate) fn log_in(&mut self, user: &str) {
        let answer = self.ask(login(user));
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }

    /// Another client.
    pub(crate) fn caller(&self) -> Caller {
        Caller::new(self.house.address)
    }
}

impl Caller {
    pub(crate) fn new(server: SocketAddr) -> Caller {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        Caller {
            runtime: runtime.unwrap(),
            client: Client::new(server),
        }
    }

    pub(crate) fn ask(&mut self, ask: Ask) -> Answer {
        let answer = self.runtime.block_on(self.client.send(ask));
        answer.unwrap_or_else(|error| panic!("{error}"))
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
