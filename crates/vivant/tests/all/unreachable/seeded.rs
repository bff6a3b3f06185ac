//! Rings released in any order, under seeds and faults.

use super::*;
use vivant::simulation::Faults;

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 300))]
fn seeded_only_unreferenced_rings_end(simulation: &Simulation) {
    let stage = Stage::on(simulation);
    let baseline = stage.system.inspect().bytes;
    // Three rings; each holds an address of a node of the next.
    let rings: Vec<Vec<Address<Node>>> = (0..3)
        .map(|ring| {
            let size = 2 + (simulation.seed() + ring) % 4;
            let nodes: Vec<_> = (0..size).map(|at| stage.node(10 * ring + at)).collect();
            for (at, node) in nodes.iter().enumerate() {
                node.knows(nodes[(at + 1) % nodes.len()].clone()).send();
            }
            nodes
        })
        .collect();
    rings[0][0].knows(rings[1][0].clone()).send();
    rings[1][1].knows(rings[2][0].clone()).send();
    rings[2][0]
        .remembers(Address::downgrade(&rings[0][1]))
        .send();
    rings[2][1].hops(simulation.seed() % 50).send();
    let counts: Vec<usize> = rings.iter().map(Vec::len).collect();
    let [first, second, third] = <[_; 3]>::try_from(rings).unwrap();
    let middle = second[1].clone();
    drop((second, third));
    simulation.run();
    assert_eq!(stage.alive(), counts.iter().sum::<usize>());
    drop(first);
    simulation.run();
    assert_eq!(
        stage.alive(),
        counts[1] + counts[2],
        "the middle one is held"
    );
    assert_eq!(middle.name().ask_blocking(), Ok(11));
    drop(middle);
    simulation.run();
    assert_eq!(stage.alive(), 0);
    assert_eq!(stage.system.dead_letters().total(), 0);
    // The leak oracle: the memory in use before.
    assert_eq!(stage.system.inspect().bytes, baseline);
}

#[cfg_attr(miri, vivant::test(seeds = 1, faults = Faults::all()))]
#[cfg_attr(not(miri), vivant::test(seeds = 300, faults = Faults::all()))]
fn seeded_faults_neither_end_nor_keep_actors(simulation: &Simulation) {
    let stage = Stage::on(simulation);
    let ring = stage.ring(6);
    let held = stage.ring(3).pop().unwrap();
    ring[1].hops(40).send();
    ring[0].looks_for().send();
    drop(ring);
    simulation.run();
    assert!(stage.alive() <= 3);
    assert_eq!(Address::is_alive(&held), stage.alive() > 0);
    drop(held);
    simulation.run();
    assert_eq!(stage.alive(), 0);
}
