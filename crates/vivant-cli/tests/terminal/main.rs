//! `vivant top` in a pseudo-terminal, driven by keys. The demo under a seed shows the same screens
//! every time; they are in `screens/`.
//!
//! `INSTA_UPDATE=always cargo test -p vivant-cli` rewrites them, which is necessary after a change
//! of the scheduler's choices under a seed. They are compared here, not by `insta`, which compares
//! once: a screen may be half of a frame, so the test waits until it equals the file.
#![cfg(unix)]

mod pty;

use pty::Pty;
use std::fs;
use std::path::{Path, PathBuf};
use vivant::System;
use vivant_cli::screen::Screen;
use vivant_console::{Console, Token};

const SEEDED: &[&str] = &["top", "--demo", "--seed", "7", "--paused"];

/// Presses `keys` and waits for the screen in the file. `title` is a part of it that the previous
/// screen did not have.
#[track_caller]
fn press(pty: &mut Pty, keys: &str, title: &str, name: &str) {
    pty.types(keys);
    pty.says(title);
    let path = screens().join(format!("{name}.txt"));
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        // The screen may be half of a frame.
        std::thread::sleep(std::time::Duration::from_millis(500));
        fs::write(&path, pty.text()).unwrap();
    }
    pty.is(&fs::read_to_string(&path).unwrap());
}

fn screens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/screens")
}

#[test]
fn the_demo_under_a_seed_key_by_key() {
    let mut pty = Pty::vivant(SEEDED);
    pty.says("[Home]");
    press(&mut pty, "", "PAUSED at 2.", "home");
    press(&mut pty, "nnnn", "PAUSED at 6.", "home_later");
    press(&mut pty, "\t", "[Actors]", "actors");
    press(&mut pty, "ss", "by oldest", "actors_by_age");
    press(&mut pty, "/waiter", "filter: waiter_", "filter_typed");
    press(&mut pty, "\r", "filter: waiter ", "filter_kept");
    press(&mut pty, "jj\r", "alive because", "detail");
    press(&mut pty, "\x1b", "filter: waiter ", "detail_left");
    press(&mut pty, "\x1b", "actors 31", "filter_cleared");
    press(&mut pty, "3", "[Heaps]", "heaps");
    press(&mut pty, "\r", "exports", "detail_heap");
    press(&mut pty, "\x1b", "of all actors", "heaps");
    press(&mut pty, "4", "[Waits]", "waits");
    press(&mut pty, "/host", "filter: host_", "waits_filter_typed");
    press(&mut pty, "\rj", "filter: host ", "waits_filtered");
    press(&mut pty, "\x1b", "3 listed", "waits_left");
    press(&mut pty, "2", "[Actors]", "actors_again");
    press(&mut pty, "?", "the next page, the one before", "help");
    press(&mut pty, "?5", "[Reports]", "reports");
    pty.types("q");
    let left = pty.ends();
    assert!(left.status.success());
    assert!(left.was_alternate, "it had the terminal");
}

#[test]
fn ctrl_c_quits_wherever_it_is_typed() {
    let mut pty = Pty::vivant(SEEDED);
    pty.says("[Home]");
    pty.types("/");
    pty.says("type to filter");
    pty.types("\x03");
    assert!(pty.ends().status.success());
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_given_back() {
    for (name, words) in [
        ("TERM", "Terminated"),
        ("HUP", "Hangup"),
        ("INT", "Interrupt"),
    ] {
        let pty = Pty::vivant(SEEDED);
        pty.says("[Home]");
        pty.signal(name);
        let left = pty.ends();
        assert!(left.was_alternate);
        let signal = left.status.signal().expect("ended by the signal itself");
        assert!(signal.contains(words), "{signal}");
    }
}

/// Both sides of one test: the parent runs this test again within a terminal, where it panics.
#[test]
fn a_panic_gives_the_terminal_back() {
    const CHILD: &str = "VIVANT_TEST_PANICS";
    if std::env::var_os(CHILD).is_some() {
        let mut screen = Screen::enter().unwrap();
        screen
            .draw(|frame| frame.render_widget("taken", frame.area()))
            .unwrap();
        // Not the thread that draws: only the panic hook can restore the terminal.
        let panicking = std::thread::spawn(|| panic!("as planned"));
        let _panicked = panicking.join();
        screen
            .draw(|frame| frame.render_widget("drawn too late", frame.area()))
            .unwrap();
        // Skips the drop of the screen, which would restore the terminal too.
        std::process::exit(7);
    }
    let program = std::env::current_exe().unwrap();
    let args = ["a_panic_gives_the_terminal_back", "--exact", "--nocapture"];
    let pty = Pty::start(program.as_ref(), (80, 24), &args, &[(CHILD, "1")]);
    let left = pty.ends();
    assert!(left.was_alternate);
    assert_eq!(left.status.exit_code(), 7);
    assert!(left.text.contains("as planned"), "{}", left.text);
    assert!(!left.text.contains("drawn too late"), "{}", left.text);
}

#[test]
fn a_small_terminal_is_told_so_and_may_grow() {
    let mut pty = Pty::sized((60, 12), SEEDED, &[]);
    pty.says("60x12, and 80x24");
    pty.resize(100, 30);
    pty.says("[Home]");
    pty.types("q");
    assert!(pty.ends().status.success());
}

#[test]
fn no_color_is_honoured() {
    let is_coloured = |screen: &vt100::Screen| {
        let (rows, columns) = screen.size();
        (0..rows.get()).any(|row| {
            (0..columns.get()).any(|column| {
                let cell = screen.cell(row, column).expect("within the screen");
                cell.fgcolor() != vt100::Color::Default
            })
        })
    };
    let mut coloured = Pty::vivant(SEEDED);
    coloured.shows("colour", is_coloured);
    coloured.types("q");
    coloured.ends();
    let mut plain = Pty::sized((80, 24), SEEDED, &[("NO_COLOR", "1")]);
    plain.says("[Home]");
    plain.shows("plain page", |screen| !is_coloured(screen));
    plain.types("q");
    plain.ends();
}

#[test]
fn a_program_is_shown_lost_and_found() {
    let system = System::new();
    let token = || Token::new("a-token-for-tests").unwrap();
    let start = |port| Console::builder(&system).port(port).token(token()).start();
    let console = start(0).unwrap();
    let address = console.address();
    let args = ["top", "--connect", &address.to_string(), "--every", "50ms"];
    let variables = [("VIVANT_TOKEN", "a-token-for-tests")];
    let mut pty = Pty::sized((80, 24), &args, &variables);
    pty.says(&address.to_string());
    pty.says("turns/s 0");
    drop(console);
    pty.says("LOST, trying again");
    pty.says("is the program running");
    // The ends of the old connections may hold the port for a while; then there is nothing to be
    // found.
    if let Ok(_console) = start(address.port()) {
        pty.shows("found", |screen| !screen.contents().contains("LOST"));
        pty.says("turns/s 0");
    }
    pty.types("q");
    assert!(pty.ends().status.success());
}

#[test]
fn what_fails_at_once_is_said_on_the_shell() {
    let console = vivant_console::serve(&System::new()).unwrap();
    let address = console.address().to_string();
    let pty = Pty::vivant(&["top", "--connect", &address, "--token", "wrong"]);
    let left = pty.ends();
    assert_eq!(left.status.exit_code(), 1);
    assert!(
        left.text.contains("did not accept the token"),
        "{}",
        left.text
    );
    assert!(!left.was_alternate, "the terminal was never taken");
}
