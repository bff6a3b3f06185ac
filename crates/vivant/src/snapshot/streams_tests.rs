//! Streams are in no image. Their readers have the items that were sent before the line, and then
//! hear that the stream is lost.

use super::census::SavedAs;
use super::image::Image;
use super::mid_turn::{self, mid_turn};
use super::taking::{assert_is, restored, simulated, take_now};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Attached, StreamItem};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Numbers below `end`, with a pause behind each that is odd.
struct Numbers {
    next: u64,
    end: u64,
    has_paused: bool,
}

fn numbers(end: u64) -> Numbers {
    Numbers {
        next: 0,
        end,
        has_paused: false,
    }
}

impl futures_core::Stream for Numbers {
    type Item = u64;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u64>> {
        mid_turn();
        if self.next % 2 == 1 && !std::mem::replace(&mut self.has_paused, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.has_paused = false;
        let number = self.next;
        self.next += 1;
        Poll::Ready((number < self.end).then_some(number))
    }
}

/// Has one item, and then nothing can wake it.
#[derive(Default)]
struct Mute {
    is_over: bool,
}

impl futures_core::Stream for Mute {
    type Item = u64;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u64>> {
        mid_turn();
        match std::mem::replace(&mut self.is_over, true) {
            true => Poll::Pending,
            false => Poll::Ready(Some(0)),
        }
    }
}

/// Number of readers. The tag of a stream says which of them reads it.
pub(super) const READERS: u64 = 4;

/// The tag of the stream, and a number. 1,000: it has ended. 1,500: nothing could wake it.
/// 2,000: it is lost at the line.
type Read = (u64, u64);

/// Reads a stream, and others for its peers.
#[derive(Actor)]
#[actor(saved)]
pub(super) struct Reader {
    number: u64,
    attached: Vec<(u64, Attached)>,
    read: Vec<Read>,
    /// The streams that it has stopped.
    stopped: Vec<u64>,
}

#[behaviours]
impl Reader {
    #[start]
    pub(super) fn new(number: u64) -> Reader {
        Reader {
            number,
            attached: Vec::new(),
            read: Vec::new(),
            stopped: Vec::new(),
        }
    }

    pub(super) fn attach(&mut self, t: &Turn<Self>, tag: u64, end: u64) {
        mid_turn();
        let attaching = t.attach(numbers(end)).in_flight(2);
        self.attached
            .push((tag, attaching.then_each(t.me().takes(tag))));
        mid_turn();
    }

    /// The handle of a stream that another actor reads.
    pub(super) fn attach_for(&mut self, t: &Turn<Self>, other: Address<Reader>, tag: u64) {
        let attached = t.attach(numbers(9)).then_each(other.takes(tag));
        mid_turn();
        self.attached.push((tag, attached));
    }

    /// A stream that nothing wakes, with one item.
    pub(super) fn attach_mute(&mut self, t: &Turn<Self>, tag: u64) {
        let attached = t.attach(Mute::default()).then_each(t.me().takes(tag));
        self.attached.push((tag, attached));
    }

    #[then]
    fn takes(&mut self, item: StreamItem<u64>, tag: u64) {
        self.read.push((
            tag,
            match item {
                StreamItem::Item(number) => number,
                StreamItem::Ended => 1_000,
                StreamItem::Failed(AskError::Broken(by)) if by.actor.contains("not saved") => 2_000,
                StreamItem::Failed(AskError::Broken(_)) => 1_500,
                StreamItem::Failed(error) => panic!("{error}"),
            },
        ));
        mid_turn();
    }

    /// Stops the newest of its streams: it seldom has ended.
    pub(super) fn cancel(&mut self) {
        mid_turn();
        if let Some((tag, attached)) = self.attached.pop() {
            drop(attached);
            self.stopped.push(tag);
        }
        mid_turn();
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Reader,)>().expect("no two names are equal"))
}

/// What a reader has.
struct Seen {
    number: u64,
    /// The tags of the streams of which it has the handle.
    attached: Vec<u64>,
    read: Vec<Read>,
    stopped: Vec<u64>,
}

fn readers(simulation: &Simulation) -> Vec<Seen> {
    let mut all = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle.state().look::<Reader, _>(|reader| {
                let attached = reader.attached.iter();
                all.push(Seen {
                    number: reader.number,
                    attached: attached.map(|it| it.0).collect(),
                    read: reader.read.clone(),
                    stopped: reader.stopped.clone(),
                });
            });
            idle.park();
        }
    }
    all
}

