//! Every failure of an ask has its status, and a body without internals.

use crate::client::Answer;
use crate::server::TestServer;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::Supervisor;
use vivant::prelude::*;
use vivant_axum::Problem;

#[derive(Actor, Default)]
#[actor(mailbox = reject(1))]
struct Clerk {
    promised: Vec<Resolver<String>>,
}

#[behaviours]
impl Clerk {
    fn greet(&mut self) -> String {
        "good day".to_owned()
    }

    fn fail(&mut self) -> String {
        panic!("the secret is 42")
    }

    fn forget(&mut self, t: &Turn<Self>) -> Promise<String> {
        let (promise, resolver) = t.promise();
        drop::<Resolver<String>>(resolver);
        promise
    }

    fn ponder(&mut self, t: &Turn<Self>) -> Promise<String> {
        let (promise, resolver) = t.promise();
        self.promised.push(resolver);
        promise
    }

    fn hold(&mut self, until: Receiver<()>) -> String {
        let _released = until.recv();
        "held".to_owned()
    }

    fn resign(&mut self, t: &Turn<Self>) {
        t.fail("as planned");
    }

    fn leave(&mut self, t: &Turn<Self>) -> String {
        t.stop();
        "left".to_owned()
    }
}

type Clerks = State<Address<Clerk>>;

fn app(clerk: Address<Clerk>) -> Router {
    Router::new()
        .route(
            "/greet",
            get(async |State(it): Clerks| Ok::<_, Problem>(it.greet().ask().await?)),
        )
        .route(
            "/note",
            get(async |State(it): Clerks| Ok::<_, Problem>(it.greet().try_send()?)),
        )
        .route(
            "/offer",
            get(async |State(it): Clerks| Ok::<_, Problem>(it.greet().offer().await?)),
        )
        .route(
            "/fail",
            get(async |State(it): Clerks| Ok::<_, Problem>(it.fail().ask().await?)),
        )
        .route(
            "/forget",
            get(async |State(it): Clerks| Ok::<_, Problem>(it.forget().ask().await?)),
        )
        .route(
            "/impatient",
            get(async |State(it): Clerks| {
                let asked = it.ponder().ask().within(Duration::from_millis(1));
                Ok::<_, Problem>(asked.await?)
            }),
        )
        .with_state(clerk)
}

async fn answered(app: Router, system: &System, path: &str) -> Answer {
    let server = TestServer::start(app, system).await;
    server.get(path).await
}

