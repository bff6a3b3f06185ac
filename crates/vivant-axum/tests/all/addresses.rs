//! Addresses for handlers: from the state, and by name.

use crate::server::TestServer;
use axum::Router;
use axum::extract::{FromRef, Path, State};
use axum::routing::get;
use vivant::prelude::*;
use vivant_axum::{Problem, Registered, RegisteredName};

#[derive(Actor)]
struct Till {
    sum: u64,
}

#[behaviours]
impl Till {
    fn sum(&mut self) -> u64 {
        self.sum
    }
}

impl RegisteredName for Till {
    const NAME: &'static str = "till";
}

#[derive(Clone, FromRef)]
struct Shop {
    system: System,
    till: Address<Till>,
}

async fn of_state(State(till): State<Address<Till>>) -> Result<String, Problem> {
    Ok(till.sum().ask().await?.to_string())
}

async fn registered(Registered(till): Registered<Till>) -> Result<String, Problem> {
    Ok(till.sum().ask().await?.to_string())
}

async fn named(State(system): State<System>, Path(name): Path<String>) -> Result<String, Problem> {
    let till = system.lookup::<Till>(&name)?;
    Ok(till.sum().ask().await?.to_string())
}

#[tokio::test]
async fn they_come_from_the_state_or_by_name() {
    let system = System::builder().workers(1).build();
    let till = system.spawn(Till { sum: 1 });
    let app = Router::new()
        .route("/state", get(of_state))
        .route("/registered", get(registered))
        .route("/named/{name}", get(named))
        .with_state(Shop {
            system: system.clone(),
            till,
        });
    let server = TestServer::start(app, &system).await;
    assert_eq!(server.get("/state").await.body, "1");

    let absent = server.get("/registered").await;
    assert_eq!(absent.status(), 503);
    assert_eq!(absent.header("retry-after"), Some("1"));
    assert_eq!(server.get("/named/till").await.status(), 404);

    let first = system.spawn(Till { sum: 2 });
    system.register("till", &first).unwrap();
    for path in ["/registered", "/named/till"] {
        assert_eq!(server.get(path).await.body, "2", "{path}");
    }
    // Another actor takes the name over: no restart of the server.
    Address::stop(&first);
    Address::ended(&first).await.unwrap();
    assert_eq!(server.get("/registered").await.status(), 503);
    let second = system.spawn(Till { sum: 3 });
    system.register("till", &second).unwrap();
    assert_eq!(server.get("/registered").await.body, "3");

    let other = system.spawn(Other);
    system.register("other", &other).unwrap();
    assert_eq!(server.get("/named/other").await.status(), 500);
}

#[derive(Actor)]
struct Other;

#[behaviours]
impl Other {}