/// The streams of which an actor has the handle.
fn attached(simulation: &Simulation) -> Vec<u64> {
    let readers = readers(simulation).into_iter();
    readers.flat_map(|it| it.attached).collect()
}

/// The streams that their readers have stopped.
fn stopped(simulation: &Simulation) -> Vec<u64> {
    let readers = readers(simulation).into_iter();
    readers.flat_map(|it| it.stopped).collect()
}

/// Images of a program in which streams come, end, and are stopped.
fn images(seed: u64) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let system = simulation.system();
    let readers: Vec<_> = (0..READERS)
        .map(|number| Reader::spawn(system, number))
        .collect();
    simulation.run();
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    let mut tags = 0..;
    for _ in 0..200 {
        let number = dice.below(readers.len());
        let reader = &readers[number];
        let mut tag = || tags.next().unwrap_or_default() * READERS + number as u64;
        match dice.below(24) {
            0 => reader.attach(tag(), dice.below(8) as u64).send(),
            1 => {
                // The last one ends, and with it its handles.
                let owner = &readers[dice.below(readers.len() - 1)];
                owner.attach_for(reader.clone(), tag()).send();
            }
            2 => system
                .attach(numbers(5))
                .then_each(reader.takes(tag()))
                .forever(),
            3 => reader.attach_mute(tag()).send(),
            4..6 => reader.cancel().send(),
            6 if dice.below(8) == 0 => readers[readers.len() - 1].finish().send(),
            6..13 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// The image is that of the system which is restored from it. Returns the number of streams that
/// are lost.
fn check(mut image: Image, seed: u64) -> usize {
    let lost = check_reads(&image, seed);
    let (simulation, _actors) = restored(&image, seed, &kinds());
    // A restored system has no actors that poll streams.
    image
        .system
        .types
        .retain(|it| it.saved_as != SavedAs::Nothing);
    assert_is(&take_now(&simulation), &image, &format!("seed {seed}"));
    lost
}

/// What was read of each stream is a beginning of it, and then one end, unless it was stopped.
/// Returns the number of streams that are lost.
pub(super) fn check_reads(image: &Image, seed: u64) -> usize {
    let (simulation, _actors) = restored(image, seed, &kinds());
    let (attached, stopped_before_line) = (attached(&simulation), stopped(&simulation));
    simulation.run();
    let stopped = stopped(&simulation);
    let mut lost = 0;
    for reader in readers(&simulation) {
        // Also a stream of which it has read nothing has an end.
        let attached = attached.iter().copied();
        let own = attached.filter(|tag| tag % READERS == reader.number);
        let read = reader.read.iter().map(|(tag, _)| *tag);
        let mut tags: Vec<u64> = read.chain(own).collect();
        tags.sort_unstable();
        tags.dedup();
        for tag in tags {
            let read = reader.read.iter().filter(|it| it.0 == tag);
            let mut read: Vec<u64> = read.map(|it| it.1).collect();
            let last = read.pop_if(|last| *last >= 1_000);
            lost += usize::from(last == Some(2_000));
            let count = read.len() as u64;
            assert_eq!(read, (0..count).collect::<Vec<_>>(), "seed {seed}, {tag}");
            if stopped_before_line.contains(&tag) {
                assert_ne!(last, Some(2_000), "seed {seed}: {tag} was stopped");
            }
            let has_end = last.is_some() || stopped.contains(&tag);
            assert!(has_end, "seed {seed}: {tag} has no end");
        }
    }
    lost
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

fn streams_end_at_the_line() {
    let (mut checked, mut lost) = (0, 0);
    for seed in 0..SEEDS {
        for image in images(seed) {
            lost += check(image, seed);
            checked += 1;
        }
    }
    assert!(checked > SEEDS, "{checked} images");
    assert!(lost as u64 > SEEDS, "{lost} streams are lost");
}

#[test]
fn a_reader_has_what_came_before_the_line_and_hears_that_its_stream_is_lost() {
    streams_end_at_the_line();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_wrong_end_of_a_stream_is_noticed() {
    for fault in [
        InjectedFault::StreamEndForgotten,
        InjectedFault::StreamEndEarly,
        InjectedFault::StoppedStreamFails,
    ] {
        let said = caught(fault, streams_end_at_the_line);
        assert!(said.contains("seed"), "{fault:?}: {said}");
    }
}
