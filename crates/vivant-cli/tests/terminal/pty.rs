//! A pseudo-terminal with a program in it, and the screen that a user would see.

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Far more than any test needs; a test that waits in vain must not hang.
const GIVE_UP_AFTER: Duration = Duration::from_secs(30);

/// A running program, its keyboard and its screen.
pub(super) struct Pty {
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<Shown>,
    master: Box<dyn MasterPty + Send>,
    /// Kept until the end: the settings of a terminal without an open handle are lost.
    slave: Box<dyn SlavePty + Send>,
    settings_before: String,
}

struct Shown {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser,
    /// The program writes nothing more.
    ended: bool,
    /// Whether the alternate screen was ever entered.
    was_alternate: bool,
}

/// The state after a program has ended.
pub(super) struct Left {
    pub(super) status: ExitStatus,
    pub(super) text: String,
    pub(super) was_alternate: bool,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn not_zero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has lines and columns")
}

impl Pty {
    /// Runs `vivant` with `args` in a terminal of 80 columns and 24 lines.
    pub(super) fn vivant(args: &[&str]) -> Pty {
        Pty::sized((80, 24), args, &[])
    }

    /// As [`Pty::vivant`] in a terminal of another size, and with environment variables.
    pub(super) fn sized(size: (u16, u16), args: &[&str], variables: &[(&str, &str)]) -> Pty {
        Pty::start(env!("CARGO_BIN_EXE_vivant").as_ref(), size, args, variables)
    }

    pub(super) fn start(
        program: &OsStr,
        (columns, rows): (u16, u16),
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Pty {
        let pair = portable_pty::native_pty_system()
            .openpty(size(columns, rows))
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        for name in ["NO_COLOR", "VIVANT_TOKEN"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        let settings_before = settings(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("it starts");
        let shown = Arc::new(Shown {
            state: Mutex::new(State {
                parser: vt100::Parser::new(not_zero(rows), not_zero(columns), 0),
                ended: false,
                was_alternate: false,
            }),
            changed: Condvar::new(),
        });
        let reader = pair.master.try_clone_reader().expect("its output");
        let screen = shown.clone();
        thread::spawn(move || screen.read(reader));
        Pty {
            keyboard: pair.master.take_writer().expect("its input"),
            child,
            shown,
            master: pair.master,
            slave: pair.slave,
            settings_before,
        }
    }

    pub(super) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it reads");
        self.keyboard.flush().expect("it reads");
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) {
        // The screen first: it must have its new size when the program redraws.
        let mut state = self.shown.state.lock().unwrap();
        let screen = state.parser.screen_mut();
        screen.set_size(not_zero(rows), not_zero(columns));
        drop(state);
        self.master.resize(size(columns, rows)).expect("a new size");
    }

    /// Sends the signal with this name.
    pub(super) fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("it runs").to_string();
        let status = std::process::Command::new("kill")
            .args(["-s", name, &id])
            .status();
        assert!(status.expect("kill runs").success());
    }

    /// Waits until `is_there` is true for the screen.
    #[track_caller]
    pub(super) fn shows(&self, what: &str, is_there: impl Fn(&vt100::Screen) -> bool) {
        let state = self.shown.state.lock().unwrap();
        let (state, waited) = self
            .shown
            .changed
            .wait_timeout_while(state, GIVE_UP_AFTER, |state| {
                !state.ended && !is_there(state.parser.screen())
            })
            .unwrap();
        let there = is_there(state.parser.screen());
        let text = text(state.parser.screen());
        // If the lock is poisoned, the reading thread panics too.
        drop(state);
        let timed_out = waited.timed_out();
        assert!(
            there,
            "no {what}, timed out: {timed_out}; there is:\n{text}"
        );
    }

    /// Waits until the screen holds `words`.
    #[track_caller]
    pub(super) fn says(&self, words: &str) {
        self.shows(words, |screen| text(screen).contains(words));
    }

    /// Waits until the screen equals `expected`.
    #[track_caller]
    pub(super) fn is(&self, expected: &str) {
        self.shows(expected, |screen| text(screen) == expected);
    }

    /// The current screen.
    pub(super) fn text(&self) -> String {
        text(self.shown.state.lock().unwrap().parser.screen())
    }

    /// Waits until the program has ended. The terminal's settings must be restored.
    #[track_caller]
    pub(super) fn ends(mut self) -> Left {
        let status = self.child.wait().expect("it ends");
        let settings = settings(&*self.master);
        drop(self.slave);
        let state = self.shown.state.lock().unwrap();
        let (state, _) = self
            .shown
            .changed
            .wait_timeout_while(state, GIVE_UP_AFTER, |state| !state.ended)
            .unwrap();
        let screen = state.parser.screen();
        let left = Left {
            status,
            text: text(screen),
            was_alternate: state.was_alternate,
        };
        let (alternate, hidden) = (screen.alternate_screen(), screen.hide_cursor());
        drop(state);
        assert!(!alternate, "the alternate screen was left");
        assert!(!hidden, "the cursor is shown");
        assert_eq!(settings, self.settings_before, "the settings are as before");
        left
    }
}

impl Shown {
    fn read(&self, mut reader: Box<dyn Read + Send>) {
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            let mut state = self.state.lock().unwrap();
            // A quick program may enter and leave the alternate screen within one chunk of output.
            for byte in &piece[..count] {
                state.parser.process(&[*byte]);
                state.was_alternate |= state.parser.screen().alternate_screen();
            }
            self.changed.notify_all();
        }
        self.state.lock().unwrap().ended = true;
        self.changed.notify_all();
    }
}

/// The terminal's own settings: echo, raw mode and the like.
fn settings(master: &dyn MasterPty) -> String {
    format!(
        "{:?}",
        master.get_termios().expect("a terminal has settings")
    )
}

fn text(screen: &vt100::Screen) -> String {
    let (_, columns) = screen.size();
    let lines: String = screen
        .rows(0, columns.get())
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    lines
}
