//! Synchronizers and members that are seldom at rest: how often other messages pass a constrained
//! one (`constraints/README.md`, S9).

use crate::synchronizers::{Account, Scene, pay};
use vivant::Synchronizer;

/// The number of exclusive waits that ended before the first payment.
fn waits_before_the_payment(happened: &[String]) -> usize {
    let before = happened.iter().take_while(|it| !it.contains(" pay "));
    before.filter(|it| it.contains("waited")).count()
}

#[test]
fn exclusive_waits_pass_an_offer_once() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
        // The transaction asks the member that was made first for its hold first.
        let (first, second) = (&scene.ada, &scene.bob);
        for (busy, other) in [(first, second), (second, first)] {
            let set = (pay(busy, 1), pay(other, 1));
            let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
            scene.simulation.run();
            busy.pay(1).send();
            busy.wait(cleo.clone()).send();
            other.pay(1).send();
            (0..100).for_each(|_| busy.wait(cleo.clone()).send());
            let happened = scene.happened();
            let waits = waits_before_the_payment(&happened);
            assert!(waits <= 2, "seed {seed}: {waits} of 101 waits passed");
            assert_eq!(happened.iter().filter(|it| it.contains(" pay ")).count(), 2);
        }
    }
}
