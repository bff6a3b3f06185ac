//! Heaps that share objects, each of them marked concurrently: notes with components that go from
//! heap to heap, and graphs that are frozen.

use super::{Markers, Mode, source, with_seeds};
use crate::heaps::Collect;
use crate::numbered::{Drops, Numbered};
use fastrand::Rng;
use std::collections::BTreeSet;
use vivant_heap::{
    CountVerifier, Freeze, Gc, Heap, Ice, Iso, Leaf, Mut, Mutator, Object, Parcel, Val,
};

/// Shared from birth.
#[derive(Object)]
struct Note<'gc> {
    noted: Leaf<Numbered>,
    parts: Vec<Val<'gc, Note<'gc>>>,
}

/// Private, until it is frozen.
#[derive(Object, Freeze)]
struct Step<'gc> {
    noted: Leaf<Numbered>,
    title: Option<Val<'gc, Note<'gc>>>,
    next: Option<Gc<'gc, Mut<Step<'gc>>>>,
}

type Paper<'gc> = Val<'gc, Note<'gc>>;
/// A note with its number.
type Titled<'gc> = (Paper<'gc>, usize);
type Stairs<'gc> = Val<'gc, Ice<Mut<Step<'gc>>>>;

/// A note, or steps, with the brand as a parameter.
type Both<'gc> = (Option<Paper<'gc>>, Option<Stairs<'gc>>);

#[derive(Object)]
struct Desk<'gc> {
    top: Vec<Both<'gc>>,
    /// In an object that is tenured, and written.
    drawer: Gc<'gc, Mut<Vec<Both<'gc>>>>,
    ballast: Option<Gc<'gc, [u64]>>,
}

root!(Desks = Desk<'gc>);

/// Steps in a region, the last one first.
type Folder = Iso<Option<Gc<'static, Mut<Step<'static>>>>>;

type Sent = Parcel<Both<'static>>;

const HEAPS: usize = 2;
/// The largest number of folders.
const FOLDERS: usize = 3;
const STEPS: usize = if cfg!(miri) { 16 } else { 300 };

struct Model {
    /// By number: the references of each object.
    edges: Vec<Vec<usize>>,
    /// By heap: the numbers of its objects.
    tops: Vec<Vec<Option<usize>>>,
    drawers: Vec<Vec<Option<usize>>>,
    parcels: Vec<(Sent, Option<usize>)>,
    /// Owned by no heap while they are closed.
    folders: Vec<(Folder, usize)>,
    ended: Drops,
    random: Rng,
}

fn number(both: &Both<'_>) -> Option<usize> {
    match both {
        (Some(note), _) => Some(note.noted.0.number),
        (None, Some(step)) => Some(step.read().noted.0.number),
        (None, None) => None,
    }
}

/// The references of an object, in the model's order.
fn parts<'gc>(both: &Both<'gc>) -> Vec<Both<'gc>> {
    match both {
        (Some(note), _) => note.parts.iter().map(|part| (Some(*part), None)).collect(),
        (None, Some(step)) => {
            let step = step.read();
            let title = step.title.map(|title| (Some(title), None));
            let next = step.next.map(|next| (None, Some(next)));
            title.into_iter().chain(next).collect()
        }
        (None, None) => Vec::new(),
    }
}

impl Model {
    fn place(&mut self, length: usize) -> Option<usize> {
        (length != 0).then(|| self.random.usize(..length))
    }

    fn new_number(&mut self, edges: Vec<usize>) -> Leaf<Numbered> {
        self.edges.push(edges);
        Numbered::next(&self.ended)
    }

