//! [`Program`]: a random program of three heaps, of which one may end, beside a graph of plain
//! numbers.

use super::group_mark::{GroupMark, GroupProgress, Members, Visit};
use super::member::Member;
use super::model_objects::{Ended, Name, News, Noted, Number, Roots, State, Thing};
use crate::gc::detached_heap::{DetachedHeap, DetachedStep};
use crate::gc::heap::Heap;
use crate::gc::pacing::Pacing;
use crate::gc::stress::{Chance, Stress, When};
use crate::pages::page_source::PageSource;
use crate::share::parcel::Parcel;
use crate::sync::Arc;
use crate::types::mutable::Mut;
use crate::types::val::Val;
use crate::types::weak::Weak;
use std::mem;

/// A message: a tag, and a shared object.
pub(super) type Message = (Option<Name<'static>>, Option<Val<'static, News<'static>>>);

/// The numbers of what one holder refers to.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Objects that it refers to, also by tags, and shared objects.
    pub(super) owns: Vec<Number>,
    pub(super) names: Vec<Number>,
    pub(super) vals: Vec<Number>,
    pub(super) weaks: Vec<Number>,
}

impl Known {
    /// What it keeps alive. A tag of an ended heap's object keeps nothing.
    pub(super) fn strong(&self, is_cut: impl Fn(Number) -> bool) -> impl Iterator<Item = Number> {
        let names = self.names.iter().filter(move |name| !is_cut(**name));
        self.owns.iter().chain(names).chain(&self.vals).copied()
    }
}

pub(super) const HEAPS: usize = 3;
pub(super) const STEPS: usize = if cfg!(miri) { 80 } else { 500 };

pub(super) struct Program {
    pub(super) source: Arc<PageSource>,
    pub(super) heaps: Vec<Heap<State>>,
    /// The last heap, after its end. None if it is freed.
    pub(super) detached: Option<DetachedHeap>,
    pub(super) states: Vec<Known>,
    /// What each object refers to.
    pub(super) objects: Vec<Known>,
    /// The heap of each object.
    pub(super) owners: Vec<usize>,
    pub(super) parcels: Vec<(Parcel<Message>, Known)>,
    pub(super) ended: Ended,
    pub(super) group: Option<GroupMark>,
    pub(super) committed: usize,
    pub(super) chance: Chance,
    pub(super) when: When,
}

/// The heaps of the program as members. No turn runs during a step, so some are said to be active.
pub(super) struct Visits<'p> {
    pub(super) heaps: &'p mut [Heap<State>],
    /// The member that follows these.
    pub(super) detached: Option<&'p mut DetachedHeap>,
    pub(super) chance: &'p Chance,
    pub(super) active_one_in: u64,
}

impl Visits<'_> {
    fn is_active(&self) -> bool {
        self.active_one_in != 0 && self.chance.below(self.active_one_in) == 0
    }
}

// SAFETY: the program runs no turn during a step of a group mark (X11).
unsafe impl Members for Visits<'_> {
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
        if self.is_active() {
            return Visit::Active;
        }
        match (self.heaps.get_mut(member), &mut self.detached) {
            (Some(heap), _) => visit(heap.member()),
            (None, Some(detached)) => visit(detached.heap.member()),
            (None, None) => return Visit::Ended,
        }
        Visit::Done
    }
}

fn pick<T: Copy>(chance: &Chance, from: &[T]) -> Option<(usize, T)> {
    let place = chance.below(from.len().max(1) as u64) as usize;
    from.get(place).map(|&one| (place, one))
}

impl Program {
    pub(super) fn new(seed: u64) -> Program {
        let when = [When::Paced, When::Concurrent][seed as usize % 2];
        let source = Arc::new(PageSource::new());
        let pacing = Pacing {
            stress: Some(Stress::new(when, seed)),
            ..Pacing::default()
        };
        let heap = |_| Heap::new(&source, pacing, |_| Roots::default());
        Program {
            heaps: (0..HEAPS).map(heap).collect(),
            detached: None,
            source,
            states: vec![Known::default(); HEAPS],
            objects: Vec::new(),
            owners: Vec::new(),
            parcels: Vec::new(),
            ended: Ended::default(),
            group: None,
            committed: 0,
            chance: Chance::new(seed),
            when,
        }
    }

    pub(super) fn new_number(&mut self, owner: usize) -> Noted {
        self.objects.push(Known::default());
        self.owners.push(owner);
        self.ended.lock().unwrap().push(0);
        Noted(self.objects.len() - 1, self.ended.clone())
    }

    pub(super) fn step(&mut self) {
        let heap = self.chance.below(self.heaps.len() as u64) as usize;
        let action = self.chance.below(46);
        match action {
            44.. => self.detached_step(),
            42..44 => self.read(heap),
            40..42 => self.make_cycle(heap),
            0..22 => {
                self.turn(heap, action);
                if self.when == When::Concurrent {
                    self.heaps[heap].pace();
                }
            }
            22 => self.heaps[heap].collect(),
            23 => self.heaps[heap].collect_young(),
            24 => self.heaps[heap].sweep(),
            25 => drop(self.heaps[heap].help_mark(3)),
            26 => drop(self.take_parcel()),
            27 => self.heaps[heap].pace(),
            _ => self.group_step(),
        }
    }

