//! `vivant top` on a terminal: events come in, the model changes, a frame goes out. Nothing here
//! polls: the loop sleeps until a key, a snapshot, a resize or a signal comes.

mod events;

use crate::model::keys::Next;
use crate::model::{Model, Pace};
use crate::screen::Screen;
use crate::source::looking::{Order, keep_looking};
use crate::source::{Origin, Trouble};
use crate::view::{self, Palette};
use events::{Event, LooksEnd};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// Why the loop ended.
#[derive(Debug)]
pub(crate) enum End {
    Quit,
    /// The signal that ended it.
    Signal(i32),
}

/// Why the loop failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Trouble(#[from] Trouble),
    #[error("the terminal cannot be used: {0}; `vivant top --once` needs none")]
    Terminal(#[from] io::Error),
    /// The snapshot thread ended; a panic has been printed.
    #[error("the thread that looks at the system has ended")]
    Blind,
}

/// Shows `origin` until the user quits.
pub(crate) fn run(origin: Origin, every: Duration, pace: Pace) -> Result<End, Failure> {
    let title = format!("{}, every {every:?}", origin.title());
    let (tell, events) = channel();
    let (order, orders) = channel();
    let looks = tell.clone();
    thread::Builder::new()
        .name("looks".to_owned())
        .spawn(move || {
            let end = LooksEnd::told_to(looks);
            keep_looking(origin, every, pace, &orders, |looked| end.looked(looked));
        })?;
    let mut model = Model::new(title, pace);
    // The first snapshot comes before the terminal is taken: its failure is reported to the shell.
    match events.recv() {
        Ok(Event::Looked(looked)) => model.looked((*looked)?),
        _ => return Err(Failure::Blind),
    }
    // Before the terminal is taken: a signal must not leave it taken.
    events::listen_to_signals(&tell)?;
    let mut screen = Screen::enter()?;
    events::listen_to_keys(&tell)?;
    show(&mut screen, &mut model, &events, &order)
}

fn show(
    screen: &mut Screen,
    model: &mut Model,
    events: &Receiver<Event>,
    order: &Sender<Order>,
) -> Result<End, Failure> {
    let palette = Palette::of_environment();
    loop {
        screen.draw(|frame| view::draw(frame, model, palette))?;
        let Ok(first) = events.recv() else {
            return Err(Failure::Blind);
        };
        // One frame for all events that have come meanwhile.
        for event in std::iter::once(first).chain(events.try_iter()) {
            let next = match event {
                Event::Key(key) => model.press(key),
                Event::Resized => Next::Draw,
                Event::Looked(looked) => {
                    match *looked {
                        Ok(snapshot) => model.looked(snapshot),
                        Err(trouble) => model.lost(trouble.to_string()),
                    }
                    Next::Draw
                }
                Event::Signal(signal) => return Ok(End::Signal(signal)),
                Event::LooksEnded => return Err(Failure::Blind),
                Event::InputEnded(error) => return Err(Failure::Terminal(error)),
            };
            // The snapshot thread may have ended; then its end is the next event.
            match next {
                Next::Draw => {}
                Next::Look => drop(order.send(Order::Look)),
                Next::Keep(pace) => drop(order.send(Order::Keep(pace))),
                Next::Quit => return Ok(End::Quit),
            }
        }
    }
}
