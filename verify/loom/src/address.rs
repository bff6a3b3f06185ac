//! Addresses and references: what keeps an actor alive, and what keeps its memory
//! (`crates/vivant/src/actor/README.md`).
//!
//! Proved, on a model of `actor/reference.rs` with the real inbox and signals: C3 the last address
//! notifies before it releases its reference, and memory is freed once, after its last use; C4 a
//! holder that reads an address count of zero knows that none comes back, so the actor ends after
//! it has processed all messages of address holders, and not while an address exists; C5 the right
//! to run an actor, which is not counted, is never used after its cell is freed; C6 an address that
//! was given to the actor itself is counted back, by its holder, before the holder reads the count
//! or parks.
//!
//! | model | real |
//! |---|---|
//! | `CellRef`, its clone and drop | the same |
//! | `CellRef::upgrade`, `address_of_held`, `addresses`, `signal`, `notify` | the same |
//! | `AddressRef`, its clone and drop; `AddressRef::woken` | the same, with `woken_by` and `woken_with` |
//! | `Runnable`, `Present` | the same |
//! | `count_back` | the same |
//! | `System::serve`, `System::work` | `run::run`, `RunGuard::begin`, `RunGuard::park`, `RunGuard::leave` |
//! | `System::is_unreferenced`, `System::end` | the same of `Held` |
//! | `System::registry` | `Registry`, for one actor |
//! | `Cell::memory` | the memory of the cell: a use reads it, freeing changes it, so loom sees a use after or beside it |
//!
//! Every drop of a count is `AcqRel`, here as in the runtime.
//!
//! Left out: overflow of the count; the cell's own reference to its system; muting and budgets.
//!
//! The faults are in the model: the modelled code is in no file that can be shared.

mod cell;

use crate::check::{canaries, models};
use crate::letters::letter;
use crate::phase::Parity;
use crate::runtime::signals::Signals;
use cell::{AddressRef, CellRef, Flaw, GIVE, KEEP, Lent, System};
use loom::thread::{self, JoinHandle};

/// Posts a letter through its address and drops the address.
fn send(address: AddressRef, from: char, lent: Lent) -> u32 {
    address.post(letter(from, 0), lent);
    1
}

/// The sending threads, and a worker. Then every thread is run to its end.
fn run(flaw: Flaw, senders: impl FnOnce(AddressRef) -> Vec<JoinHandle<u32>>) {
    let (system, address) = System::birth(flaw);
    let cell = address.cell.clone();
    let senders = senders(address);
    let worker = thread::spawn({
        let system = system.clone();
        move || system.serve()
    });
    let sent = senders
        .into_iter()
        .map(|sender| sender.join().unwrap())
        .sum();
    worker.join().unwrap();
    system.when_quiet(&cell, sent);
}

/// Two address holders send and drop; the second drop is the last.
fn two_senders(flaw: Flaw) {
    run(flaw, |address| {
        let other = address.clone();
        vec![
            thread::spawn(move || send(address, 'a', Lent::Back)),
            thread::spawn(move || send(other, 'b', Lent::Back)),
        ]
    });
}

/// Two address holders give their addresses with what they send; upon one of the letters the actor
/// takes its own address and drops it.
fn donations(flaw: Flaw) {
    run(flaw, |address| {
        let other = address.clone();
        vec![
            thread::spawn(move || send(address, KEEP, Lent::Given)),
            thread::spawn(move || send(other, 'b', Lent::Given)),
        ]
    });
}

/// The only address goes while the holder makes a new one of its own.
fn gift(flaw: Flaw, lent: Lent) {
    run(flaw, |address| {
        vec![thread::spawn(move || send(address, GIVE, lent))]
    });
}

/// The only address is dropped while a thread without an address upgrades a weak one.
fn upgrade(flaw: Flaw, letter: char) {
    run(flaw, |address| {
        let weak = CellRef::to(&address.cell);
        let upgrader = move || {
            weak.upgrade()
                .map_or(0, |address| send(address, 'u', Lent::Back))
        };
        vec![
            thread::spawn(move || send(address, letter, Lent::Back)),
            thread::spawn(upgrader),
        ]
    });
}

/// Uses its address a last time and drops it.
fn leave(address: AddressRef) -> JoinHandle<u32> {
    thread::spawn(move || {
        address.cell.is_used();
        drop(address);
        0
    })
}

