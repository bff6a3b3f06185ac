//! What clients are told when a shard has ended, or does not answer.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use social::network::Network;
use social::person::PersonId;
use tower::ServiceExt;
use vivant::Address;
use vivant::simulation::Simulation;

/// The status and the body of an answer. Only actors are waited for, so the simulation runs it.
fn get(simulation: &Simulation, app: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).expect("a path");
    let answered = async {
        let response = app.clone().oneshot(request).await.expect("it cannot fail");
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 1 << 20)
            .await
            .expect("it is whole");
        (status, String::from_utf8_lossy(&body).into_owned())
    };
    simulation.system().block_on(answered)
}

/// Three shards; person 0 follows 1 and 2, each of which is in another shard and follows 3.
fn network(simulation: &Simulation) -> Network {
    let network = Network::open(simulation.system(), 3);
    for name in ["Ada", "Bob", "Cid", "Dora"] {
        network
            .any()
            .join(name.to_owned())
            .ask_blocking()
            .expect("it joins");
    }
    for (from, to) in
        [(0, 1), (0, 2), (1, 3), (2, 3)].map(|(from, to)| (PersonId(from), PersonId(to)))
    {
        let followed = network.of(from).follow(from, to).ask_blocking();
        followed.expect("an answer").expect("both are there");
    }
    network
}

#[tokio::test]
async fn a_shard_that_has_ended_is_missing_where_it_matters() {
    let simulation = Simulation::new(1);
    let network = network(&simulation);
    let app = social::http::router(network.clone());
    let complete = (
        StatusCode::OK,
        r#"{"people":[[3,2]],"complete":true}"#.to_owned(),
    );
    assert_eq!(get(&simulation, &app, "/people/0/suggestions"), complete);
    Address::stop(&network.shards()[2]);
    simulation.run();
    // Its people are gone; all of them are needed for a census, but not for the popular ones.
    assert_eq!(get(&simulation, &app, "/people/2").0, StatusCode::GONE);
    assert_eq!(get(&simulation, &app, "/people/0").0, StatusCode::OK);
    let incomplete = (
        StatusCode::OK,
        r#"{"people":[[3,1]],"complete":false}"#.to_owned(),
    );
    assert_eq!(get(&simulation, &app, "/people/0/suggestions"), incomplete);
    assert_eq!(get(&simulation, &app, "/popular").0, StatusCode::OK);
    assert_eq!(get(&simulation, &app, "/census").0, StatusCode::GONE);
    Address::stop(&network.shards()[1]);
    simulation.run();
    assert_eq!(get(&simulation, &app, "/popular").0, StatusCode::GONE);
}
