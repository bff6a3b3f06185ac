//! For every number of steps: a program runs until then, is saved, and goes on in another process,
//! which has seen nothing of the program before, as a program without a pause. So does the first
//! system.

use super::inn::{Notes, begin, builder, end, step};
use std::io::{Write, stdout};
use std::process::{Child, Command, Stdio};
use vivant::journal::{Catalog, DirectoryStore, Journal, Retention, Settings};
use vivant::simulation::{Faults, Simulation};

const STORE: &str = "VIVANT_RESTORED_STORE";
const NUMBER: &str = "VIVANT_RESTORED_NUMBER";

/// What begins the line of the process that restores an image.
const ENDED: &str = "the restored inn has ended: ";

fn as_text((notes, left): &(Notes, Vec<String>)) -> String {
    format!("{notes:?}, {left:?}")
}

/// Restores an image for the test below, which runs this one in processes of their own.
#[test]
fn inn_for_another_process() {
    let (Ok(store), Ok(number)) = (std::env::var(STORE), std::env::var(NUMBER)) else {
        return;
    };
    let number = number.parse().expect("the number of an image");
    let image = Catalog::new(DirectoryStore::new(store)).image(number);
    let image = image.expect("it is intact");
    let restored = Simulation::restore(number, Faults::none(), builder(), &image);
    let (simulation, actors, _report) = restored.expect("the program is the same");
    drop(actors);
    let text = as_text(&end(&simulation));
    writeln!(stdout(), "\n{ENDED}{text}").expect("another process reads it");
}

fn restore_elsewhere(store: &std::path::Path, number: u64) -> Child {
    Command::new(std::env::current_exe().expect("it runs"))
        .args([
            "restored::elsewhere::inn_for_another_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(STORE, store)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process begins")
}

/// How a process says that its inn has ended.
fn end_of(process: Child) -> String {
    let output = process.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let ended = text.lines().find_map(|line| line.strip_prefix(ENDED));
    let said = String::from_utf8_lossy(&output.stderr);
    ended
        .unwrap_or_else(|| panic!("no end in\n{text}\n{said}"))
        .to_owned()
}

#[test]
fn a_program_goes_on_in_another_process_at_every_step() {
    let expected = as_text(&end(&begin()));
    assert!(expected.contains("660: ["), "{expected}");
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::default().retention(Retention::All);
    let journal = Journal::open(DirectoryStore::new(folder.path()), settings);
    let journal = journal.expect("no other journal is open");
    let mut numbers = Vec::new();
    for steps in 0.. {
        let simulation = begin();
        let is_over = !step(&simulation, steps);
        let report = simulation.system().snapshot(&journal);
        let number = report.expect("all of it is saved").number;
        assert_eq!(
            as_text(&end(&simulation)),
            expected,
            "the first system goes on otherwise after {steps} steps"
        );
        numbers.push((steps, number));
        if is_over {
            break;
        }
    }
    assert!(numbers.len() > 100, "{} steps are too few", numbers.len());
    for some in numbers.chunks(8) {
        let begin = |(steps, number): &(usize, u64)| {
            let process = restore_elsewhere(folder.path(), *number);
            (*steps, process)
        };
        let processes: Vec<_> = some.iter().map(begin).collect();
        for (steps, process) in processes {
            assert_eq!(end_of(process), expected, "after {steps} steps");
        }
    }
}