    fn turn<'gc>(&mut self, m: &Mutator<'gc>, desk: &mut Desk<'gc>, heap: usize) {
        match self.random.usize(..17) {
            0..3 => self.writes(m, desk, heap),
            3 => self.freezes(m, desk, heap),
            14..17 => self.files(m, desk, heap),
            4 | 5 => {
                if let Some(place) = self.place(desk.top.len()) {
                    let parcel = m.pack::<Both<'static>>(desk.top[place]);
                    self.parcels.push((parcel, self.tops[heap][place]));
                }
            }
            6 | 7 => {
                if let Some(place) = self.place(self.parcels.len()) {
                    let (parcel, number) = self.parcels.swap_remove(place);
                    desk.top.push(m.unpack(parcel));
                    self.tops[heap].push(number);
                }
            }
            // A component is taken out; perhaps its container is dropped.
            8 | 9 => {
                if let Some(place) = self.place(desk.top.len()) {
                    let parts = parts(&desk.top[place]);
                    let Some(part) = self.place(parts.len()) else {
                        return;
                    };
                    let whole = self.tops[heap][place].unwrap();
                    let part = (parts[part], Some(self.edges[whole][part]));
                    if self.random.usize(..2) == 0 {
                        desk.top.swap_remove(place);
                        self.tops[heap].swap_remove(place);
                    }
                    desk.top.push(part.0);
                    self.tops[heap].push(part.1);
                }
            }
            10 | 11 => {
                // From the top to the drawer, and one reference the other way.
                let mut drawer = desk.drawer.borrow_mut(m);
                drawer.append(&mut desk.top);
                let mut numbers = std::mem::take(&mut self.tops[heap]);
                self.drawers[heap].append(&mut numbers);
                if let Some(place) = self.place(drawer.len()) {
                    desk.top.push(drawer.swap_remove(place));
                    let number = self.drawers[heap].swap_remove(place);
                    self.tops[heap].push(number);
                }
            }
            12 => {
                let keep = self.random.usize(..desk.top.len() + 1);
                desk.top.truncate(keep);
                self.tops[heap].truncate(keep);
            }
            _ => {
                let mut drawer = desk.drawer.borrow_mut(m);
                let keep = self.random.usize(..drawer.len() + 1);
                drawer.truncate(keep);
                self.drawers[heap].truncate(keep);
            }
        }
    }

    /// Some of the notes on top.
    fn papers<'gc>(&mut self, desk: &Desk<'gc>, heap: usize) -> Vec<Titled<'gc>> {
        let mut papers = Vec::new();
        for (both, number) in desk.top.iter().zip(&self.tops[heap]) {
            if let Some(paper) = both.0.zip(*number)
                && self.random.usize(..3) == 0
            {
                papers.push(paper);
            }
        }
        papers
    }

    fn note<'gc>(&mut self, m: &Mutator<'gc>, parts: Vec<Titled<'gc>>) -> Titled<'gc> {
        let (parts, edges) = parts.into_iter().unzip();
        let noted = self.new_number(edges);
        let number = noted.0.number;
        (m.val(Note { noted, parts }), number)
    }

    fn writes<'gc>(&mut self, m: &Mutator<'gc>, desk: &mut Desk<'gc>, heap: usize) {
        let parts = self.papers(desk, heap);
        let (note, number) = self.note(m, parts);
        self.tops[heap].push(Some(number));
        desk.top.push((Some(note), None));
    }

    /// Adds a step to a folder, to which other heaps may have added steps. Its title is from this
    /// heap; or it is allocated in the region, with components from this heap and the title before
    /// it.
    fn files<'gc>(&mut self, m: &Mutator<'gc>, desk: &Desk<'gc>, heap: usize) {
        let place = self.random.usize(..FOLDERS);
        let (mut folder, before) = match place < self.folders.len() {
            true => {
                let (folder, before) = self.folders.swap_remove(place);
                (folder, Some(before))
            }
            false => (m.iso(|_| None), None),
        };
        let papers = self.papers(desk, heap).into_iter();
        let packed = |(paper, number)| (m.pack::<Paper<'static>>(paper), number);
        let papers: Vec<_> = papers.map(packed).collect();
        let last = folder.open_in(m, |r, first| {
            let unpacked = |(paper, number)| (r.unpack(paper), number);
            let mut papers: Vec<Titled<'_>> = papers.into_iter().map(unpacked).collect();
            let (title, titled) = match self.random.usize(..3) {
                0 if !papers.is_empty() => papers[0],
                _ => {
                    let title = first.and_then(|first| first.borrow().title);
                    papers.extend(title.map(|title| (title, title.noted.0.number)));
                    self.note(r, papers)
                }
            };
            if self.random.usize(..4) == 0 {
                let parcel = r.pack::<Both<'static>>((Some(title), None));
                self.parcels.push((parcel, Some(titled)));
            }
            // The earlier steps are kept, or not.
            let (next, before) = match self.random.usize(..3) {
                0 => (None, None),
                _ => (*first, before),
            };
            let noted = self.new_number([titled].into_iter().chain(before).collect());
            let (title, last) = (Some(title), noted.0.number);
            *first = Some(r.alloc(Mut::new(Step { noted, title, next })));
            last
        });
        if self.random.usize(..3) == 0 {
            folder.collect();
        }
        self.folders.push((folder, last));
    }

    fn freezes<'gc>(&mut self, m: &Mutator<'gc>, desk: &mut Desk<'gc>, heap: usize) {
        if let Some((folder, last)) = self.folders.pop() {
            let iso = folder.map::<Gc<'static, Mut<Step<'static>>>>(|_, first| first.unwrap());
            desk.top.push((None, Some(*iso.freeze(m))));
            self.tops[heap].push(Some(last));
        }
    }

    fn reached(&self) -> BTreeSet<usize> {
        let all = self.tops.iter().chain(&self.drawers).flatten().copied();
        let mut queue: Vec<usize> = all.flatten().collect();
        queue.extend(self.parcels.iter().filter_map(|(_, number)| *number));
        queue.extend(self.folders.iter().map(|(_, last)| *last));
        let mut reached = BTreeSet::new();
        while let Some(number) = queue.pop() {
            if reached.insert(number) {
                queue.extend(&self.edges[number]);
            }
        }
        reached
    }

    /// Asserts that shared objects are as expected.
    fn follow(&self, mut left: Vec<(Both<'_>, Option<usize>)>) {
        let mut met = BTreeSet::new();
        while let Some((both, expected)) = left.pop() {
            assert_eq!(number(&both), expected);
            if let Some(expected) = expected
                && met.insert(expected)
            {
                let edges = self.edges[expected].iter().map(|&edge| Some(edge));
                left.extend(parts(&both).into_iter().zip(edges));
            }
        }
    }

    fn compare(&mut self, heaps: &mut [Heap<Desks>]) {
        for (number_of_heap, heap) in heaps.iter_mut().enumerate() {
            heap.turn(|_, desk| {
                let drawer = desk.drawer.borrow();
                let all = desk.top.iter().chain(&*drawer).copied();
                let numbers = self.tops[number_of_heap].iter();
                let numbers = numbers.chain(&self.drawers[number_of_heap]).copied();
                self.follow(all.zip(numbers).collect());
            });
        }
        let mut folders = std::mem::take(&mut self.folders);
        for (folder, last) in &mut folders {
            folder.open(|_, first| {
                let (mut step, mut here) = (*first, Some(*last));
                while let (Some(is), Some(expected)) = (step, here) {
                    let (is, edges) = (is.borrow(), &self.edges[expected]);
                    assert_eq!(is.noted.0.number, expected);
                    self.follow(vec![((is.title, None), Some(edges[0]))]);
                    (step, here) = (is.next, edges.get(1).copied());
                }
                assert_eq!((step.is_some(), here), (false, None));
            });
        }
        self.folders = folders;
        let mut verifier = CountVerifier::default();
        heaps.iter_mut().for_each(|heap| {
            verifier
                .heap(heap)
                .unwrap_or_else(|fault| panic!("{fault}"))
        });
        self.folders
            .iter_mut()
            .for_each(|(it, _)| verifier.iso(it).unwrap_or_else(|fault| panic!("{fault}")));
        self.parcels.iter().for_each(|(it, _)| verifier.parcel(it));
        verifier.check().unwrap_or_else(|fault| panic!("{fault}"));
        let ended = self.ended.lock().unwrap();
        for number in self.reached() {
            assert_eq!(ended[number], 0, "{number} has ended, and is reached");
        }
    }
}

