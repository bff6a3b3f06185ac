//! Heaps, bounds, pauses, waits and requests of a running system, as a client sees them.

use super::shop::{Clerk, Desk, Hatch, Shelf, Vault};
use super::*;
use crate::limits::{NEEDS_MAX, REQUESTS_MAX, WAITS_MAX};
use crate::wire::{Actor, OpenRequest, REVISION, WaitEdge};
use std::sync::mpsc;
use std::time::Instant;
use vivant::simulation::{Faults, Seeds, Simulation, check};

/// Requests snapshots until one is as it should be.
#[track_caller]
fn until(guest: &mut Visitor, what: &str, is_so: impl Fn(&Snapshot) -> bool) -> Snapshot {
    let deadline = Instant::now() + GIVE_UP_AFTER;
    loop {
        let snapshot = guest.facts();
        if is_so(&snapshot) {
            return snapshot;
        }
        assert!(Instant::now() < deadline, "no {what}: {snapshot:#?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[track_caller]
fn actor<'s>(snapshot: &'s Snapshot, path: &str) -> &'s Actor {
    let found = snapshot.actors.iter().find(|actor| actor.actor == path);
    found.unwrap_or_else(|| panic!("no {path} in {snapshot:#?}"))
}

fn path<A: vivant::Actor>(address: &Address<A>) -> String {
    Address::path(address).to_string()
}

#[track_caller]
fn is_in(place: &str, file: &str) {
    assert!(place.contains(file), "{file} in {place}");
}

#[test]
fn a_client_sees_heaps_bounds_pauses_waits_and_requests() {
    let system = System::builder().name("shop").build();
    let console = console(&system, patient());
    let mut guest = Visitor::guest(&console);
    let vault = system.spawn(Vault { kept: Vec::new() });
    let clerk = system.spawn(Clerk {
        vault: vault.clone(),
    });
    let desk = system.spawn(Desk {
        clerk: clerk.clone(),
    });
    let hatch = system.spawn(Hatch);
    let shelf = Shelf::spawn(&system);

    clerk.stock().send();
    until(&mut guest, "wait", |it| it.totals.waits == 1);
    desk.order().send();
    let snapshot = until(&mut guest, "edge", |it| {
        it.waits.iter().any(|wait| !wait.needs.is_empty())
    });
    assert_eq!((snapshot.version, snapshot.revision), (1, REVISION));
    assert_eq!((&*snapshot.name, snapshot.totals.waits), ("shop", 2));
    let [first, second] = &snapshot.waits[..] else {
        panic!("two waits: {snapshot:#?}");
    };
    assert_eq!(first.actor, path(&clerk));
    assert_eq!(first.needs, [], "the vault does not wait");
    assert_eq!(second.actor, path(&desk));
    is_in(&second.waits_at, "tests/shop.rs");
    let [edge] = &second.needs[..] else {
        panic!("an edge: {second:#?}");
    };
    assert_eq!(edge.deferred_by, path(&clerk));
    assert!(edge.behaviour.ends_with("Clerk::sell"), "{edge:?}");
    is_in(&edge.asked_at, "tests/shop.rs");
    assert!(actor(&snapshot, &path(&clerk)).exclusive_for_ms.is_some());
    assert_eq!(actor(&snapshot, &path(&clerk)).deferred, 1);
    assert_eq!(actor(&snapshot, &path(&vault)).exclusive_for_ms, None);

    assert_eq!(snapshot.totals.requests, 2);
    let of = |asker: &str| -> &OpenRequest {
        let found = snapshot.requests.iter();
        let mut found = found.filter(|it| it.asker.as_deref() == Some(asker));
        found.next().expect("a request")
    };
    let (fetch, sell) = (of(&path(&clerk)), of(&path(&desk)));
    assert_eq!(fetch.answerer, Some(path(&vault)));
    assert_eq!(fetch.progress, "begun");
    assert!(fetch.behaviour.ends_with("Vault::fetch"), "{fetch:?}");
    is_in(&fetch.asked_at, "tests/shop.rs");
    assert_eq!(sell.answerer, Some(path(&clerk)));
    assert_eq!(sell.progress, "deferred");

    let (unjam, until_unjammed) = mpsc::channel();
    hatch.jam(until_unjammed).send();
    until(&mut guest, "jam", |it| {
        actor(it, &path(&hatch)).current.is_some()
    });
    for _ in 0..5 {
        hatch.hand_out().send();
    }
    let snapshot = guest.facts();
    let jammed = actor(&snapshot, &path(&hatch));
    assert_eq!((jammed.bound, &*jammed.when_full), (Some(4), "reject"));
    assert_eq!((jammed.depth, jammed.lost), (4, 1));
    assert_eq!(snapshot.totals.full, 1);
    let unbounded = actor(&snapshot, &path(&vault));
    assert_eq!(
        (unbounded.bound, &*unbounded.when_full),
        (None, "back_pressure")
    );
    drop(unjam);

    for _ in 0..200 {
        shelf.fill().send();
    }
    let snapshot = until(&mut guest, "collection", |it| {
        let heap = actor(it, &path(&shelf)).heap.as_ref();
        heap.is_some_and(|heap| heap.minors > 0) && it.pauses.all.count > 0
    });
    let heap = actor(&snapshot, &path(&shelf)).heap.as_ref().unwrap();
    assert!(heap.allocated > 0 && heap.pages > 0, "{heap:?}");
    assert_eq!(heap.pauses["minor"].count, heap.minors);
    assert!(heap.all_pauses().count >= heap.minors);
    assert!(snapshot.pauses.by_kind.contains_key("minor"));
    assert!(snapshot.pauses.all.longest_ns >= snapshot.pauses.all.p50_ns);
    assert_eq!(snapshot.totals.heaps, 1);
    assert!(snapshot.totals.heap_bytes > 0);
    assert_eq!(actor(&snapshot, &path(&desk)).heap, None, "no graph");

    vault.unlock().send();
    until(&mut guest, "end of the waits", |it| {
        it.waits.is_empty() && it.requests.is_empty() && it.totals.waits == 0
    });
}

#[test]
fn seeded_waits_begin_and_end() {
    let test = |simulation: &Simulation| {
        let system = simulation.system();
        let vault = system.spawn(Vault { kept: Vec::new() });
        let clerk = system.spawn(Clerk {
            vault: vault.clone(),
        });
        let desk = system.spawn(Desk {
            clerk: clerk.clone(),
        });
        let shelf = Shelf::spawn(system);
        let look = || Snapshot::from_inspection(simulation.now(), &system.inspect());
        clerk.stock().send();
        simulation.run_for(Duration::from_millis(3));
        desk.order().send();
        shelf.fill().send();
        simulation.run_for(Duration::from_millis(4));
        let snapshot = look();
        let ages: Vec<u64> = snapshot.waits.iter().map(|wait| wait.for_ms).collect();
        assert_eq!(ages, [7, 4]);
        assert_eq!(
            actor(&snapshot, &path(&clerk)).exclusive_for_ms,
            Some(7),
            "as its wait"
        );
        assert_eq!(snapshot.requests.len(), 2);
        let line = serde_json::to_string(&snapshot).unwrap();
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Snapshot>(&line).unwrap(), snapshot);
        vault.unlock().send();
        simulation.run();
        let snapshot = look();
        assert_eq!((snapshot.waits.len(), snapshot.requests.len()), (0, 0));
        assert_eq!(actor(&snapshot, &path(&clerk)).exclusive_for_ms, None);
    };
    check("waits", Seeds(20), &Faults::none(), test);
}