    /// The last heap ends: its state is dropped, and its tags keep nothing alive.
    pub(super) fn end_heap(&mut self) {
        let heap = self.heaps.pop().expect("it has not ended");
        self.detached = heap.end();
        self.states.pop();
        // Its actor has ended, and is no member any more.
        self.group = None;
    }

    fn detached_step(&mut self) {
        let mut work = 1 + self.chance.below(20) as usize;
        self.detached = match self.detached.take().map(|heap| heap.step(&mut work)) {
            Some(DetachedStep::Idle(heap) | DetachedStep::HasWork(heap)) => Some(heap),
            Some(DetachedStep::Freed) | None => None,
        };
    }

    pub(super) fn members(&self) -> usize {
        self.heaps.len() + usize::from(self.detached.is_some())
    }

    fn turn(&mut self, heap: usize, action: u64) {
        match action {
            0..4 => self.make_thing(heap),
            4..6 => self.make_news(heap),
            6..9 => self.link(heap),
            9..12 => self.pack(heap),
            12..15 => self.unpack(heap),
            15 => self.open(heap),
            16..18 => self.weak(heap),
            _ => self.forget(heap),
        }
    }

    pub(super) fn make_thing(&mut self, heap: usize) {
        let noted = self.new_number(heap);
        self.states[heap].owns.push(noted.0);
        self.heaps[heap].turn(|m, roots| {
            let (parts, tags, vals) = (Vec::new(), Vec::new(), Vec::new());
            let thing = Thing {
                noted,
                parts,
                tags,
                vals,
            };
            roots.owns.push(m.alloc(Mut::new(thing)));
        });
    }

    /// A cycle through two heaps: an object in each has a tag of the other.
    pub(super) fn make_cycle(&mut self, heap: usize) {
        let other = (heap + 1) % self.heaps.len();
        let number = self.objects.len();
        let (first, second) = (number, number + 1);
        for (own, of) in [(heap, second), (other, first)] {
            self.make_thing(own);
            let new = self.objects.len() - 1;
            self.objects[new].names.push(of);
        }
        let parcel_of = |heap: &mut Heap<State>| {
            heap.turn(|m, roots| {
                let own = roots.owns.last().expect("one was made");
                m.pack::<Message>((Some(m.tag(*own)), None))
            })
        };
        let parcels = [heap, other].map(|heap| parcel_of(&mut self.heaps[heap]));
        for (heap, parcel) in [other, heap].into_iter().zip(parcels) {
            self.heaps[heap].turn(|m, roots| {
                let own = roots.owns.last().expect("one was made");
                own.borrow_mut(m).tags.extend(m.unpack(parcel).0);
            });
        }
        for heap in [heap, other] {
            if self.chance.below(4) != 0 {
                self.heaps[heap].turn(|_, roots| roots.owns.truncate(roots.owns.len() - 1));
                self.states[heap].owns.pop();
            }
        }
    }

    fn make_news(&mut self, heap: usize) {
        let noted = self.new_number(heap);
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        let object = &mut self.objects[noted.0];
        self.heaps[heap].turn(|m, roots| {
            let tag = pick(chance, &roots.names);
            let val = pick(chance, &roots.vals).filter(|_| chance.below(2) == 0);
            object
                .names
                .extend(tag.map(|(place, _)| known.names[place]));
            object.vals.extend(val.map(|(place, _)| known.vals[place]));
            known.vals.push(noted.0);
            let tags = tag.into_iter().map(|(_, tag)| tag).collect();
            let vals = val.into_iter().map(|(_, val)| val).collect();
            roots.vals.push(m.val(News {
                _noted: noted,
                tags,
                vals,
            }));
        });
    }

    /// Sets the references of an object.
    fn link(&mut self, heap: usize) {
        let (chance, known) = (&self.chance, &self.states[heap]);
        let objects = &mut self.objects;
        self.heaps[heap].turn(|m, roots| {
            let Some((place, from)) = pick(chance, &roots.owns) else {
                return;
            };
            let number = known.owns[place];
            let part = pick(chance, &roots.owns).filter(|_| chance.below(2) == 0);
            let tag = pick(chance, &roots.names);
            let val = pick(chance, &roots.vals).filter(|_| chance.below(2) == 0);
            let mut from = from.borrow_mut(m);
            assert_eq!(from.noted.0, number);
            objects[number] = Known {
                owns: part.iter().map(|(place, _)| known.owns[*place]).collect(),
                names: tag.iter().map(|(place, _)| known.names[*place]).collect(),
                vals: val.iter().map(|(place, _)| known.vals[*place]).collect(),
                weaks: Vec::new(),
            };
            from.parts = part.into_iter().map(|(_, part)| part).collect();
            from.tags = tag.into_iter().map(|(_, tag)| tag).collect();
            from.vals = val.into_iter().map(|(_, val)| val).collect();
        });
    }

