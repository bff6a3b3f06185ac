//! Start and end of the console, of its system, and of its token's file.

use super::*;
use std::fs;
use std::sync::mpsc;

#[test]
fn a_system_that_was_shut_down_shows_no_actors() {
    let system = System::new();
    let counter = system.spawn(Counter { count: 0 });
    let console = console(&system, patient());
    let mut guest = Visitor::guest(&console);
    assert_eq!(guest.facts().actors.len(), 1);
    assert!(system.shutdown().is_complete());
    counter.add().send();
    let snapshot = guest.facts();
    assert_eq!(snapshot.actors.len(), 0);
    assert_eq!(snapshot.totals.dead_letters, 1);
}

#[test]
fn the_end_of_the_console_ends_conversations() {
    let console = console(&System::new(), patient());
    let address = console.address();
    let mut guest = Visitor::guest(&console);
    let mut stranger = Visitor::to(&console);
    drop(console);
    assert_eq!(guest.hears(), None);
    assert_eq!(stranger.hears(), None);
    assert!(TcpStream::connect(address).is_err(), "nobody listens");
}

/// Its drop shows that its actor has ended.
#[derive(Actor)]
struct Witness {
    _ends: mpsc::Sender<()>,
}

#[behaviours]
impl Witness {}

#[test]
fn the_system_goes_with_its_last_handle_and_the_console_holds_one() {
    let system = System::new();
    let (ends, ended) = mpsc::channel();
    let witness = system.spawn(Witness { _ends: ends });
    system.keep(&witness);
    drop(witness);
    let console = console(&system, patient());
    let mut guest = Visitor::guest(&console);
    drop(system);
    assert_eq!(guest.facts().actors.len(), 1);
    assert_eq!(ended.try_recv(), Err(mpsc::TryRecvError::Empty));
    drop(console);
    assert_eq!(ended.recv(), Err(mpsc::RecvError), "its state was dropped");
}

#[test]
fn the_token_lies_in_its_file_while_the_console_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, "an older one").unwrap();
    let console = Console::builder(&System::new())
        .token_file(&path)
        .start()
        .unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written.trim_end(), console.token().as_str());
    let hint = console.hint();
    assert!(hint.contains(&path.display().to_string()), "{hint}");
    assert!(!hint.contains(console.token().as_str()), "{hint}");
    drop(console);
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn only_this_user_can_read_the_file_and_a_link_is_not_followed() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (target, path) = (folder.path().join("target"), folder.path().join("token"));
    fs::write(&target, "somebody else's").unwrap();
    symlink(&target, &path).unwrap();
    let _console = Console::builder(&System::new())
        .token_file(&path)
        .start()
        .unwrap();
    assert_eq!(fs::symlink_metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&target).unwrap(), "somebody else's");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no such folder").join("token");
    let error = Console::builder(&System::new())
        .token_file(&path)
        .start()
        .unwrap_err();
    assert!(error.to_string().contains("no such folder"), "{error}");
}

#[test]
fn without_a_file_the_hint_brings_the_token() {
    let console = crate::serve(&System::new()).unwrap();
    let hint = console.hint();
    assert!(hint.contains(console.token().as_str()), "{hint}");
    assert!(hint.contains(&console.address().to_string()), "{hint}");
}
