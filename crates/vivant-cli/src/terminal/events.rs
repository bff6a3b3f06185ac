//! The events of the loop, and the threads that wait for them.

use crate::model::keys::Key;
use crate::source::looking::{Heard, Looked};
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::sync::mpsc::Sender;
use std::thread;

/// An event for the loop.
#[derive(Debug)]
pub(super) enum Event {
    Key(Key),
    Resized,
    Looked(Box<Looked>),
    /// The snapshot thread has ended, normally or by a panic.
    LooksEnded,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
    /// Reading keys has failed for good.
    InputEnded(io::Error),
}

/// The sender of snapshots. Its drop sends [`Event::LooksEnded`], also when the snapshot thread
/// panics.
pub(super) struct LooksEnd(Sender<Event>);

impl LooksEnd {
    pub(super) fn told_to(events: Sender<Event>) -> LooksEnd {
        LooksEnd(events)
    }

    pub(super) fn looked(&self, looked: Looked) -> Heard {
        match self.0.send(Event::Looked(Box::new(looked))) {
            Ok(()) => Heard::Yes,
            Err(_) => Heard::No,
        }
    }
}

impl Drop for LooksEnd {
    fn drop(&mut self) {
        // The loop may have ended first.
        let _told = self.0.send(Event::LooksEnded);
    }
}

/// Starts the thread that waits for keys. It ends with the process: nothing can wake it.
pub(super) fn listen_to_keys(events: &Sender<Event>) -> io::Result<()> {
    let events = events.clone();
    thread::Builder::new()
        .name("keys".to_owned())
        .spawn(move || while events.send(next_event()).is_ok() {})?;
    Ok(())
}

/// Starts the thread that waits for signals. It ends with the process too.
#[cfg(unix)]
pub(super) fn listen_to_signals(events: &Sender<Event>) -> io::Result<()> {
    let events = events.clone();
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                if events.send(Event::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
    Ok(())
}

/// On other systems Ctrl-C is a key, and there are no other signals.
#[cfg(not(unix))]
pub(super) fn listen_to_signals(_events: &Sender<Event>) -> io::Result<()> {
    Ok(())
}

/// The next event that has an effect here.
fn next_event() -> Event {
    loop {
        match event::read() {
            Ok(event::Event::Resize(..)) => return Event::Resized,
            Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if let Some(key) = meaning(key) {
                    return Event::Key(key);
                }
            }
            Ok(_) => {}
            Err(error) => return Event::InputEnded(error),
        }
    }
}

fn meaning(key: KeyEvent) -> Option<Key> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return (key.code == KeyCode::Char('c')).then_some(Key::Interrupt);
    }
    Some(match key.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::First,
        KeyCode::End => Key::Last,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}
