//! Files with changed bytes: an error or something printed, in bounded time and memory, and never a
//! panic.

use crate::store::MemoryStore;
use crate::{program, zoo};
use vivant_cli::snapshot::{
    Cut, ListForm, ObjectName, Problem, Selection, ShowForm, SnapshotFile, Verdict, diff, export,
    list, show, show_heap, show_object, verify,
};

/// Numbers from a seed: SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// Runs every command. Returns whether all of them found nothing wrong, and the bytes printed.
fn run_all(store: &MemoryStore, number: u64, whole: &SnapshotFile) -> (Verdict, usize) {
    let catalog = store.catalog();
    let mut out = Vec::new();
    let all = Selection::default();
    let run = |out: &mut Vec<u8>| -> Result<Verdict, Problem> {
        let listed = list(&catalog, ListForm::Text, out)?;
        list(&catalog, ListForm::Json, out)?;
        let verified = verify(&catalog, number, out)?;
        let file = SnapshotFile::open(&catalog, number)?;
        let exported = export(&file, out)?;
        show(&file, &all, ShowForm::Text(Cut::Short), out)?;
        show(&file, &all, ShowForm::Text(Cut::Full), out)?;
        show(&file, &all, ShowForm::Json, out)?;
        diff(whole, &file, Cut::Full, out)?;
        let good = [listed, verified, exported] == [Verdict::Good; 3];
        Ok(if good { Verdict::Good } else { Verdict::Bad })
    };
    let verdict = run(&mut out).unwrap_or_else(|problem| {
        assert!(problem.to_string().contains([';', '?']), "{problem}");
        Verdict::Bad
    });
    (verdict, out.len())
}

fn bank() -> (MemoryStore, SnapshotFile) {
    let store = MemoryStore::default();
    program::snapshots(&store.journal());
    let whole = SnapshotFile::open(&store.catalog(), 1).expect("it is intact");
    (store, whole)
}

/// Every length of each file, and flipped bits all over it.
#[test]
fn changed_files_are_found() {
    let (store, whole) = bank();
    store.files().retain(|name, _| name.contains("01"));
    let files = store.files().clone();
    assert_eq!(files.len(), 2, "a manifest and a segment");
    let mut dice = Dice(1);
    for (name, bytes) in &files {
        for at in 0..bytes.len() {
            let mut changed = files.clone();
            let file = changed.get_mut(name).expect("it is there");
            match at % 2 {
                0 => file.truncate(at),
                _ => file[at] ^= 1 << dice.below(8),
            }
            let (verdict, _) = run_all(&MemoryStore::of(changed), 1, &whole);
            assert_eq!(verdict, Verdict::Bad, "{name}, byte {at}");
        }
    }
    let (verdict, _) = run_all(&MemoryStore::of(files), 1, &whole);
    assert_eq!(verdict, Verdict::Good);
}

/// The same of an image of a heap.
#[test]
fn changed_files_of_heaps_are_found() {
    let store = MemoryStore::default();
    zoo::snapshots(&store.journal());
    store.files().retain(|name, _| name.contains("01"));
    let files = store.files().clone();
    let names = names(&store, 1);
    let mut dice = Dice(3);
    for (name, bytes) in &files {
        for _ in 0..200 {
            let at = dice.below(bytes.len());
            let mut changed = files.clone();
            let file = changed.get_mut(name).expect("it is there");
            file[at] ^= 1 << dice.below(8);
            let (verdict, _) = run_heaps(&MemoryStore::of(changed), 1, &names);
            assert_eq!(verdict, Verdict::Bad, "{name}, byte {at}");
        }
    }
    let (verdict, _) = run_heaps(&store, 1, &names);
    assert_eq!(verdict, Verdict::Good);
}

/// The names of all objects of the small zoo.
fn names(store: &MemoryStore, number: u64) -> Vec<ObjectName> {
    let file = SnapshotFile::open(&store.catalog(), number).expect("it is intact");
    let has = |name: &ObjectName| {
        let form = ShowForm::Text(Cut::Short);
        show_object(&file, "/0", *name, form, &mut Vec::new()).is_ok()
    };
    let names = (0..16 << 11).map(ObjectName::new).filter(has);
    names.take(14).collect()
}

