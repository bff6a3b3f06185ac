//! Streams on threads, while one cut is taken after the other: they come, end, are stopped by their
//! readers and by others, and some end because nothing can wake them.

use super::streams_tests::{READERS, Reader, check_reads};
use super::taking::take_beside_threads;
use crate::cut::Over;
use crate::prelude::*;
use crate::sync::{AtomicBool, Ordering};
use crate::system::System;
use std::thread;

/// Number of systems: the readers of one keep all that they have read.
const ROUNDS: usize = if cfg!(miri) { 1 } else { 15 };
/// Number of cuts of one system.
const CUTS: usize = if cfg!(miri) { 1 } else { 4 };

/// Has the readers attach streams and stop them.
fn attach_and_cancel(readers: &[Address<Reader>], is_over: &AtomicBool) {
    for tag in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let reader = &readers[(tag % READERS) as usize];
        let other = &readers[((tag + 1) % READERS) as usize];
        match tag % 7 {
            0 | 1 => reader.attach(tag, tag % 8).send(),
            2 | 3 => other.attach_for(reader.clone(), tag).send(),
            4 => reader.attach_mute(tag).send(),
            5 => reader.cancel().send(),
            // The mailboxes stay short.
            _ => assert_eq!(other.cancel().ask_blocking(), Ok(())),
        }
    }
}

/// Returns the number of lost streams in each consistent cut.
fn cuts_of_round(workers: usize) -> Vec<usize> {
    let builder = System::builder().workers(workers);
    let system = builder.saved::<(Reader,)>().build();
    let readers = (0..READERS).map(|number| Reader::spawn(&system, number));
    let readers: Vec<_> = readers.collect();
    let is_over = AtomicBool::new(false);
    let images: Vec<_> = thread::scope(|scope| {
        let _streams = scope.spawn(|| attach_and_cancel(&readers, &is_over));
        let _over = Over(&is_over);
        let images = (0..CUTS).filter_map(|_| take_beside_threads(&system));
        images.collect()
    });
    let _report = system.shutdown();
    images.iter().map(|image| check_reads(image, 1)).collect()
}

fn streams_on(workers: usize) {
    let rounds = (0..ROUNDS).flat_map(|_| cuts_of_round(workers));
    let lost: Vec<usize> = rounds.collect();
    assert!(!lost.is_empty(), "all cuts were void");
    assert!(lost.iter().sum::<usize>() > 0, "no stream was lost");
}

#[test]
fn streams_on_two_threads_end_at_the_line() {
    streams_on(2);
}

#[test]
fn streams_on_four_threads_end_at_the_line() {
    streams_on(4);
}
