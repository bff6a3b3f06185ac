//! Topics are in an image with the subscriptions that they had at the line, and the values that
//! were on their way.

use super::image::Image;
use super::message_record::WaitingKind;
use super::mid_turn::{self, mid_turn};
use super::taking::{goes_on_at_every_step, restored, simulated, take_now};
use crate::api::{SavedForm, SavedKinds};
use crate::codec::{Decoder, Encoder, LoadError, Shape};
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::run::Idle;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Lagged, Saved, Subscription, Topic};

const CAPACITY: usize = 2;

/// Writes down the news that it gets.
#[derive(Actor)]
#[actor(saved)]
pub(super) struct Board {
    news: Option<Subscription>,
    /// With the tag of the subscription. Values that were missed count 1,000 each.
    read: Vec<(u64, u64)>,
    /// Its subscriptions that last.
    forever: usize,
}

#[behaviours]
impl Board {
    #[start]
    pub(super) fn new() -> Board {
        Board {
            news: None,
            read: Vec::new(),
            forever: 0,
        }
    }

    /// Subscribes, or ends the subscription.
    fn toggle(&mut self, t: &Turn<Self>, topic: Topic<u64>, tag: u64) {
        mid_turn();
        self.news = match self.news.take() {
            Some(_) => None,
            None => Some(topic.subscribe_bounded(CAPACITY, t.me().hears(tag))),
        };
        mid_turn();
    }

    fn subscribe_forever(&mut self, t: &Turn<Self>, topic: Topic<u64>, tag: u64) {
        mid_turn();
        let news = topic.subscribe_bounded(CAPACITY, t.me().hears(tag));
        mid_turn();
        news.forever();
        self.forever += 1;
        mid_turn();
    }

    #[then]
    pub(super) fn hears(&mut self, news: Result<u64, Lagged>, tag: u64) {
        self.read.push((
            tag,
            match news {
                Ok(number) => number,
                Err(Lagged { missed }) => 1_000 * missed,
            },
        ));
    }

    /// Publishes what it gets.
    #[then]
    pub(super) fn relays(&mut self, news: Result<u64, Lagged>, to: Topic<u64>) {
        to.publish(news.expect("it reads all"));
    }

    fn seen(&self) -> u64 {
        self.read.len() as u64
    }

    fn finish(&mut self, t: &Turn<Self>) {
        mid_turn();
        t.stop();
    }
}

/// Publishes.
#[derive(Actor)]
#[actor(saved)]
pub(super) struct Press {
    news: Topic<u64>,
    boards: Vec<Address<Board>>,
    /// A subscription of a board, which its handle here keeps.
    held: Option<Subscription>,
    published: u64,
}

const DAYS: u64 = 6;

#[behaviours]
impl Press {
    #[start]
    pub(super) fn new(news: Topic<u64>, boards: Vec<Address<Board>>) -> Press {
        let held = boards.last().map(|last| news.subscribe(last.hears(900)));
        Press {
            news,
            boards,
            held,
            published: 0,
        }
    }

    fn print(&mut self, t: &Turn<Self>, day: u64) {
        let board = &self.boards[day as usize % self.boards.len()];
        t.ask(board.toggle(self.news.clone(), day))
            .then(t.me().toggled(day));
    }

    #[then]
    fn toggled(&mut self, t: &Turn<Self>, _done: Result<(), AskError>, day: u64) {
        for number in 0..5 {
            self.news.publish(10 * day + number);
        }
        if day == 4 {
            self.held = None;
        }
        self.read_next(t, day, 0);
    }

    /// Waits until each board has read all.
    #[then]
    fn has_read(&mut self, t: &Turn<Self>, _seen: Result<u64, AskError>, day: u64, board: u64) {
        self.read_next(t, day, board + 1);
    }

    fn publish(&mut self, values: u64) {
        for _ in 0..values {
            mid_turn();
            self.news.publish(1);
            self.published += 1;
        }
    }
}

impl Press {
    fn read_next(&mut self, t: &Turn<'_, Press>, day: u64, board: u64) {
        match self.boards.get(board as usize) {
            Some(next) => drop(t.ask(next.seen()).then(t.me().has_read(day, board))),
            None if day < DAYS => t.send(t.me().print(day + 1)),
            None => {}
        }
    }
}

pub(super) fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Board, Press)>().expect("no two names are equal"))
}

/// Whether the topic of a program has a name.
#[derive(Clone, Copy, Debug)]
enum News {
    Named,
    Unnamed,
}

impl News {
    fn topic(self, simulation: &Simulation) -> Topic<u64> {
        match self {
            News::Named => simulation.system().topic("news").expect("it is new"),
            News::Unnamed => Topic::new(),
        }
    }
}

