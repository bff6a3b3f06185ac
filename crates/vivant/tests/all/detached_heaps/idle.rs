//! An idle actor releases imports that it no longer references, and is collected when others have
//! released its exports.

use super::*;

#[test]
fn unread_versions_are_freed_in_time() {
    let (simulation, token) = (Simulation::new(6), Token::default());
    let system = simulation.system();
    let reader = Reader::spawn(system);
    let writer = Writer::spawn(system, vec![reader.clone()]);
    for _ in 0..50 {
        writer.write(10, token.clone()).send();
    }
    let idle = simulation.now();
    simulation.run();
    // The reader has run since its first idle check, is checked again and releases its imports;
    // then the writer is notified. The checked actor has lost the address of the check's message,
    // and the cycle detection examines it a second later (O10).
    assert!(
        simulation.now() - idle <= Duration::from_secs(4),
        "{simulation:?}"
    );
    assert_eq!(reader.read().ask_blocking(), Ok(10));
    assert_eq!(pages(&token), 10);
    let (reads, writes) = (heap_of(system, "Reader"), heap_of(system, "Writer"));
    assert_eq!((reads.imports, writes.exports), (1, 1));
    assert!(
        writes.marks() <= 3 && reads.marks() <= 2,
        "{writes:?} {reads:?}"
    );
    // No further check comes while nothing changes.
    simulation.run();
    let now = simulation.now();
    simulation.run();
    assert_eq!(simulation.now(), now);
    writer.forget().send();
    reader.forget().send();
    simulation.run();
    assert_eq!(pages(&token), 0);
}

#[test]
fn a_busy_owner_frees_released_exports() {
    let (simulation, token) = (Simulation::new(7), Token::default());
    let system = simulation.system();
    let writer = Writer::spawn(system, vec![]);
    let sheet = writer.write(10, token.clone()).ask_blocking().unwrap();
    writer.forget().send();
    drop(sheet);
    for _ in 0..30 {
        writer.nothing().send();
        simulation.run_for(Duration::from_millis(100));
    }
    assert_eq!(pages(&token), 0);
    let marks = heap_of(system, "Writer").marks();
    assert!(marks <= 2, "{marks}");
}

#[test]
fn an_idle_owner_is_not_marked_for_new_references() {
    let (simulation, token) = (Simulation::new(14), Token::default());
    let system = simulation.system();
    let reader = Reader::spawn(system);
    let writer = Writer::spawn(system, vec![reader.clone()]);
    let sheet = writer.write(5, token.clone()).ask_blocking().unwrap();
    simulation.run();
    let (reads, writes) = (heap_of(system, "Reader"), heap_of(system, "Writer"));
    let copies: Vec<_> = (0..5)
        .map(|_| {
            let copy = sheet.clone();
            simulation.run();
            copy
        })
        .collect();
    drop(copies);
    simulation.run();
    // No export has lost its last reference.
    assert_eq!(heap_of(system, "Writer").marks(), writes.marks());
    // The reader has an import from the writer, and other heaps have imports from the reader.
    reader.bind(token.clone()).send();
    let other = Reader::spawn(system);
    reader.pass_on(other.clone()).send();
    simulation.run();
    assert!(heap_of(system, "Reader").marks() > reads.marks());
    let reads = heap_of(system, "Reader");
    let third = Reader::spawn(system);
    for _ in 0..300 {
        other.pass_on(third.clone()).send();
    }
    simulation.run();
    assert_eq!(heap_of(system, "Reader").marks(), reads.marks());
    drop(sheet);
    for reader in [&reader, &other, &third] {
        reader.forget().send();
    }
    writer.forget().send();
    simulation.run();
    assert_eq!(pages(&token), 0);
}

#[test]
fn exports_dropped_by_readers_are_freed_within_a_second() {
    let tick = Duration::from_millis(10);
    for phase in 0..13 {
        let (simulation, token) = (Simulation::new(15), Token::default());
        let system = simulation.system();
        let readers: Vec<_> = (0..5).map(|_| Reader::spawn(system)).collect();
        let writer = Writer::spawn(system, readers.clone());
        // All of them run all the time, and begin one after the other.
        for round in 0..200 + 8 * phase {
            writer.write(3, token.clone()).send();
            for reader in readers.iter().take(round / 5) {
                reader.read().send();
            }
            simulation.run_for(tick);
        }
        let idle_checks = heap_of(system, "Reader").idle_checks;
        assert!((10..=2 + 8 * 3).contains(&idle_checks), "A4: {idle_checks}");
        writer.forget().send();
        readers.iter().for_each(|reader| reader.forget().send());
        simulation.run_for(Duration::from_millis(999));
        assert_eq!(pages(&token), 0, "A4, with phase {phase}");
        let marks = system.inspect().actors.into_iter();
        let marks: Vec<_> = marks.filter_map(|it| Some(it.heap?.marks())).collect();
        // Releases at about the same time are processed together.
        assert!(marks.iter().all(|marks| *marks <= 2), "{marks:?}");
    }
}

/// For this many milliseconds a writer runs all the time: it lends what it keeps, and gets it back
/// at once.
fn lends(simulation: &Simulation, writer: &Address<Writer>, ms: u64) {
    for _ in 0..ms / 10 {
        drop(writer.lend().ask_blocking().unwrap());
        simulation.run_for(Duration::from_millis(10));
    }
}

#[test]
fn marks_of_an_owner_that_keeps_its_exports_back_off() {
    let (simulation, token) = (Simulation::new(16), Token::default());
    let system = simulation.system();
    let writer = Writer::spawn(system, vec![]);
    drop(writer.write(40, token.clone()).ask_blocking());
    let marks = || heap_of(system, "Writer").marks();
    // The first mark comes without back-off.
    lends(&simulation, &writer, 500);
    assert!(
        (1..=2).contains(&marks()),
        "unproductive marks back off: {}",
        marks()
    );
    lends(&simulation, &writer, 99_500);
    // Five during waits of a quarter of a second, a half, one, two and four; and one in eight
    // seconds.
    assert!(
        (10..=19).contains(&marks()),
        "unproductive marks back off: {}",
        marks()
    );
    // Garbage is found within the longest wait, though its owner is never idle.
    let mut waited = 0;
    drop(writer.write(1, token.clone()).ask_blocking());
    while pages(&token) > 1 {
        lends(&simulation, &writer, 10);
        waited += 10;
    }
    assert!(waited <= 8_500, "unproductive marks back off: {waited} ms");
    // Nearly the whole heap is dead: from then on without back-off.
    drop(writer.write(2, token.clone()).ask_blocking());
    lends(&simulation, &writer, 500);
    assert_eq!(pages(&token), 2, "unproductive marks back off");
}

#[test]
fn an_idle_owner_is_marked_in_time_after_unproductive_marks() {
    let (simulation, token) = (Simulation::new(17), Token::default());
    let system = simulation.system();
    let writer = Writer::spawn(system, vec![]);
    for _ in 0..3 {
        drop(writer.write(40, token.clone()).ask_blocking());
        lends(&simulation, &writer, 30_000);
        let lent = writer.lend().ask_blocking().unwrap();
        writer.forget().send();
        drop(lent);
        simulation.run_for(Duration::from_millis(1_500));
        assert_eq!(pages(&token), 0, "unproductive marks back off");
    }
}
