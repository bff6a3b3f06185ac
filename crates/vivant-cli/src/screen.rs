//! Takes the terminal, and restores it: at the end, after an error, and when this program panics.

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};
use std::fmt;
use std::io::{self, Stdout, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// True while the terminal is taken. Relaxed everywhere: the flag orders no other data. The thread
/// that clears it restores the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);

static HOOK: Once = Once::new();

/// The alternate screen in raw mode, until it is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal. A panic on any thread restores it before the panic is printed.
    ///
    /// # Errors
    ///
    /// When standard output is not a terminal that supports this.
    pub fn enter() -> io::Result<Screen> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                give_back();
                before(info);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::Relaxed);
        let entered = execute!(stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match entered {
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Draws one frame; does nothing once a panic has restored the terminal.
    ///
    /// # Errors
    ///
    /// When the terminal is closed.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if TAKEN.load(Ordering::Relaxed) {
            self.terminal.draw(draw)?;
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Screen")
    }
}

fn give_back() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        // A closed terminal needs no restoring.
        let _cooked = disable_raw_mode();
        let _left = execute!(stdout(), LeaveAlternateScreen, Show);
    }
}