fn begin(simulation: &Simulation, news: News) -> Address<Press> {
    let system = simulation.system();
    let topic = news.topic(simulation);
    let boards: Vec<_> = (0..3).map(|_| Board::spawn(system)).collect();
    boards[1].subscribe_forever(topic.clone(), 500).send();
    simulation.run();
    let press = Press::spawn(system, topic, boards);
    press.print(0).send();
    system.keep(&press);
    press
}

/// What each actor of this type has.
fn states<A: Actor, R>(
    simulation: &Simulation,
    mut look: impl FnMut(&<A as Actor>::State<'_>) -> R,
) -> Vec<R> {
    let mut all = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle.state().look::<A, _>(|state| all.push(look(state)));
            idle.park();
        }
    }
    all
}

pub(super) fn end(simulation: &Simulation) -> Vec<Vec<(u64, u64)>> {
    simulation.run();
    states::<Board, _>(simulation, |board| board.read.clone())
}

/// The topic of the presses of a program.
pub(super) fn news_of(simulation: &Simulation) -> Topic<u64> {
    let mut found = states::<Press, _>(simulation, |press| press.news.clone());
    let scheduler = &simulation.system().shared().scheduler;
    scheduler.each_queued(&mut |actor| {
        let mut idle = Idle::between_runs(actor);
        let _none = idle
            .state()
            .look::<Press, _>(|press| found.push(press.news.clone()));
        idle.into_runnable()
    });
    found.pop().expect("each program has a press")
}

#[test]
fn subscribers_get_the_same_values_after_a_restore() {
    for news in [News::Named, News::Unnamed] {
        let begin = |simulation: &Simulation| begin(simulation, news);
        let images = goes_on_at_every_step(2, &kinds(), begin, end);
        assert!(images > 5, "{images} images");
    }
}

/// Something that comes from outside.
fn order(
    topic: &Topic<u64>,
    boards: &[Address<Board>],
    presses: &[Address<Press>],
    dice: &mut Dice,
) {
    let board = &boards[dice.below(boards.len())];
    let press = &presses[dice.below(presses.len())];
    match dice.below(12) {
        0..3 => board.toggle(topic.clone(), 1 + dice.below(9) as u64).send(),
        3 => board.finish().send(),
        4 if dice.below(3) == 0 => board.subscribe_forever(topic.clone(), 400).send(),
        _ => press.publish(dice.below(5) as u64).send(),
    }
}

