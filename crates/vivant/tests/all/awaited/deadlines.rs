//! Time limits, as a behaviour at the end of a chain sees them.

use super::{DEEP, Nothing, WAYS, Way, actors, happens, opens};
use crate::waits::ms;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[vivant::test(seeds = 10)]
fn seeded_a_deadline_is_seen_along_the_chain(simulation: &Simulation) {
    for way in WAYS {
        let (archive, desk) = actors(simulation);
        let began = simulation.now();
        let limit = ms(500);
        match way {
            Way::DelegatedAsOk | Way::ReturnedAsOk => {
                drop(opens(
                    simulation,
                    &archive,
                    happens(simulation, desk.ask_as_ok(way).ask().within(limit), Nothing),
                ));
            }
            Way::Deep => drop(opens(
                simulation,
                &archive,
                happens(simulation, desk.ask_deep(DEEP).ask().within(limit), Nothing),
            )),
            _ => drop(opens(
                simulation,
                &archive,
                happens(simulation, desk.ask(way).ask().within(limit), Nothing),
            )),
        }
        let (seen, _) = archive.log().ask_blocking().unwrap();
        let expected = match way {
            Way::Continued => None,
            _ => Some(began + limit),
        };
        assert_eq!(seen, [(true, expected)], "{way:?}");
    }
}

/// The earliest limit counts; and of a request that is continued, its own.
#[vivant::test(seeds = 10)]
fn seeded_the_time_that_is_left_is_passed_on(simulation: &Simulation) {
    let (archive, desk) = actors(simulation);
    let began = simulation.now();
    let asked = desk.ask_in_time().ask().within(ms(700)).within(ms(900));
    simulation.run_for(ms(5));
    archive.open().send();
    assert_eq!(simulation.system().block_on(asked), Ok(3));
    let (seen, _) = archive.log().ask_blocking().unwrap();
    assert_eq!(seen, [(true, Some(began + ms(700)))]);
    // It expires for both, and the continuation runs.
    let (archive, desk) = actors(simulation);
    let late = desk.ask_in_time().ask().within(ms(700));
    let late = simulation.system().block_on(late);
    assert!(matches!(late, Err(AskError::TimedOut { .. })));
    simulation.run_for(ms(5));
    archive.open().send();
    simulation.run();
    assert_eq!(desk.log().ask_blocking().unwrap().0, 1);
    let (seen, _) = archive.log().ask_blocking().unwrap();
    assert_eq!(seen, [(false, None)]);
}

#[vivant::test(seeds = 10)]
fn seeded_a_kept_resolver_sees_the_same(simulation: &Simulation) {
    let (archive, _desk) = actors(simulation);
    let kept = archive.keep().ask().within(ms(500));
    simulation.run_for(ms(5));
    let until = archive.kept().ask_blocking().unwrap().unwrap();
    assert!(until.0 && until.1.is_some_and(|until| until >= ms(500)));
    drop(kept);
    assert_eq!(archive.kept().ask_blocking(), Ok(Some((false, None))));
}
