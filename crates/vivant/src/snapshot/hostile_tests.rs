//! Images of which the checksums are right and the records are not: an error, or another program,
//! and never a panic.

use super::file::{read, record_kinds};
use super::memory_store::MemoryStore;
use super::message_record::{MessageRecord, WaitingKind};
use super::{NotRead, NotRestored, RestoreError, RestoredActors};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use vivant_journal::{Image, Record};

#[derive(Actor)]
#[actor(saved, id = "tree::Node")]
struct Node {
    children: Vec<Address<Node>>,
    words: Vec<(u8, String)>,
}

#[behaviours(id = "tree::Node")]
impl Node {
    #[start]
    fn new() -> Node {
        Node {
            children: Vec::new(),
            words: Vec::new(),
        }
    }

    fn grow(&mut self, t: &Turn<Self>, depth: u8) {
        let child = Node::spawn(t);
        if depth > 0 {
            t.send(child.grow(depth - 1));
        }
        t.send(child.hears(depth, "wind".to_owned()));
        self.children.push(child);
    }

    fn hears(&mut self, depth: u8, word: String) {
        self.words.push((depth, word));
    }
}

#[derive(Actor)]
#[actor(saved, id = "tree::Leaf")]
struct Leaf;

#[behaviours(id = "tree::Leaf")]
impl Leaf {
    #[start]
    fn new() -> Leaf {
        Leaf
    }

    fn falls(&mut self) {}
}

fn builder() -> crate::SystemBuilder {
    System::builder().saved::<(Node, Leaf)>()
}

/// The metadata and the records of a tree with waiting messages.
fn tree() -> (Vec<u8>, Vec<Record>) {
    let simulation = Simulation::with(3, Faults::none(), builder());
    let (root, leaf) = (
        Node::spawn(simulation.system()),
        Leaf::spawn(simulation.system()),
    );
    root.grow(3).send();
    (0..4).for_each(|_| assert!(simulation.step()));
    leaf.falls().send();
    root.hears(9, "rain".to_owned()).send();
    let journal = MemoryStore::default().journal();
    let report = simulation
        .system()
        .snapshot(&journal)
        .expect("all is saved");
    let image = journal.catalog().image(report.number).expect("it exists");
    let records = image.reader().values().map(|it| it.expect("it is intact"));
    (image.metadata().to_vec(), records.collect())
}

/// An image with these records, whatever they are.
fn image_of(metadata: &[u8], records: &[Record]) -> Image {
    let journal = MemoryStore::default().journal();
    let writer = journal.begin().expect("memory does not fail");
    let mut segment = writer.segment().expect("memory does not fail");
    for record in records {
        let appended = segment.append(record.id, record.kind, &record.value);
        appended.expect("memory does not fail");
    }
    segment.finish().expect("memory does not fail");
    let published = writer.publish(metadata).expect("memory does not fail");
    let image = journal.catalog().image(published.summary.number);
    image.expect("it exists")
}

fn restored(image: &Image) -> Result<(Simulation, RestoredActors), RestoreError> {
    let restored = Simulation::restore(1, Faults::none(), builder(), image);
    restored.map(|(simulation, actors, _)| (simulation, actors))
}

/// Any byte of any record is another one, or is missing.
#[test]
fn a_record_of_other_bytes_is_no_panic() {
    let (metadata, records) = tree();
    assert!(restored(&image_of(&metadata, &records)).is_ok());
    let mut dice = Dice::new(1);
    let (mut errors, mut restores) = (0, 0);
    for _ in 0..if cfg!(miri) { 10 } else { 1_500 } {
        let mut changed = records.clone();
        let at = dice.below(changed.len());
        let value = &mut changed[at].value;
        let byte = dice.below(value.len());
        match dice.below(4) {
            0 => value.truncate(byte),
            1 => value[byte] = [0, 1, 0x7f, 0xff][dice.below(4)],
            _ => value[byte] ^= 1 << dice.below(8),
        }
        match restored(&image_of(&metadata, &changed)) {
            Ok((simulation, actors)) => {
                restores += 1;
                drop(actors);
                simulation.run();
            }
            Err(error) => {
                errors += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(
        errors > restores / 4,
        "{errors} errors, {restores} restores"
    );
}

#[test]
fn other_metadata_are_no_panic() {
    let (metadata, records) = tree();
    for byte in 0..metadata.len() {
        let _error = restored(&image_of(&metadata[..byte], &records)).err();
    }
    let mut newer = metadata;
    newer[0] = 3;
    let error = restored(&image_of(&newer, &records)).err();
    let error = error.expect("there is no such version");
    let is_newer =
        |error: &RestoreError| matches!(error, RestoreError::NotRead(NotRead::OtherVersion(3)));
    assert!(is_newer(&error), "{error}");
}

/// Records that are missing, twice, or of a kind that there is not.
#[test]
fn other_records_are_an_error() {
    let (metadata, records) = tree();
    let [system, shapes, actor, _, _, shared, kinds, ..] = record_kinds();
    let at = |kind: u16| records.iter().position(|it| it.kind == kind);
    for kind in [system, shapes, shared, kinds] {
        let mut without = records.clone();
        let mut record = without.remove(at(kind).expect("there is one"));
        let error = restored(&image_of(&metadata, &without)).err();
        assert!(matches!(
            error,
            Some(RestoreError::NotRead(NotRead::NotOnce(_)))
        ));
        let mut twice = records.clone();
        record.id = 1_000;
        twice.push(record);
        let error = restored(&image_of(&metadata, &twice)).err();
        assert!(matches!(
            error,
            Some(RestoreError::NotRead(NotRead::NotOnce(_)))
        ));
    }
    let mut twice = records.clone();
    let mut record = records[at(actor).expect("there is one")].clone();
    record.id = 1_000;
    twice.push(record);
    let error = restored(&image_of(&metadata, &twice)).err();
    assert!(matches!(
        error,
        Some(RestoreError::NotRestored(NotRestored::Twice(_)))
    ));
    let mut unknown = records.clone();
    unknown[0].kind = 77;
    let error = restored(&image_of(&metadata, &unknown)).err();
    assert!(matches!(
        error,
        Some(RestoreError::NotRead(NotRead::NoKind { kind: 77, .. }))
    ));
}

/// A message for an actor of another type is refused before it is posted.
#[test]
fn a_message_of_another_actor_is_an_error() {
    let (metadata, records) = tree();
    let (_, mut content) = read(&image_of(&metadata, &records)).expect("it is whole");
    let leaf = content.actors.iter().find(|it| it.class == "tree::Leaf");
    let leaf = leaf.expect("there is one").id;
    let is_hears = |it: &MessageRecord| match content.kind(it) {
        WaitingKind::Message(kind) => kind.name == "tree::Node::hears",
        WaitingKind::Arrival(_) => false,
    };
    let at = content.waiting.iter().position(is_hears);
    content.waiting[at.expect("one waits")].actor = leaf;
    let simulation = Simulation::with(1, Faults::none(), builder());
    let kinds = super::SavedProgram::of(simulation.system().shared()).expect("it was set");
    let error = super::restore::restore(simulation.system().shared(), &content, &kinds).err();
    assert!(
        matches!(error, Some(NotRestored::NoKind { .. })),
        "{error:?}"
    );
}