/// Images of a program in which the first board is subscribed from the beginning and has a slow
/// mailbox, and others come and go.
fn images(seed: u64, news: News) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let system = simulation.system();
    let topic = news.topic(&simulation);
    let constant = Board::spawn(system);
    constant.subscribe_forever(topic.clone(), 0).send();
    let boards: Vec<_> = (0..3).map(|_| Board::spawn(system)).collect();
    let presses: Vec<_> = (0..2)
        .map(|_| Press::spawn(system, topic.clone(), Vec::new()))
        .collect();
    simulation.run();
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    for _ in 0..300 {
        match dice.below(6) {
            0 => order(&topic, &boards, &presses, &mut dice),
            1..3 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    drop(constant);
    mid_turn::end()
}

/// The number of values of a topic that wait in the image for an actor.
fn values_for(image: &Image, actor: u64) -> usize {
    let waiting = image.waiting.iter().filter(|it| it.actor == actor);
    let values = waiting.filter(|it| {
        // The first variant.
        let is_value = it.message.bytes.first() == Some(&0);
        is_value
            && matches!(image.kind(it), WaitingKind::Message(kind) if kind.form == SavedForm::Published)
    });
    values.count()
}

/// What was published before the line was read before it, waits, or is counted as missed.
fn check(image: &Image, seed: u64) -> usize {
    let (simulation, actors) = restored(image, seed, &kinds());
    assert_eq!(take_now(&simulation), *image, "seed {seed}");
    let constant = image.actors.iter().find(|it| it.class.ends_with("Board"));
    let constant = constant.expect("it never ends").id;
    // The bound is counted again from the mailboxes.
    let waiting = values_for(image, constant);
    let topic = news_of(&simulation);
    let extra = 4;
    for _ in 0..extra {
        topic.publish(1);
    }
    let fuller = take_now(&simulation);
    let in_flight = values_for(&fuller, constant);
    assert_eq!(in_flight, CAPACITY.max(waiting), "seed {seed}");
    simulation.run();
    let published: u64 = states::<Press, _>(&simulation, |press| press.published)
        .iter()
        .sum();
    let read = states::<Board, _>(&simulation, |board| {
        let read = board.read.iter().filter(|(tag, _)| *tag == 0);
        let counts = read.map(|(_, value)| match value / 1_000 {
            0 => 1,
            missed => missed,
        });
        counts.sum::<u64>()
    });
    let read: u64 = read.iter().sum();
    assert_eq!(read, published + extra, "seed {seed}");
    drop(actors);
    waiting
}

/// The subscriptions of the image are those of which boards have handles.
fn check_handles(image: &Image, seed: u64) {
    let (simulation, _actors) = restored(image, seed, &kinds());
    simulation.run();
    let handles = states::<Board, _>(&simulation, |board| {
        usize::from(board.news.is_some()) + board.forever
    });
    let topic = news_of(&simulation);
    // Boards may toggle meanwhile, so it is that of the run.
    let own: usize = handles.iter().sum();
    assert_eq!(topic.subscribers(), own, "seed {seed}");
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

fn topics_are_those_of_the_line(news: News) {
    let (mut checked, mut waiting) = (0, 0);
    for seed in 0..SEEDS {
        for image in images(seed, news) {
            waiting += check(&image, seed);
            check_handles(&image, seed);
            checked += 1;
        }
    }
    assert!(checked > SEEDS / 2, "{checked} images");
    assert!(waiting as u64 > SEEDS / 4, "{waiting} values on their way");
}

#[test]
fn a_value_is_delivered_or_missed_if_it_was_published_before_the_line() {
    topics_are_those_of_the_line(News::Named);
}

#[test]
fn a_value_of_a_topic_without_a_name_is_delivered_or_missed_too() {
    topics_are_those_of_the_line(News::Unnamed);
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_topic_seen_across_the_line_is_noticed() {
    for (fault, news) in [
        (InjectedFault::NewerEntryRecorded, News::Named),
        (InjectedFault::EntryTakenUnrecorded, News::Named),
        (InjectedFault::BoundNotCounted, News::Named),
        (InjectedFault::GapAcrossLine, News::Named),
        (InjectedFault::EntryTakenUnrecorded, News::Unnamed),
        (InjectedFault::UnfoundEntryForgotten, News::Unnamed),
        (InjectedFault::BoundNotCounted, News::Unnamed),
    ] {
        let said = caught(fault, || topics_are_those_of_the_line(news));
        let is_noticed = said.contains("seed") || said.contains("the image is whole");
        assert!(is_noticed, "{fault:?}: {said}");
    }
}

#[test]
fn a_topic_without_a_name_is_outside() {
    let simulation = simulated(&kinds(), 1);
    let board = Board::spawn(simulation.system());
    let topic = Topic::new();
    topic.subscribe(board.hears(3)).forever();
    simulation.run();
    topic.publish(17);
    let image = take_now(&simulation);
    assert!(image.shared.tables.topics.is_empty());
    let (simulation, _actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
    assert_eq!(end(&simulation), [[(3, 17)]], "it was published before");
}

/// The handle of a subscription is on a thread: nothing in the image has it.
#[test]
fn a_subscription_that_a_thread_holds_ends_with_its_system() {
    let simulation = simulated(&kinds(), 1);
    let board = Board::spawn(simulation.system());
    let topic: Topic<u64> = simulation.system().topic("news").expect("it is new");
    let subscription = topic.subscribe(board.hears(3));
    simulation.run();
    let image = take_now(&simulation);
    drop(subscription);
    assert!(image.shared.tables.topics.is_empty());
}

/// An argument of which each clone takes a whole cut.
#[derive(Debug)]
struct Hook;

impl Clone for Hook {
    fn clone(&self) -> Hook {
        mid_turn::whole_cut();
        Hook
    }
}

impl Saved<'_> for Hook {
    const SHAPE: &'static Shape = <() as Saved<'static>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        ().save(out);
    }

    fn load(input: &mut Decoder<'_, '_>) -> Result<Self, LoadError> {
        <()>::load(input).map(|()| Hook)
    }
}

/// The line runs between the opening of a gap, by a thread outside, and the post of its notice.
#[test]
fn a_gap_without_its_notice_makes_the_cut_void() {
    let kinds = Arc::new(SavedKinds::of::<(Slow,)>().expect("no two names are equal"));
    let simulation = simulated(&kinds, 1);
    let slow = Slow::spawn(simulation.system());
    let topic: Topic<u64> = simulation.system().topic("news").expect("it is new");
    let subscription = topic.subscribe_bounded(1, slow.hears(Hook));
    subscription.forever();
    simulation.run();
    topic.publish(1);
    mid_turn::begin(&simulation, 1);
    // It is missed.
    topic.publish(2);
    assert!(mid_turn::end().is_empty(), "the cut is void");
    let image = take_now(&simulation);
    let (simulation, _actors) = restored(&image, 1, &kinds);
    simulation.run();
    let heard = states::<Slow, _>(&simulation, |slow| slow.heard.clone());
    assert_eq!(heard, [[1, 1_000]]);
}

#[derive(Actor)]
#[actor(saved)]
struct Slow {
    heard: Vec<u64>,
}

#[behaviours]
impl Slow {
    #[start]
    fn new() -> Slow {
        Slow { heard: Vec::new() }
    }

    #[then]
    fn hears(&mut self, value: Result<u64, Lagged>, _hook: Hook) {
        self.heard
            .push(value.unwrap_or_else(|lagged| 1_000 * lagged.missed));
    }
}