#[test]
fn a_snapshot_names_so_many_waits_requests_and_edges() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let vault = system.spawn(Vault { kept: Vec::new() });
    let clerks: Vec<_> = (0..WAITS_MAX + 5)
        .map(|_| {
            let vault = vault.clone();
            system.spawn(Clerk { vault })
        })
        .collect();
    for clerk in &clerks {
        clerk.stock().send();
        simulation.run();
    }
    let mut inspection = system.inspect();
    let snapshot = Snapshot::from_inspection(simulation.now(), &inspection);
    assert_eq!(snapshot.waits.len(), WAITS_MAX);
    assert_eq!(snapshot.waits[0].actor, path(&clerks[0]), "the oldest");
    assert_eq!(snapshot.totals.waits, WAITS_MAX + 5);
    assert_eq!(snapshot.requests.len(), REQUESTS_MAX);
    assert_eq!(snapshot.totals.requests, WAITS_MAX + 5);
    inspection.more_requests = 1_000;
    let desk = system.spawn(Desk {
        clerk: clerks[0].clone(),
    });
    desk.order().send();
    simulation.run();
    let edge = system.inspect().waits.pop().unwrap().needs.remove(0);
    inspection.waits[0].needs = vec![edge; NEEDS_MAX + 3];
    let snapshot = Snapshot::from_inspection(simulation.now(), &inspection);
    assert_eq!(snapshot.totals.requests, WAITS_MAX + 5 + 1_000);
    let first = &snapshot.waits[0];
    assert_eq!((first.needs.len(), first.more_needs), (NEEDS_MAX, 3));
}

#[test]
fn an_older_console_is_read_without_the_fields_of_this_one() {
    let line = r#"{"version":1,"at_ms":7,"totals":{"actors":1},"actors":[{"actor":"a"}]}"#;
    let snapshot: Snapshot = serde_json::from_str(line).unwrap();
    assert_eq!(snapshot.revision, 0);
    assert_eq!((snapshot.waits.len(), snapshot.requests.len()), (0, 0));
    assert_eq!(snapshot.actors[0].heap, None);
    let newer = r#"{"version":1,"revision":99,"waits":[{"actor":"a","mood":1,
        "needs":[{"behaviour":"b","colour":"red"}]}],"requests":[{"asker":null,"size":3}]}"#;
    let snapshot: Snapshot = serde_json::from_str(newer).unwrap();
    let edge = WaitEdge {
        behaviour: "b".into(),
        ..WaitEdge::default()
    };
    assert_eq!(snapshot.waits[0].needs, [edge]);
    assert_eq!(snapshot.requests, [OpenRequest::default()]);
}