/// Two address holders of an actor that has been stopped use it a last time and drop.
fn stopped(flaw: Flaw) {
    run(flaw, |address| {
        CellRef::to(&address.cell).signal(Signals::STOP);
        address.cell.system.serve();
        vec![leave(address.clone()), leave(address)]
    });
}

/// An actor that is stopped has an address to spare; the other goes meanwhile.
fn stopped_with_a_spare_address(flaw: Flaw) {
    run(flaw, |address| {
        let other = address.clone();
        address.cell.signals.raise(Signals::STOP, Parity::Even);
        let _refused = send(address, 'a', Lent::Given);
        vec![leave(other)]
    });
}

models! {
    /// C3, of an actor that ended before its addresses were gone, so that no holder reads their
    /// count any more.
    a_stopped_actor_is_freed_after_its_last_use: holds || stopped(Flaw::None);
    /// C3, C4, C5: two address holders send and drop.
    the_last_of_two_drops_ends_the_actor: holds || two_senders(Flaw::None);
    /// C4: the holder raises the count from zero.
    the_holder_raises_the_count_from_zero: holds
        || gift(Flaw::None, Lent::Back), || gift(Flaw::None, Lent::Given);
    /// C4: another thread raises it.
    an_upgrade_fails_at_zero: holds || upgrade(Flaw::None, 'a');
    /// C4: both at the same time.
    an_upgrade_races_with_the_holder: holds || upgrade(Flaw::None, GIVE);
    /// C6: addresses that come with a letter, and an address that is dropped in the actor's own
    /// run.
    spare_addresses_are_counted_back: holds || donations(Flaw::None);
    /// C6, of an actor that ended without a check for remaining addresses.
    a_stopped_actor_counts_its_spare_addresses_back: holds
        || stopped_with_a_spare_address(Flaw::None);
}

canaries! {
    /// The holder reads zero and does not see messages that were sent before.
    a_count_read_without_acquire_is_caught: "C4" => || two_senders(Flaw::CountRelaxed);
    /// The other half of the same fault: nothing orders a last use before the memory is freed.
    a_drop_without_release_is_caught: "Causality violation" => || two_senders(Flaw::DropAcquire);
    /// A thread gets an address of an actor that has ended because it had none.
    an_upgrade_from_zero_is_caught: "C" => || upgrade(Flaw::UpgradeFromZero, 'a');
    /// The addresses own a reference that was never counted.
    a_raise_without_a_reference_is_caught: "C3" => || gift(Flaw::RaiseWithoutReference, Lent::Back);
    /// The cell is freed while the last address still uses it.
    a_notification_after_the_reference_is_gone_is_caught: "" => || two_senders(Flaw::NotifiedLate);
    /// The last address is dropped after the holder has read the count, and the holder is not
    /// notified.
    a_last_address_that_does_not_notify_is_caught:
        "C3: nobody told it" => || two_senders(Flaw::NotNotified);
    /// The cell is freed beside a last use of it.
    freeing_without_acquire_is_caught: "Causality violation" => || two_senders(Flaw::NoFence);
    /// The same, where only the address count could have ordered them.
    a_last_address_without_acquire_is_caught:
        "Causality violation" => || stopped(Flaw::NoFenceAtLastAddress);
    /// The last address is dropped, and its reference with it, while the actor is in a queue.
    a_runnable_that_nothing_keeps_is_caught: "" => || two_senders(Flaw::NoLife);
    /// The cell is freed under the worker that holds its actor.
    a_life_that_is_not_given_up_last_is_caught:
        "C3: used after it was freed" => || donations(Flaw::LifeFirst);
    /// The actor never detects that its only addresses are those that were given to it.
    spare_addresses_forgotten_are_caught:
        "C3: nobody told it" => || donations(Flaw::SpareForgotten);
    /// By then another worker holds the actor, or the actor never runs again.
    spare_addresses_counted_after_parking_are_caught: "" => || donations(Flaw::SpareAfterParking);
    /// The last address is counted back, and the addresses' common reference stays.
    counting_back_without_the_reference_is_caught: "C3" => || donations(Flaw::SpareKeepsReference);
    /// The cell is freed beside the last use through an address that was dropped before.
    counting_back_without_acquire_is_caught:
        "Causality violation" => || stopped_with_a_spare_address(Flaw::SpareRelaxed);
}
