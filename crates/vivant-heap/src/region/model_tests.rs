//! Random programs that make, open, merge, freeze, map and drop regions, beside the model: after
//! each step the graphs are the same and all counts agree, no referenced object was dropped, and
//! nothing is left at the end.

use super::model::{Heap as HeapModel, Home, Model, Number, Region};
use super::model_graphs::{
    Ended, Seen, Shared, State, TreeIso, before, change, item, link, node, number, whole,
};
use crate::check::count_verifier::CountVerifier;
use crate::gc::heap::{Heap, Root};
use crate::gc::mutator::Mutator;
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Chance, Stress, When};
use crate::injected_fault::InjectedFault;
use crate::orca::count_audit::CountAudit;
use crate::orca::heap_id::HeapId;
use crate::pages::page_source::PageSource;
use crate::programs;
use crate::share::parcel::Parcel;
use crate::sync::Arc;
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;

struct States;

impl Root for States {
    type Of<'gc> = State<'gc>;
}

const HEAPS: usize = 2;
const STEPS: usize = if cfg!(miri) { 15 } else { 200 };

/// The heaps, and the model beside them.
struct Both {
    source: Arc<PageSource>,
    ids: Vec<HeapId>,
    heaps: Vec<Heap<States>>,
    regions: Vec<Option<TreeIso>>,
    parcels: Vec<(Parcel<Shared<'static>>, Number)>,
    model: Model,
    ended: Ended,
    chance: Chance,
}

impl Both {
    fn new(seed: u64) -> Both {
        let source = Arc::new(PageSource::new());
        let when = match seed % 2 {
            0 => When::Chance,
            _ => When::Concurrent,
        };
        let pacing = Pacing::new().stressed(Stress::new(when, seed));
        let heap = |_| {
            Heap::<States>::new(&source, pacing, |_| State {
                own: Vec::new(),
                shared: Vec::new(),
            })
        };
        let mut heaps: Vec<_> = (0..HEAPS).map(heap).collect();
        let mut model = Model::default();
        model.heaps.resize_with(HEAPS, HeapModel::default);
        Both {
            ids: heaps
                .iter_mut()
                .map(|heap| heap.turn(|m, _| m.id()))
                .collect(),
            heaps,
            source,
            regions: Vec::new(),
            parcels: Vec::new(),
            model,
            ended: Ended::default(),
            chance: Chance::new(seed),
        }
    }

    fn below(&self, bound: usize) -> usize {
        self.chance.below(bound as u64) as usize
    }

    /// One step of a random heap, or with a random region.
    fn step(&mut self) {
        let heap = self.below(HEAPS);
        let closed: Vec<usize> = (0..self.regions.len())
            .filter(|region| self.regions[*region].is_some())
            .collect();
        let Some(&region) = closed.get(self.below(closed.len() + 1)) else {
            return match self.below(9) {
                0..3 => self.make(heap),
                3 => self.work(heap),
                4 => self.pack(heap),
                5 => self.unpack(heap),
                6 => self.take_a_part(heap),
                7 => self.forget(heap),
                _ => self.heaps[heap].collect(),
            };
        };
        match self.below(16) {
            0 => self.merge(region, heap),
            1..3 => self.freeze(region, heap),
            3 => self.map(region),
            4 => {
                self.model.dropped(region);
                self.regions[region] = None;
            }
            5..8 => self.collect(region),
            8 => self.heaps[heap].pace(),
            _ => self.open(region, heap),
        }
    }

    fn make(&mut self, heap: usize) {
        let Both {
            heaps,
            model,
            ended,
            chance,
            ..
        } = self;
        let region = model.region();
        let iso = heaps[heap].turn(|m, _| {
            m.iso(|r| {
                let mut new = || node(r, model, ended, Home::Region(region));
                let mut trees = vec![new()];
                for _ in 0..chance.below(6) {
                    let tree = node(r, model, ended, Home::Region(region));
                    link(
                        r,
                        model,
                        trees[chance.below(trees.len() as u64) as usize],
                        tree,
                    );
                    trees.push(tree);
                }
                trees[0]
            })
        });
        self.regions.push(Some(iso));
    }

