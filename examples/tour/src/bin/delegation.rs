//! Delegation: an actor leaves its answer to a third one. The reply goes straight from there to the
//! actor or future that asked, and the delegating actor may even end meanwhile.
//!
//! A desk sends each case to an expert, with a time limit, and refuses what no expert knows. Where
//! to look: `consult` returns `t.delegate(…)`; the desk ends before the expert answers, and the
//! answers still arrive. Try `t.ask` in its place: then they go by way of the desk, and are lost.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Expert {
    field: &'static str,
    cases: Vec<(String, Resolver<String>)>,
}

#[behaviours]
impl Expert {
    /// Answers later: the right to answer is kept.
    fn examine(&mut self, t: &Turn<Self>, case: String) -> Promise<String> {
        let (promise, resolver) = t.promise();
        self.cases.push((case, resolver));
        promise
    }

    fn works(&mut self) {
        for (case, resolver) in self.cases.drain(..) {
            resolver.resolve(format!("{case}: a matter of {}", self.field));
        }
    }
}

#[derive(Actor)]
struct Desk {
    experts: Vec<(&'static str, Address<Expert>)>,
}

#[behaviours]
impl Desk {
    fn consult(
        &self,
        t: &Turn<Self>,
        field: String,
        case: String,
    ) -> Result<Promise<String>, String> {
        let mut experts = self.experts.iter();
        let (_, expert) = experts
            .find(|(of, _)| *of == field)
            .ok_or("no such expert")?;
        Ok(t.delegate(expert.examine(case))
            .within(Duration::from_secs(3600)))
    }

    fn closes(&self, t: &Turn<Self>) {
        t.stop();
    }
}

fn main() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let law = system.spawn(Expert {
        field: "law",
        cases: Vec::new(),
    });
    let health = system.spawn(Expert {
        field: "health",
        cases: Vec::new(),
    });
    let desk = system.spawn(Desk {
        experts: vec![("law", law.clone()), ("health", health.clone())],
    });
    let fence = desk.consult("law".into(), "the fence".into()).ask();
    let cough = desk.consult("health".into(), "the cough".into()).ask();
    let comet = desk.consult("stars".into(), "the comet".into()).ask();
    desk.closes().send();
    simulation.run_for(Duration::from_secs(60));
    assert!(!Address::is_alive(&desk));
    // The desk is closed, and one expert answers.
    law.works().send();
    simulation.run_for(Duration::from_secs(60));
    let answers = system.block_on(async { (fence.await, comet.await) });
    println!("{answers:?}");
    let law = "the fence: a matter of law".to_owned();
    assert_eq!(answers, (Ok(Ok(law)), Ok(Err("no such expert".to_owned()))));
    // The other does not: the limit holds without the desk.
    assert!(Address::is_alive(&health));
    simulation.run_for(Duration::from_secs(3600));
    let cough = system.block_on(cough);
    assert!(matches!(cough, Err(AskError::TimedOut { .. })), "{cough:?}");
}
