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

/// The tag of the stream, and a number. 1,000: it has ended. 2,000: it is lost.
type Read = (u64, u64);

/// Reads a stream, and others for its peers.
#[derive(Actor)]
#[actor(saved)]
struct Reader {
    attached: Vec<(u64, Attached)>,
    read: Vec<Read>,
    /// The streams that it has stopped.
    stopped: Vec<u64>,
}

#[behaviours]
impl Reader {
    #[start]
    fn new() -> Reader {
        Reader {
            attached: Vec::new(),
            read: Vec::new(),
            stopped: Vec::new(),
        }
    }

    fn attach(&mut self, t: &Turn<Self>, tag: u64, end: u64) {
        mid_turn();
        let attaching = t.attach(numbers(end)).in_flight(2);
        self.attached
            .push((tag, attaching.then_each(t.me().takes(tag))));
        mid_turn();
    }

    /// The handle of a stream that another actor reads.
    fn attach_for(&mut self, t: &Turn<Self>, other: Address<Reader>, tag: u64) {
        let attached = t.attach(numbers(9)).then_each(other.takes(tag));
        mid_turn();
        self.attached.push((tag, attached));
    }

    #[then]
    fn takes(&mut self, item: StreamItem<u64>, tag: u64) {
        self.read.push((
            tag,
            match item {
                StreamItem::Item(number) => number,
                StreamItem::Ended => 1_000,
                StreamItem::Failed(AskError::Broken(_)) => 2_000,
                StreamItem::Failed(error) => panic!("{error}"),
            },
        ));
        mid_turn();
    }

    /// Stops the oldest of its streams.
    fn cancel(&mut self) {
        mid_turn();
        if !self.attached.is_empty() {
            let (tag, attached) = self.attached.remove(0);
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

fn readers(simulation: &Simulation) -> Vec<Reader> {
    let mut all = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle.state().look::<Reader, _>(|reader| {
                all.push(Reader {
                    attached: Vec::new(),
                    read: reader.read.clone(),
                    stopped: reader.stopped.clone(),
                });
            });
            idle.park();
        }
    }
    all
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
    let readers: Vec<_> = (0..4).map(|_| Reader::spawn(system)).collect();
    simulation.run();
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    let mut tags = 0..;
    for _ in 0..200 {
        let reader = &readers[dice.below(readers.len())];
        let mut tag = || tags.next().unwrap_or_default();
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
            3..5 => reader.cancel().send(),
            5 if dice.below(8) == 0 => readers[readers.len() - 1].finish().send(),
            5..12 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// What was read of each stream is a beginning of it, and then one end, unless it was stopped.
/// Returns the number of streams that are lost.
fn check(mut image: Image, seed: u64) -> usize {
    let (simulation, _actors) = restored(&image, seed, &kinds());
    // A restored system has no actors that poll streams.
    image
        .system
        .types
        .retain(|it| it.saved_as != SavedAs::Nothing);
    assert_is(&take_now(&simulation), &image, &format!("seed {seed}"));
    let stopped_before_line = stopped(&simulation);
    simulation.run();
    let stopped = stopped(&simulation);
    let mut lost = 0;
    for reader in readers(&simulation) {
        let mut tags: Vec<u64> = reader.read.iter().map(|(tag, _)| *tag).collect();
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