/// Runs the commands of heaps. Returns whether all of them found nothing wrong, and the bytes
/// printed.
fn run_heaps(store: &MemoryStore, number: u64, names: &[ObjectName]) -> (Verdict, usize) {
    let mut out = Vec::new();
    let run = |out: &mut Vec<u8>| -> Result<Verdict, Problem> {
        let file = SnapshotFile::open(&store.catalog(), number)?;
        let all = Selection::default();
        let mut verdict = show(&file, &all, ShowForm::Text(Cut::Short), out)?;
        for form in [ShowForm::Text(Cut::Full), ShowForm::Json] {
            verdict = verdict.and(show_heap(&file, "/0", form, out)?);
            for name in names {
                verdict = verdict.and(show_object(&file, "/0", *name, form, out)?);
            }
        }
        Ok(verdict)
    };
    let verdict = run(&mut out).unwrap_or_else(|problem| {
        assert!(problem.to_string().contains([';', '?']), "{problem}");
        Verdict::Bad
    });
    (verdict, out.len())
}

/// Images of heaps with changed bytes in their records, behind checksums that are right.
#[test]
fn changed_heaps_are_bounded() {
    let store = MemoryStore::default();
    zoo::snapshots(&store.journal());
    let names = names(&store, 1);
    let (metadata, records) = store.records(1);
    let mut dice = Dice(4);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..1_500 {
        let records = records.iter().map(|it| (it.id, it.kind, it.value.clone()));
        let mut records: Vec<_> = records.collect();
        let of_heaps = |it: &&mut (u64, u16, Vec<u8>)| matches!(it.1, 3 | 9 | 10);
        let mut heaps: Vec<_> = records.iter_mut().filter(of_heaps).collect();
        for _ in 0..=dice.below(3) {
            let at = dice.below(heaps.len());
            let value = &mut heaps[at].2;
            let byte = dice.below(value.len());
            match dice.below(4) {
                0 => value.truncate(byte.max(1)),
                1 => value.insert(byte, 0xff),
                2 => value[byte] = [0, 1, 0x7f, 0xff][dice.below(4)],
                _ => value[byte] ^= 1 << dice.below(8),
            }
        }
        let store = MemoryStore::default();
        let number = store.write(&metadata, &records);
        let (verdict, bytes) = run_heaps(&store, number, &names);
        assert!(bytes < 16 << 20, "{bytes} bytes printed");
        match verdict {
            Verdict::Good => good += 1,
            Verdict::Bad => bad += 1,
        }
    }
    assert!(bad > 500 && good > 50, "{bad} bad, {good} good");
}

/// Records with changed bytes, behind checksums that are right.
#[test]
fn changed_records_are_bounded() {
    let (store, whole) = bank();
    let (metadata, records) = store.records(1);
    let records: Vec<_> = records
        .into_iter()
        .map(|it| (it.id, it.kind, it.value))
        .collect();
    let mut dice = Dice(2);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..1_500 {
        let mut metadata = metadata.clone();
        let mut changed = records.clone();
        for _ in 0..=dice.below(3) {
            let at = dice.below(changed.len() + 1);
            let value = match changed.get_mut(at) {
                Some((_, _, value)) => value,
                None => &mut metadata,
            };
            let byte = dice.below(value.len());
            match dice.below(4) {
                0 => value.truncate(byte),
                1 => value.insert(byte, 0xff),
                2 => value[byte] = [0, 1, 0x7f, 0xff][dice.below(4)],
                _ => value[byte] ^= 1 << dice.below(8),
            }
            if value.is_empty() {
                value.push(0);
            }
        }
        let store = MemoryStore::default();
        let number = store.write(&metadata, &changed);
        let (verdict, bytes) = run_all(&store, number, &whole);
        assert!(bytes < 16 << 20, "{bytes} bytes printed");
        match verdict {
            Verdict::Good => good += 1,
            Verdict::Bad => bad += 1,
        }
    }
    assert!(bad > 500 && good > 50, "{bad} bad, {good} good");
}
