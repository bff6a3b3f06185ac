//! Actors that an image does not contain have ended in the restored system, and what was sent to
//! them hears of it.

use super::SavedAs;
use super::by_id::Actors;
use super::image::Image;
use super::recorder::ImageRecorder;
use super::restore::restore;
use super::taking::{recorder, simulated};
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Outcome, Step};
use crate::failures::{Cause, StopReason};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;

#[interface]
trait Sink {
    fn put(&mut self, line: u64) -> u64;
}

/// Is not saved.
#[derive(Actor)]
struct Logger {
    lines: Vec<u64>,
}

#[behaviours]
impl Logger {
    #[start]
    fn new() -> Logger {
        Logger { lines: Vec::new() }
    }

    fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    fn child(&mut self, t: &Turn<Self>) -> Address<Logger> {
        Logger::spawn(t)
    }
}

#[behaviours]
impl Sink for Logger {
    fn put(&mut self, line: u64) -> u64 {
        self.lines.push(line);
        self.lines.len() as u64
    }
}

/// Knows loggers in each way.
#[derive(Actor)]
#[actor(saved)]
struct Client {
    loggers: Vec<Address<Logger>>,
    sinks: Vec<Address<dyn Sink>>,
    weak: Option<WeakAddress<Logger>>,
    clients: Vec<Address<Client>>,
    is_open: bool,
    heard: Vec<Result<u64, AskError>>,
}

#[behaviours]
impl Client {
    #[start]
    fn new() -> Client {
        Client {
            loggers: Vec::new(),
            sinks: Vec::new(),
            weak: None,
            clients: Vec::new(),
            is_open: false,
            heard: Vec::new(),
        }
    }

    fn knows(&mut self, logger: Address<Logger>) {
        self.sinks.push(Address::upcast(&logger));
        self.weak = Some(Address::downgrade(&logger));
        self.loggers.push(logger);
    }

    #[when(self.is_open)]
    fn knows_later(&mut self, logger: Address<Logger>) {
        self.knows(logger);
    }

    fn knows_client(&mut self, client: Address<Client>) {
        self.clients.push(client);
    }

    fn open(&mut self) {
        self.is_open = true;
    }

    fn alive(&self) -> Vec<bool> {
        let loggers = self.loggers.iter().map(Address::is_alive);
        loggers
            .chain(self.clients.iter().map(Address::is_alive))
            .collect()
    }

    fn ask_all(&mut self, t: &Turn<Self>) {
        for logger in &self.loggers {
            t.ask(logger.lines()).then(t.me().heard());
        }
        for sink in &self.sinks {
            t.ask(sink.put(7)).then(t.me().heard());
        }
    }

    #[then]
    fn heard(&mut self, answer: Result<u64, AskError>) {
        self.heard.push(answer);
    }

    fn answers(&self) -> Vec<Result<u64, AskError>> {
        self.heard.clone()
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<_> = self.loggers.iter().map(Address::path).collect();
        paths.extend(self.sinks.iter().map(Address::path));
        paths.extend(self.weak.iter().map(WeakAddress::path));
        paths.extend(self.clients.iter().map(Address::path));
        paths
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Client,)>().expect("no two names are equal"))
}

fn take(simulation: &Simulation, recorder: &Arc<ImageRecorder>) -> Image {
    let system = simulation.system().shared();
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    loop {
        match coordinator.step(system) {
            Step::Complete(outcome) => {
                assert_eq!(outcome, Outcome::Consistent);
                return recorder.take(system).expect("it is saved");
            }
            Step::More => {}
            Step::Waits => {
                simulation.step();
            }
        }
    }
}

fn restored(image: &Image) -> (Simulation, Arc<Actors>) {
    let simulation = simulated(&kinds(), 9);
    let actors = restore(simulation.system().shared(), image, &kinds());
    (simulation, actors.expect("the image is whole"))
}

/// A client with two loggers, one of them a child, in its state and in a message that waits; and a
/// client that has ended.
fn begin(simulation: &Simulation) -> (Address<Client>, Vec<Address<Logger>>) {
    let system = simulation.system();
    let (logger, client) = (Logger::spawn(system), Client::spawn(system));
    let child = logger.child().ask_blocking().expect("it is made");
    let gone = Client::spawn(system);
    client.knows_client(gone.clone()).send();
    client.knows(child.clone()).send();
    client.knows_later(logger.clone()).send();
    simulation.run();
    Address::stop(&gone);
    simulation.run();
    (client, vec![child, logger])
}

