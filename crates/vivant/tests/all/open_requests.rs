//! Open requests in an inspection: asker, answerer, message, line, age.

mod systems;
mod travelling;

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Inspection, OpenRequest, RequestOrigin, RequestProgress};

/// Answers now, later, through another desk, or not at all.
#[derive(Actor)]
struct Desk {
    next: Option<Address<Desk>>,
    is_open: bool,
    kept: Vec<Resolver<u64>>,
}

#[behaviours]
impl Desk {
    fn number(&mut self) -> u64 {
        7
    }

    fn later(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    #[when(self.is_open)]
    fn guarded(&mut self) -> u64 {
        8
    }

    fn open(&mut self) {
        self.is_open = true;
    }

    fn answer(&mut self) {
        for resolver in self.kept.drain(..) {
            resolver.resolve(9);
        }
    }

    fn through(&mut self, t: &Turn<Self>) -> Promise<u64> {
        match &self.next {
            Some(next) => t.ask(next.later()),
            None => Promise::ready(0),
        }
    }

    fn delegate(&mut self, t: &Turn<Self>) -> Promise<u64> {
        match &self.next {
            Some(next) => t.delegate(next.later()),
            None => Promise::ready(0),
        }
    }

    fn give_away(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        if let Some(next) = &self.next {
            t.send(next.keep(resolver));
        }
        promise
    }

    fn keep(&mut self, resolver: Resolver<u64>) {
        self.kept.push(resolver);
    }

    fn leave(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

/// Asks a desk.
#[derive(Actor)]
struct Client {
    desk: Address<Desk>,
    answers: Vec<u64>,
}

#[behaviours]
impl Client {
    fn ask_number(&mut self, t: &Turn<Self>) {
        t.ask(self.desk.number()).then_send(t.me().answered());
    }

    fn ask_later(&mut self, t: &Turn<Self>) {
        t.ask(self.desk.later()).then_send(t.me().answered());
    }

    fn ask_guarded(&mut self, t: &Turn<Self>) {
        t.ask(self.desk.guarded()).then_send(t.me().answered());
    }

    fn ask_through(&mut self, t: &Turn<Self>) {
        t.ask(self.desk.through()).then_send(t.me().answered());
    }

    fn ask_delegate(&mut self, t: &Turn<Self>) {
        t.ask(self.desk.delegate()).then_send(t.me().answered());
    }

    fn ask_exclusively(&mut self, t: &Turn<Self>) {
        let asked = t.ask(self.desk.later()).exclusive();
        asked.then_send(t.me().answered());
    }

    fn ask_and_forget(&mut self, t: &Turn<Self>) {
        drop(t.ask(self.desk.later()));
    }

    fn ask_many(&mut self, t: &Turn<Self>, number: usize) {
        for _ in 0..number {
            t.ask(self.desk.later()).then_send(t.me().answered());
        }
    }

    fn ask_soon(&mut self, t: &Turn<Self>) {
        let asked = t.ask(self.desk.later()).within(Duration::from_secs(1));
        asked.then_send(t.me().answered());
    }

    fn ask_in_future(&mut self, t: &Turn<Self>) {
        let desk = self.desk.clone();
        let task = t.spawn(async move { desk.later().ask().await });
        task.then_send(t.me().task_over());
    }

    #[then]
    fn task_over(&mut self, _over: Result<Result<u64, AskError>, AskError>) {}

    #[then]
    fn answered(&mut self, answer: Result<u64, AskError>) {
        self.answers.extend(answer);
    }

    fn answers(&self) -> usize {
        self.answers.len()
    }
}

struct Scene {
    simulation: Simulation,
    last: Address<Desk>,
    desk: Address<Desk>,
    client: Address<Client>,
}

fn scene() -> Scene {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let desk = |next| Desk {
        next,
        is_open: false,
        kept: Vec::new(),
    };
    let last = system.spawn(desk(None));
    let first = system.spawn(desk(Some(last.clone())));
    let client = system.spawn(Client {
        desk: first.clone(),
        answers: Vec::new(),
    });
    simulation.run();
    Scene {
        desk: first,
        last,
        client,
        simulation,
    }
}

impl Scene {
    fn inspect(&self) -> Inspection {
        self.simulation.system().inspect()
    }

    /// Runs one turn.
    fn step(&self) {
        let turns = self.simulation.turns();
        assert!(
            self.simulation
                .run_until(|| self.simulation.turns() > turns)
        );
    }

    /// Answerer, last part of the behaviour's name, progress.
    fn open(&self) -> Vec<(Option<String>, &'static str, RequestProgress)> {
        let requests = self.inspect().requests.into_iter();
        let request = |request: OpenRequest| {
            assert_eq!(
                request.asker.actor(),
                Some(Address::path(&self.client).as_str())
            );
            let name = request
                .behaviour
                .as_str()
                .rsplit("::")
                .next()
                .unwrap_or_default();
            (request.answerer, name, request.progress)
        };
        requests.map(request).collect()
    }

    fn at(&self, desk: &Address<Desk>) -> Option<String> {
        Some(Address::path(desk))
    }
}

#[test]
fn a_request_is_queued_then_begun_then_gone() {
    let scene = scene();
    scene.client.ask_later().send();
    assert_eq!(scene.open(), []);
    scene.step();
    let at = scene.at(&scene.desk);
    assert_eq!(
        scene.open(),
        [(at.clone(), "later", RequestProgress::Queued)]
    );
    scene.simulation.run();
    assert_eq!(scene.open(), [(at, "later", RequestProgress::Begun)]);
    scene.desk.answer().send();
    scene.step();
    assert_eq!(scene.open(), [], "the answer is on its way");
    scene.simulation.run();
    assert_eq!(scene.client.answers().ask_blocking(), Ok(1));
    assert_eq!(scene.open(), []);
}

#[test]
fn a_request_has_its_line_and_its_age() {
    let scene = scene();
    scene.client.ask_later().send();
    scene.simulation.run();
    let before = scene.inspect().requests[0].open_for;
    scene.simulation.run_for(Duration::from_secs(3));
    let inspection = scene.inspect();
    let [request] = inspection.requests.as_slice() else {
        panic!("{:?}", inspection.requests);
    };
    assert!(request.asked_at.file().ends_with("open_requests.rs"));
    let source = include_str!("open_requests.rs").lines();
    let line = source.into_iter().nth(request.asked_at.line() as usize - 1);
    assert!(line.is_some_and(|line| line.contains("t.ask(self.desk.later()).then_send")));
    assert_eq!(request.open_for, before + Duration::from_secs(3));
    let (client, desk) = (Address::path(&scene.client), Address::path(&scene.desk));
    assert_eq!(inspection.requests_by(&client).count(), 1);
    assert_eq!(inspection.requests_to(&desk).count(), 1);
    assert_eq!(inspection.requests_by(&desk).count(), 0);
    assert_eq!(inspection.requests_to(&client).count(), 0);
    let text = request.to_string();
    let expected = format!(
        "{client} waits for `{}` of {desk}, asked at ",
        request.behaviour
    );
    assert!(text.starts_with(&expected), "{text}");
    let ending = format!(", begun, for {:?}", request.open_for);
    assert!(text.ends_with(&ending), "{text}");
}

#[test]
fn a_guard_defers_a_request() {
    let scene = scene();
    scene.client.ask_guarded().send();
    scene.client.ask_guarded().send();
    scene.simulation.run();
    let at = scene.at(&scene.desk);
    let first = (at.clone(), "guarded", RequestProgress::Deferred);
    let behind_it = (at, "guarded", RequestProgress::Queued);
    assert_eq!(scene.open(), [behind_it, first]);
    scene.desk.open().send();
    scene.simulation.run();
    assert_eq!(scene.open(), []);
}

#[test]
fn an_exclusive_wait_defers_a_request_from_outside() {
    let scene = scene();
    scene.client.ask_exclusively().send();
    scene.simulation.run();
    let answers = scene.client.answers().ask();
    scene.simulation.run();
    let inspection = scene.inspect();
    let [outside] = inspection
        .requests
        .iter()
        .filter(|request| request.asker == RequestOrigin::Outside)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", inspection.requests);
    };
    assert_eq!(outside.progress, RequestProgress::Deferred);
    assert_eq!(
        outside.answerer,
        scene
            .at(&scene.desk)
            .and(Some(Address::path(&scene.client)))
    );
    assert!(outside.asked_at.file().ends_with("open_requests.rs"));
    drop(answers);
    let requests = scene.inspect().requests;
    assert!(
        requests
            .iter()
            .all(|request| request.asker != RequestOrigin::Outside)
    );
}

#[test]
fn each_link_of_a_chain_is_listed() {
    let scene = scene();
    scene.client.ask_through().send();
    scene.simulation.run();
    let requests = scene.inspect().requests;
    let mut pairs: Vec<_> = requests
        .iter()
        .map(|request| (request.asker.to_string(), request.answerer.clone()))
        .collect();
    pairs.sort();
    let mut expected = vec![
        (Address::path(&scene.client), scene.at(&scene.desk)),
        (Address::path(&scene.desk), scene.at(&scene.last)),
    ];
    expected.sort();
    assert_eq!(pairs, expected);
    scene.last.answer().send();
    scene.simulation.run();
    assert_eq!(scene.open(), []);
}

#[test]
fn a_delegated_request_names_the_actor_that_has_it() {
    let scene = scene();
    scene.client.ask_delegate().send();
    scene.simulation.run();
    let at = scene.at(&scene.last);
    assert_eq!(
        scene.open(),
        [(at.clone(), "later", RequestProgress::Begun)]
    );
    scene.last.answer().send();
    scene.simulation.run();
    assert_eq!(scene.open(), []);
    let outside = scene.desk.delegate().ask();
    scene.simulation.run();
    let requests = scene.inspect().requests;
    assert_eq!(requests.len(), 1);
    assert_eq!(
        (&requests[0].answerer, requests[0].progress),
        (&at, RequestProgress::Begun)
    );
    drop(outside);
}

#[test]
fn a_dropped_promise_is_not_open() {
    let scene = scene();
    scene.client.ask_and_forget().send();
    scene.step();
    assert_eq!(scene.open(), []);
    scene.simulation.run();
    assert_eq!(scene.open(), []);
}

/// The promise of a behaviour that was sent and not asked.
#[test]
fn a_promise_that_answers_no_request_is_not_open() {
    let scene = scene();
    scene.desk.through().send();
    scene.simulation.run();
    assert_eq!(scene.inspect().requests, []);
}

#[test]
fn a_promise_without_a_request_is_not_listed() {
    let scene = scene();
    scene.client.ask_soon().send();
    scene.step();
    scene.step();
    let at = scene.at(&scene.desk);
    assert_eq!(
        scene.open(),
        [(at.clone(), "later", RequestProgress::Begun)]
    );
    scene.simulation.run();
    assert_eq!(
        scene.open(),
        [(at, "later", RequestProgress::Begun)],
        "after its time limit"
    );
}

#[test]
fn an_answered_future_is_not_open_and_a_dropped_one_neither() {
    let scene = scene();
    let (answered, waits) = (scene.desk.number().ask(), scene.desk.later().ask());
    assert_eq!(scene.inspect().requests.len(), 2);
    scene.simulation.run();
    let requests = scene.inspect().requests;
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].asker, RequestOrigin::Outside);
    assert_eq!(requests[0].progress, RequestProgress::Begun);
    drop(waits);
    assert_eq!(scene.inspect().requests, []);
    assert_eq!(scene.simulation.system().block_on(answered), Ok(7));
    let cancelled = scene.desk.number().ask();
    cancelled.cancel();
    assert_eq!(scene.inspect().requests, []);
}