fn is_problem(answer: &Answer, status: u16, detail: &str) {
    assert_eq!(answer.status(), status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let retry = (status == 503).then_some("1");
    assert_eq!(answer.header("retry-after"), retry, "{answer:?}");
    assert!(answer.body.contains(&format!("\"status\":{status},")));
    assert!(answer.body.contains(detail), "{answer:?}");
    for internal in ["Clerk", "clerk", ".rs", "secret", "greet"] {
        assert!(!answer.body.contains(internal), "{internal} in {answer:?}");
    }
}

#[tokio::test]
async fn an_actor_that_has_ended_is_gone_and_a_system_that_has_ended_is_unavailable() {
    let system = System::builder().workers(1).build();
    let clerk = system.spawn(Clerk::default());
    assert_eq!(clerk.leave().ask().await.unwrap(), "left");
    assert_eq!(
        system.block_on(Address::ended(&clerk)),
        Ok(StopReason::Finished)
    );
    for path in ["/greet", "/note", "/offer"] {
        let answer = answered(app(clerk.clone()), &system, path).await;
        is_problem(&answer, 410, "has ended");
    }

    let system = System::builder().workers(1).build();
    let clerk = system.spawn(Clerk::default());
    let stopping = system.clone();
    let stopped = tokio::task::spawn_blocking(move || stopping.shutdown());
    assert!(stopped.await.unwrap().is_complete());
    for path in ["/greet", "/note", "/offer"] {
        let answer = answered(app(clerk.clone()), &system, path).await;
        is_problem(&answer, 503, "not available");
    }
}

/// What ends by a decision is gone. What fails may be there again later.
#[tokio::test]
async fn the_reason_of_an_end_decides_between_gone_and_unavailable() {
    let system = System::builder().workers(1).build();
    let ended = async |clerk: &Address<Clerk>| {
        let reason = Address::ended(clerk).await.unwrap();
        let asked = clerk.greet().ask().await.unwrap_err();
        (reason, Problem::from(asked).status().as_u16())
    };
    let clerk = || system.spawn(Clerk::default());

    let stopped = clerk();
    Address::stop(&stopped);
    assert_eq!(ended(&stopped).await, (StopReason::Stopped, 410));
    let drained = clerk();
    Address::stop_after_queue(&drained);
    assert_eq!(ended(&drained).await, (StopReason::Drained, 410));
    let panicked = clerk();
    panicked.fail().send();
    let (reason, status) = ended(&panicked).await;
    assert!(matches!(reason, StopReason::Panicked(_)), "{reason}");
    assert_eq!(status, 503);
    let failed = clerk();
    failed.resign().send();
    let (reason, status) = ended(&failed).await;
    assert!(matches!(reason, StopReason::Failed(_)), "{reason}");
    assert_eq!(status, 503);

    // With its supervisor: as the supervisor has ended.
    let supervised = |tree: &Address<Supervisor>| tree.add(Counter::child());
    let tree = Supervisor::one_for_one().spawn(&system);
    let counter = supervised(&tree);
    assert_eq!(counter.count().ask().await, Ok(1), "it is up");
    Address::stop(&tree);
    assert_eq!(ended_with_its_supervisor(&counter).await, 410);
    let tree = Supervisor::one_for_one()
        .budget(0, Duration::from_secs(10))
        .spawn(&system);
    let (counter, failing) = (supervised(&tree), supervised(&tree));
    failing.fail().send();
    assert_eq!(ended_with_its_supervisor(&counter).await, 503);
}

#[derive(Actor)]
struct Counter;

#[behaviours]
impl Counter {
    #[start]
    fn new() -> Self {
        Counter
    }

    fn count(&mut self) -> u64 {
        1
    }

    fn fail(&mut self, t: &Turn<Self>) {
        t.fail("as planned");
    }
}

async fn ended_with_its_supervisor(counter: &Address<Counter>) -> u16 {
    let reason = Address::ended(counter).await.unwrap();
    assert!(matches!(reason, StopReason::SupervisorEnded(_)), "{reason}");
    let asked = counter.count().ask().await.unwrap_err();
    Problem::from(asked).status().as_u16()
}

#[tokio::test]
async fn panics_and_broken_promises_are_faults_of_the_server() {
    let system = System::builder().workers(1).build();
    let server = TestServer::start(app(system.spawn(Clerk::default())), &system).await;
    for path in ["/forget", "/fail"] {
        is_problem(&server.get(path).await, 500, "may have had an effect");
    }
}

#[tokio::test]
async fn a_full_mailbox_is_unavailable() {
    // The system would add a worker to let others pass, but not for an hour.
    let system = System::builder()
        .workers(1)
        .turn_limit(Duration::from_secs(3600))
        .build();
    let clerk = system.spawn(Clerk::default());
    let (release, until) = channel();
    let held = clerk.hold(until).ask();
    // The turn of `hold` has begun when there is room for one message more.
    while clerk.greet().try_send().is_err() {
        tokio::task::yield_now().await;
    }
    let server = TestServer::start(app(clerk.clone()), &system).await;
    for path in ["/greet", "/note"] {
        is_problem(&server.get(path).await, 503, "too many requests");
    }
    drop(release);
    assert_eq!(held.await.unwrap(), "held");
}

#[tokio::test]
async fn an_answer_too_late_is_a_timeout() {
    let system = System::builder().workers(1).build();
    let answer = answered(app(system.spawn(Clerk::default())), &system, "/impatient").await;
    is_problem(&answer, 504, "in time");
}

/// What a log gets is the whole error; the client gets a sentence.
#[tokio::test]
async fn the_response_carries_the_problem_for_a_log() {
    type Log = Arc<Mutex<Vec<String>>>;
    async fn note(State(log): State<Log>, request: Request, next: Next) -> Response {
        let response = next.run(request).await;
        if let Some(problem) = response.extensions().get::<Problem>() {
            log.lock().unwrap().push(problem.to_string());
        }
        response
    }
    let system = System::builder().workers(1).build();
    let log = Log::default();
    let app = app(system.spawn(Clerk::default())).layer(from_fn_with_state(log.clone(), note));
    is_problem(&answered(app, &system, "/fail").await, 500, "failed");
    let log = log.lock().unwrap();
    assert!(log[0].contains("the secret is 42"), "{log:?}");
}