    fn open(&mut self, region: usize, heap: usize) {
        let Both {
            heaps,
            regions,
            parcels,
            model,
            ended,
            chance,
            ..
        } = self;
        let (Some(iso), around) = with_another(regions, region, chance) else {
            return;
        };
        heaps[heap].turn(|m, state| {
            // From the state, or from a parcel.
            let any = |bound: usize| chance.below(bound as u64 + 1) as usize;
            let taken = match chance.below(2) {
                0 => {
                    let shared = state.shared.get(any(state.shared.len()));
                    shared.map(|shared| m.pack::<Shared<'static>>(*shared))
                }
                _ => {
                    let at = any(parcels.len());
                    (at < parcels.len()).then(|| parcels.swap_remove(at).0)
                }
            };
            let opens = |m: &Mutator<'_>| {
                iso.open_in(m, |r, root| {
                    let tree = change(r, model, ended, chance, *root, Home::Region(region));
                    let shared = match (chance.below(6), taken) {
                        (0, _) => item(r, model, ended, heap),
                        (1, Some(parcel)) => r.unpack(parcel),
                        (2 | 3, taken) => {
                            let mut of = before(*root);
                            of.extend(taken.map(|parcel| r.unpack(parcel)));
                            whole(r, model, ended, chance, heap, &of)
                        }
                        _ => return,
                    };
                    let (is_given_away, is_kept) = match chance.below(8) {
                        0 => (true, false),
                        1 => (true, true),
                        2 => (false, false),
                        _ => (false, true),
                    };
                    if is_given_away {
                        let parcel = r.pack::<Shared<'static>>(shared);
                        parcels.push((parcel, shared.number()));
                    }
                    if is_kept {
                        model.things[number(tree)].shared.push(shared.number());
                        tree.borrow_mut(r).shared.push(shared);
                    }
                });
            };
            match around {
                Some((_, around)) => around.open_in(m, |r, _| opens(r)),
                None => opens(m),
            }
        });
    }

    /// Changes a merged graph.
    fn work(&mut self, heap: usize) {
        let Both {
            heaps,
            model,
            ended,
            chance,
            ..
        } = self;
        heaps[heap].turn(|m, state| {
            let at = chance.below(state.own.len() as u64 + 1) as usize;
            if let Some(root) = state.own.get(at) {
                change(m, model, ended, chance, *root, Home::Heap(heap));
            }
        });
    }

    fn merge(&mut self, region: usize, heap: usize) {
        self.model.merge(region, heap);
        let iso = self.regions[region].take().expect("it is closed");
        self.heaps[heap].turn(|m, state| state.own.push(iso.merge(m)));
    }

    fn freeze(&mut self, region: usize, heap: usize) {
        let Both {
            heaps,
            regions,
            model,
            chance,
            ..
        } = self;
        let (iso, around) = with_another(regions, region, chance);
        let iso = iso.take().expect("it is closed");
        heaps[heap].turn(|m, state| match around {
            None => {
                model.freeze(region, heap);
                state.shared.push(Shared::Tree(*iso.freeze(m)));
            }
            Some((at, around)) => {
                model.freeze_within(region, at, heap);
                around.open_in(m, |r, root| {
                    root.borrow_mut(r).shared.push(Shared::Tree(*iso.freeze(r)));
                });
            }
        });
    }

    /// What only the old root reached is garbage from here on.
    fn map(&mut self, region: usize) {
        let Some(expected) = self.model.map(region) else {
            return;
        };
        let iso = self.regions[region].take().expect("it is closed");
        let iso = iso.map(|_, root| {
            let next = root.borrow().next.last().copied();
            next.expect("the model has an edge")
        });
        let iso = self.regions[region].insert(iso);
        assert_eq!(iso.open(|_, root| number(*root)), expected);
    }

    /// After a collection the region imports what it refers to, and no more.
    fn collect(&mut self, region: usize) {
        let Some(iso) = &mut self.regions[region] else {
            return;
        };
        iso.collect();
        assert_eq!(iso.heap_mut().imports(), self.model.imports(region).len());
    }

