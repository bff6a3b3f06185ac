//! Requests that reach the actor that answers by another way than `t.ask`.

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{AskFuture, RequestOrigin, RequestProgress};

#[derive(Actor, Default)]
struct Clerk {
    kept: Vec<Resolver<u64>>,
    next: Option<Address<Clerk>>,
}

#[behaviours]
impl Clerk {
    fn later(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    fn later_than(&mut self, t: &Turn<Self>, _number: u64) -> Promise<u64> {
        self.later(t)
    }

    fn one(&mut self) -> u64 {
        1
    }

    #[local]
    fn next(&self) -> Address<Clerk> {
        self.next.clone().expect("it has another one")
    }

    fn delegates_in_time(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.delegate(self.next().later())
            .within(Duration::from_secs(100))
    }

    fn delegates_and_continues(&mut self, t: &Turn<Self>) {
        t.delegate(self.next().later()).then_send(t.me().got());
    }

    fn asks_by_pipeline(&mut self, t: &Turn<Self>) {
        let next = t.pipeline(Promise::ready(self.next()));
        next.ask(t, |next| next.later()).then_send(t.me().got());
    }

    fn passes_on(&mut self, t: &Turn<Self>) {
        let next = self.next();
        let asked = t.ask(next.one());
        asked
            .pass_to(&next, ClerkHandle::later_than)
            .then_send(t.me().got());
    }

    /// The future ends; its request stays open, outside.
    fn leaks(&mut self, t: &Turn<Self>, out: std::sync::mpsc::Sender<AskFuture<u64>>) {
        let next = self.next();
        drop(t.spawn(async move { drop(out.send(next.later().ask())) }));
    }

    #[then]
    fn got(&mut self, _number: Result<u64, AskError>) {}
}

fn clerks(simulation: &Simulation) -> (Address<Clerk>, Address<Clerk>) {
    let back = simulation.system().spawn(Clerk::default());
    let front = simulation.system().spawn(Clerk {
        next: Some(back.clone()),
        ..Clerk::default()
    });
    (front, back)
}

/// Asserts that one request is open, which the back clerk has begun.
fn is_with(simulation: &Simulation, back: &Address<Clerk>) {
    simulation.run_for(Duration::from_secs(1));
    let inspection = simulation.system().inspect();
    let [request] = &inspection.requests[..] else {
        panic!("{:?}", inspection.requests);
    };
    assert_eq!(request.answerer.as_deref(), Some(&*Address::path(back)));
    assert_eq!(request.progress, RequestProgress::Begun);
    assert!(request.open_for <= Duration::from_secs(1), "{request:?}");
}

#[test]
fn a_delegation_with_a_limit_names_the_actor_that_has_the_request() {
    let simulation = Simulation::new(1);
    let (front, back) = clerks(&simulation);
    let _asked = front.delegates_in_time().ask();
    is_with(&simulation, &back);
}

#[test]
fn a_delegation_that_is_continued_is_listed() {
    let simulation = Simulation::new(1);
    let (front, back) = clerks(&simulation);
    front.delegates_and_continues().send();
    is_with(&simulation, &back);
}

#[test]
fn a_request_by_a_pipeline_is_listed() {
    let simulation = Simulation::new(1);
    let (front, back) = clerks(&simulation);
    front.asks_by_pipeline().send();
    is_with(&simulation, &back);
}

#[test]
fn a_request_to_which_an_answer_was_passed_is_listed() {
    let simulation = Simulation::new(1);
    let (front, back) = clerks(&simulation);
    front.passes_on().send();
    is_with(&simulation, &back);
}

#[test]
fn the_request_of_a_future_that_has_ended_is_one_from_outside() {
    let simulation = Simulation::new(1);
    let (front, back) = clerks(&simulation);
    let (sender, receiver) = std::sync::mpsc::channel();
    front.leaks(sender).send();
    is_with(&simulation, &back);
    let asked = receiver.recv().unwrap();
    let requests = simulation.system().inspect().requests;
    assert_eq!(requests[0].asker, RequestOrigin::Outside);
    drop(asked);
}