#[test]
fn an_actor_that_is_not_saved_has_ended() {
    let simulation = simulated(&kinds(), 1);
    let (client, _loggers) = begin(&simulation);
    let recorder = recorder(simulation.system());
    let image = take(&simulation, &recorder);
    let reasons: Vec<_> = image
        .shared
        .ended
        .iter()
        .map(|ended| &ended.reason)
        .collect();
    let expected = [
        &StopReason::NotSaved,
        &StopReason::NotSaved,
        &StopReason::Stopped,
    ];
    assert_eq!(
        reasons, expected,
        "two loggers, and a client that was stopped"
    );
    client.open().send();
    let paths_before = client.paths().ask_blocking();

    let (simulation, actors) = restored(&image);
    let address = actors.values().next().expect("the client").clone();
    let client: Address<Client> = Address::to_actor(address);
    client.open().send();
    assert_eq!(client.paths().ask_blocking(), paths_before);
    assert_eq!(client.alive().ask_blocking(), Ok(vec![false; 3]));
    client.ask_all().send();
    simulation.run();
    let answers = client.answers().ask_blocking().expect("it lives");
    assert_eq!(answers.len(), 4, "two loggers and two sinks");
    for answer in answers {
        let Err(AskError::Stopped(it)) = answer else {
            panic!("an ended actor answered: {answer:?}");
        };
        assert_eq!(it.reason, StopReason::NotSaved);
        let said = AskError::Stopped(it).to_string();
        assert!(
            said.contains("Logger/") && said.contains("not saved"),
            "{said}"
        );
    }
    let letters = simulation.system().shared().dead_letters.lines();
    let ended = letters.iter().filter(|letter| letter.cause == Cause::Ended);
    assert_eq!(ended.map(|letter| letter.count).sum::<u64>(), 4);
}

#[test]
fn an_image_keeps_what_it_lacks() {
    let simulation = simulated(&kinds(), 2);
    let _program = begin(&simulation);
    let image = take(&simulation, &recorder(simulation.system()));
    let (simulation, _actors) = restored(&image);
    let mut again = take(&simulation, &recorder(simulation.system()));
    // The actors that are not saved are counted, and are not restored.
    again.system.types.clone_from(&image.system.types);
    assert_eq!(again, image);
}

#[test]
fn a_report_counts_the_actors_of_each_kind() {
    let simulation = simulated(&kinds(), 3);
    let _program = begin(&simulation);
    let recorder = recorder(simulation.system());
    let system = simulation.system().shared();
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    while !matches!(coordinator.step(system), Step::Complete(_)) {}
    let _records = recorder.drain().expect("it is saved");
    let completed = recorder.complete(system);
    let types = completed.expect("all of it is saved").system.types;
    let number = |saved_as| super::census::sum(&types, saved_as);
    let numbers = [SavedAs::State, SavedAs::Start, SavedAs::Nothing].map(number);
    assert_eq!(numbers, [1, 0, 2]);
    let said: Vec<_> = types.iter().map(ToString::to_string).collect();
    let logger = format!("2 of {}: not saved", Logger::NAME);
    assert!(
        said.iter().any(|line| line.starts_with(&logger)),
        "{said:?}"
    );
}

/// The number of an actor that ended while the line ran through is all that is known of it.
#[test]
fn an_actor_without_a_record_has_ended() {
    let simulation = simulated(&kinds(), 4);
    let _program = begin(&simulation);
    let mut image = take(&simulation, &recorder(simulation.system()));
    image.shared.ended.clear();
    let (_simulation, actors) = restored(&image);
    let address = actors.values().next().expect("the client").clone();
    let client: Address<Client> = Address::to_actor(address);
    assert_eq!(client.alive().ask_blocking(), Ok(vec![false; 2]));
    image.system.numbers.0 = 2;
    let refused = restore(simulated(&kinds(), 5).system().shared(), &image, &kinds());
    let error = refused
        .err()
        .expect("no actor has had this number")
        .to_string();
    assert!(error.contains("which the file does not have"), "{error}");
}