    fn pack(&mut self, heap: usize) {
        let chance = &self.chance;
        let packed = self.heaps[heap].turn(|m, state| {
            let at = chance.below(state.shared.len() as u64 + 1) as usize;
            let shared = state.shared.get(at)?;
            Some((m.pack::<Shared<'static>>(*shared), shared.number()))
        });
        self.parcels.extend(packed);
    }

    fn unpack(&mut self, heap: usize) {
        if self.parcels.is_empty() {
            return;
        }
        let (parcel, number) = self.parcels.swap_remove(self.below(self.parcels.len()));
        if self.below(4) == 0 {
            return;
        }
        self.model.heaps[heap].shared.push(number);
        self.heaps[heap].turn(|m, state| state.shared.push(m.unpack(parcel)));
    }

    /// A component of a shared object takes that object's place.
    fn take_a_part(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model);
        self.heaps[heap].turn(|_, state| {
            let at = chance.below(state.shared.len() as u64 + 1) as usize;
            let parts = state.shared.get(at).map_or(Vec::new(), |it| it.parts());
            if let Some(part) = parts.get(chance.below(parts.len() as u64 + 1) as usize) {
                model.heaps[heap].shared[at] = part.number();
                state.shared[at] = *part;
            }
        });
    }

    fn forget(&mut self, heap: usize) {
        let (chance, model) = (&self.chance, &mut self.model.heaps[heap]);
        self.heaps[heap].turn(|_, state| {
            if let own @ 1.. = state.own.len() as u64 {
                let at = chance.below(own) as usize;
                state.own.swap_remove(at);
                model.own.swap_remove(at);
            }
            if let shared @ 1.. = state.shared.len() as u64 {
                let at = chance.below(shared) as usize;
                state.shared.swap_remove(at);
                model.shared.swap_remove(at);
            }
        });
    }

    /// Asserts that all rules hold, and that the graphs are those of the model.
    fn compare(&mut self) {
        let mut verifier = CountVerifier::default();
        let fault = |fault| panic!("{fault}");
        for heap in &mut self.heaps {
            verifier.heap(heap).unwrap_or_else(fault);
        }
        for iso in self.regions.iter_mut().flatten() {
            verifier.iso(iso).unwrap_or_else(fault);
        }
        self.parcels
            .iter()
            .for_each(|(parcel, _)| verifier.parcel(parcel));
        verifier
            .check()
            .and_then(|()| CountAudit::check())
            .unwrap_or_else(fault);
        let Both { model, ids, .. } = self;
        let mut seen = Seen {
            model,
            ids,
            met: BTreeSet::new(),
        };
        for (region, iso) in self.regions.iter_mut().enumerate() {
            let closed = matches!(seen.model.regions[region], Region::Closed { .. });
            assert_eq!(closed, iso.is_some());
            if let Some(iso) = iso {
                iso.heap_mut()
                    .turn(|_, root| seen.trees(&[*root], &[seen.model.root(region)]));
            }
        }
        for (heap, expected) in self.heaps.iter_mut().zip(&seen.model.heaps) {
            heap.turn(|_, state| {
                seen.trees(&state.own, &expected.own);
                seen.shared(&state.shared, &expected.shared);
            });
        }
        for (parcel, expected) in &self.parcels {
            parcel.look(|shared| seen.shared(&[*shared], &[*expected]));
        }
        let alive = self
            .model
            .alive(self.parcels.iter().map(|(_, number)| *number));
        assert!(self.model.holds(&alive));
        let ended = self.ended.lock().unwrap();
        for thing in alive {
            assert_eq!(ended[thing], 0, "{thing} has ended, and somebody has it");
        }
    }

    /// Drops everything: shared objects are freed when all heaps have collected as often as a chain
    /// of owners is long.
    fn end(mut self) {
        self.parcels.clear();
        self.regions.clear();
        for heap in &mut self.heaps {
            heap.turn(|_, state| {
                state.own.clear();
                state.shared.clear();
            });
        }
        let most = self.ended.lock().unwrap().len();
        for _ in 0..=most {
            for heap in &mut self.heaps {
                heap.collect();
                heap.sweep();
            }
            if self.heaps.iter().all(|heap| heap.stats().live == 0) {
                break;
            }
        }
        assert!(self.ended.lock().unwrap().iter().all(|&times| times == 1));
        drop(self.heaps);
        assert_eq!(self.source.stats().pages, 0);
    }
}

/// A region and, by chance, the region in which it is opened, with its index.
fn with_another<'a>(
    regions: &'a mut [Option<TreeIso>],
    region: usize,
    chance: &Chance,
) -> (&'a mut Option<TreeIso>, Option<(usize, &'a mut TreeIso)>) {
    let around = chance.below(2 * regions.len() as u64) as usize;
    if around == region || around >= regions.len() {
        return (&mut regions[region], None);
    }
    let both = regions.get_disjoint_mut([region, around]);
    let [iso, other] = both.expect("they are two");
    (iso, other.as_mut().map(|other| (around, other)))
}

fn program(seed: u64) {
    // A run with an injected fault must not be dropped.
    let mut both = ManuallyDrop::new(Both::new(seed));
    for _ in 0..STEPS {
        both.step();
        both.compare();
    }
    ManuallyDrop::into_inner(both).end();
}

#[test]
fn seeded_regions_match_the_model() {
    programs::run(10, program);
}

/// Each fault is detected by one of the first programs.
#[test]
fn injected_faults_of_regions_are_caught() {
    let faults = [
        InjectedFault::ForgottenRegionImport,
        InjectedFault::DroppedBarrier,
        InjectedFault::UnfrozenBarrier,
        InjectedFault::UncountedParts,
    ];
    programs::catch(&faults, program);
}
