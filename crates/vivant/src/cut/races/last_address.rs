//! An actor that has no address any more.

use super::*;

/// Has an address until it is told to drop it.
#[derive(Actor)]
struct Keeper {
    kept: Option<Address<Doer>>,
}

#[behaviours]
impl Keeper {
    fn forget(&mut self) {
        self.kept = None;
    }
}

/// The actor is before the line in its turn, and its last address is dropped behind the line
/// meanwhile. So the cut has an address of it, and the actor.
pub(super) fn the_last_address_is_dropped_behind_the_line() {
    let system = System::builder().workers(3).build();
    let actor = system.spawn(doer());
    let keeper = system.spawn(Keeper {
        kept: Some(actor.clone()),
    });
    let go = held_turn(&actor, |me, _| me.sum += 1);
    let cell = Address::counted(&actor).cell();
    drop(actor);
    let (mut coordinator, log) = begin(&system);
    keeper.forget().send();
    wait_until(|| cell.addresses() == 0);
    release(&go);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(
        log.has(&Event::Captured(id(&keeper), None)),
        "{:?}",
        log.all()
    );
    let captured = Event::Captured(cell.id, Some(1));
    assert!(log.has(&captured), "{:?}", log.all());
}

#[test]
fn an_actor_that_loses_its_last_address_behind_the_line_is_in_the_cut() {
    the_last_address_is_dropped_behind_the_line();
}