    fn pack(&mut self, heap: usize) {
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        let parcel = self.heaps[heap].turn(|m, roots| {
            let own = pick(chance, &roots.owns).filter(|_| chance.below(2) == 0);
            let (tag, number) = match own {
                Some((place, own)) => (Some(m.tag(own)), Some(known.owns[place])),
                None => {
                    let tag = pick(chance, &roots.names);
                    let number = tag.map(|(place, _)| known.names[place]);
                    if let Some((place, _)) = tag.filter(|_| chance.below(2) == 0) {
                        // It is given away, and not shared.
                        roots.names.swap_remove(place);
                        known.names.swap_remove(place);
                    }
                    (tag.map(|(_, tag)| tag), number)
                }
            };
            let val = pick(chance, &roots.vals).filter(|_| chance.below(2) == 0);
            let message = Known {
                names: number.into_iter().collect(),
                vals: val.iter().map(|(place, _)| known.vals[*place]).collect(),
                ..Known::default()
            };
            let parcel = m.pack::<Message>((tag, val.map(|(_, val)| val)));
            (parcel, message)
        });
        self.parcels.push(parcel);
    }

    fn take_parcel(&mut self) -> Option<(Parcel<Message>, Known)> {
        let place = self.chance.below(self.parcels.len().max(1) as u64) as usize;
        (place < self.parcels.len()).then(|| self.parcels.swap_remove(place))
    }

    fn unpack(&mut self, heap: usize) {
        if let Some((parcel, message)) = self.take_parcel() {
            let known = &mut self.states[heap];
            known.names.extend(message.names);
            known.vals.extend(message.vals);
            self.heaps[heap].turn(|m, roots| {
                let (tag, val) = m.unpack(parcel);
                roots.names.extend(tag);
                roots.vals.extend(val);
            });
        }
    }

    fn open(&mut self, heap: usize) {
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        self.heaps[heap].turn(|m, roots| {
            if let Some((place, tag)) = pick(chance, &roots.names)
                && let Ok(thing) = tag.open(m)
            {
                assert_eq!(thing.borrow().noted.0, known.names[place]);
                roots.owns.push(thing);
                known.owns.push(known.names[place]);
            }
        });
    }

    /// Takes a part out of a shared object, and perhaps forgets the object.
    fn read(&mut self, heap: usize) {
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        let objects = &self.objects;
        self.heaps[heap].turn(|_, roots| {
            let Some((place, news)) = pick(chance, &roots.vals) else {
                return;
            };
            let parts = &objects[known.vals[place]];
            if chance.below(2) == 0 {
                roots.vals.swap_remove(place);
                known.vals.swap_remove(place);
            }
            if let Some((part, tag)) = pick(chance, &news.tags) {
                roots.names.push(tag);
                known.names.push(parts.names[part]);
            }
            if let Some((part, val)) = pick(chance, &news.vals) {
                roots.vals.push(val);
                known.vals.push(parts.vals[part]);
            }
        });
        if self.when == When::Concurrent {
            self.heaps[heap].pace();
        }
    }

    /// Makes a weak reference, or upgrades one.
    fn weak(&mut self, heap: usize) {
        let reached = self.reached();
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        self.heaps[heap].turn(|m, roots| {
            if let Some((place, weak)) = pick(chance, &roots.weaks).filter(|_| chance.below(2) == 0)
            {
                let number = known.weaks[place];
                match weak.upgrade(m) {
                    None => assert!(!reached[number], "{number} was cleared"),
                    Some(thing) => {
                        assert_eq!(thing.borrow().noted.0, number);
                        roots.owns.push(thing);
                        known.owns.push(number);
                    }
                }
            } else if let Some((place, thing)) = pick(chance, &roots.owns) {
                roots.weaks.push(Weak::new(m, thing));
                known.weaks.push(known.owns[place]);
            }
        });
    }

    fn forget(&mut self, heap: usize) {
        let (chance, known) = (&self.chance, &mut self.states[heap]);
        self.heaps[heap].turn(|_, roots| {
            let keeps = |length: usize| chance.below(length as u64 + 1) as usize;
            let left = keeps(roots.owns.len());
            roots.owns.truncate(left);
            known.owns.truncate(left);
            let left = keeps(roots.names.len());
            roots.names.truncate(left);
            known.names.truncate(left);
            let left = keeps(roots.vals.len());
            roots.vals.truncate(left);
            known.vals.truncate(left);
        });
    }

    fn group_step(&mut self) {
        for _ in 0..1 + self.chance.below(16) {
            let members = self.members();
            let mut group = mem::take(&mut self.group).unwrap_or_else(|| GroupMark::new(members));
            let progress = group.step(&mut Visits {
                heaps: &mut self.heaps,
                detached: self.detached.as_mut(),
                chance: &self.chance,
                active_one_in: 300,
            });
            match progress {
                GroupProgress::More | GroupProgress::Wait | GroupProgress::WaitLonger => {
                    self.group = Some(group)
                }
                GroupProgress::Committed => self.committed += 1,
                GroupProgress::Dissolved => {}
            }
            if self.group.is_none() {
                return;
            }
        }
    }
}