#[test]
fn a_future_that_an_actor_has_spawned_asks_as_its_child() {
    let scene = scene();
    scene.client.ask_in_future().send();
    scene.simulation.run();
    let requests = scene.inspect().requests;
    assert_eq!(requests.len(), 1);
    let askers: Vec<_> = requests
        .iter()
        .map(|request| request.asker.actor())
        .collect();
    let client = Address::path(&scene.client);
    let (_, number) = client.rsplit_once('/').expect("a path");
    assert_eq!(
        askers,
        [Some(format!("vivant::Future/{number}/0").as_str())],
        "its child"
    );
    scene.desk.answer().send();
    scene.simulation.run();
    assert_eq!(scene.open(), []);
}

#[test]
fn an_answerer_that_has_ended_has_no_path() {
    let scene = scene();
    let outside = scene.desk.give_away().ask();
    scene.desk.leave().send();
    scene.simulation.run();
    let requests = scene.inspect().requests;
    let answerers: Vec<_> = requests.iter().map(|request| &request.answerer).collect();
    assert_eq!(answerers, [&None], "its resolver is kept elsewhere");
    drop(outside);
}

#[test]
fn the_oldest_are_listed_and_the_others_counted() {
    let scene = scene();
    scene.client.ask_later().send();
    scene.simulation.run();
    scene.simulation.run_for(Duration::from_millis(10));
    scene.client.ask_many(12_000).send();
    scene.simulation.run();
    let inspection = scene.inspect();
    assert_eq!(inspection.requests.len(), 10_000);
    assert_eq!(inspection.more_requests, 2_001);
    let ages: Vec<_> = inspection
        .requests
        .iter()
        .map(|request| request.open_for)
        .collect();
    assert!(ages.is_sorted_by(|older, younger| older >= younger));
    assert!(ages[0] >= ages[1] + Duration::from_millis(10));
    scene.desk.answer().send();
    scene.simulation.run();
    let inspection = scene.inspect();
    assert_eq!(
        (inspection.requests.len(), inspection.more_requests),
        (0, 0)
    );
}