fn program(mode: Mode, seed: u64) {
    let source = source();
    let mut model = Model {
        edges: Vec::new(),
        tops: vec![Vec::new(); HEAPS],
        drawers: vec![Vec::new(); HEAPS],
        parcels: Vec::new(),
        folders: Vec::new(),
        ended: Drops::default(),
        random: Rng::with_seed(seed),
    };
    let heap = |number: usize| {
        Heap::<Desks>::new(&source, mode.pacing(seed + number as u64), |m| Desk {
            top: Vec::new(),
            drawer: m.alloc(Mut::new(Vec::new())),
            ballast: mode.ballast(m),
        })
    };
    let mut heaps: Vec<Heap<Desks>> = (0..HEAPS).map(heap).collect();
    let markers: Vec<Markers> = (0..HEAPS).map(|_| Markers::new(1)).collect();
    for _ in 0..STEPS {
        let at = model.random.usize(..HEAPS);
        for _ in 0..1 + model.random.usize(..3) {
            heaps[at].turn(|m, desk| model.turn(m, desk, at));
        }
        match model.random.usize(..24) {
            0 => heaps[at].collect(),
            1 | 2 => heaps[at].collect_young(),
            3 => drop(model.parcels.pop()),
            4 => {
                heaps[at].drain_all();
            }
            5 => {
                heaps[at].drain_some(1 + model.random.usize(..3));
            }
            _ => heaps[at].pace(),
        }
        markers[at].follow(&heaps[at]);
        if model.random.usize(..6) == 0 {
            model.compare(&mut heaps);
        }
    }
    model.compare(&mut heaps);
    let begun = |heap: &Heap<Desks>| heap.stats().begun > 0;
    assert!(heaps.iter().all(begun), "no mark was begun beside turns");
    // Nothing is left when no heap and no parcel has a reference.
    model.parcels.clear();
    model.folders.clear();
    for heap in &mut heaps {
        heap.turn(|m, desk| {
            desk.top.clear();
            desk.drawer.borrow_mut(m).clear();
            desk.ballast = None;
        });
    }
    let most = model.edges.len() + 2;
    for _ in 0..most {
        for heap in &mut heaps {
            heap.collect_and_sweep();
        }
        if model.ended.lock().unwrap().iter().all(|&times| times == 1) {
            break;
        }
    }
    assert!(model.ended.lock().unwrap().iter().all(|&times| times == 1));
    assert!(heaps.iter_mut().all(|heap| heap.is_unshared()));
    drop(heaps);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_heaps_share_beside_markers() {
    with_seeds(4, program);
}
