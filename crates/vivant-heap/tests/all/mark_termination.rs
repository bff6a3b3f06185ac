//! Mark termination of a concurrent mark runs in steps: each of them is short, turns run in
//! between, and new entries of these turns are not waited for.

use crate::heaps::Collect;
use std::sync::Arc;
use vivant_heap::{
    DetachedHeap, Gc, Heap, MarkStart, Mut, Object, Pacing, PageSource, Parcel, Progress, Stress,
    Tag, Val, Weak, When,
};

/// The number of objects of each kind. Far more than are visited in one step.
const MANY: usize = if cfg!(miri) { 700 } else { 6_000 };
/// The number of entries of one step, if nothing is tenured meanwhile.
const STEP: usize = 512;

type Node<'gc> = Gc<'gc, Mut<u64>>;

#[derive(Object, Default)]
struct State<'gc> {
    nodes: Vec<Node<'gc>>,
    weak: Vec<Weak<'gc, Mut<u64>>>,
    tags: Vec<Tag<'gc, Mut<u64>>>,
    shared: Vec<Val<'gc, u64>>,
    ballast: Option<Gc<'gc, [u64]>>,
}

root!(States = State<'gc>);

fn make(source: &Arc<PageSource>, pacing: Pacing) -> Heap<States> {
    let mut heap = Heap::<States>::new(source, pacing, |m| {
        let mut state = State::default();
        for number in 0..MANY as u64 {
            let node = m.alloc(Mut::new(number));
            state.nodes.push(node);
            state.weak.push(Weak::new(m, node));
            state.tags.push(m.tag(node));
            m.watch_death(node, number);
        }
        state.ballast = Some(m.alloc_slice(vec![7; 40_000]));
        state
    });
    heap.collect_and_sweep();
    heap
}

/// No mark begins by itself.
fn pacing() -> Pacing {
    Pacing::new().growth(50.0).nursery(64 * 1024)
}

/// Runs a mark until everything live is marked.
fn marks_everything(heap: &mut Heap<States>) {
    heap.sweep();
    assert_eq!(heap.begin_mark(), MarkStart::Running);
    while heap.help_mark(1_000) != Progress::Drained {}
    assert!(!heap.is_terminating_mark());
    heap.pace();
    assert!(heap.is_terminating_mark());
}

fn odd(number: u64) -> bool {
    number % 2 == 1
}

/// Objects with odd numbers die.
fn forgets(heap: &mut Heap<States>) {
    heap.turn(|_, state| {
        state.nodes.retain(|node| !odd(node.get()));
        state.tags.clear();
    });
}

#[test]
fn termination_runs_in_steps_and_turns_see_one_state() {
    let source = Arc::new(PageSource::new());
    let mut heap = make(&source, pacing());
    let mut press = Heap::<States>::new(&source, pacing(), |_| State::default());
    let sent: Vec<Parcel<Val<'static, u64>>> =
        press.turn(|m, _| (0..MANY as u64).map(|n| m.pack(m.val(n))).collect());
    heap.turn(|m, state| {
        let came = sent.into_iter().map(|it| m.unpack(it));
        state.shared.extend(came.filter(|it| !odd(**it)));
    });
    forgets(&mut heap);
    let before = heap.stats();
    marks_everything(&mut heap);
    assert_eq!(heap.begin_mark(), MarkStart::Running, "the same mark");
    let marker = heap.marker().unwrap();
    assert_eq!(marker.work(1), Progress::Over, "no thread can help");
    let (mut reported, mut steps) = (Vec::new(), 1);
    while heap.is_terminating_mark() {
        heap.turn(|m, state| {
            assert_eq!(state.weak.len(), MANY);
            for (number, weak) in state.weak.iter().enumerate().step_by(97) {
                let there = weak.upgrade(m).map(|node| node.get());
                let number = number as u64;
                assert_eq!(there, (!odd(number)).then_some(number), "{steps}");
            }
            // Other entries are added meanwhile.
            let new = m.alloc(Mut::new(MANY as u64));
            state.nodes.push(new);
            m.watch_death(new, MANY as u64);
            state.tags.push(m.tag(new));
        });
        reported.extend(heap.take_deaths());
        assert_eq!(heap.stats().major, before.major);
        assert_eq!(heap.stats().unswept, 0, "nothing is swept before");
        heap.pace();
        steps += 1;
        if steps % 16 == 0 {
            heap.verify().unwrap();
        }
    }
    reported.extend(heap.take_deaths());
    assert!(
        reported
            .iter()
            .copied()
            .eq((0..MANY as u64).filter(|n| odd(*n)))
    );
    let stats = heap.stats();
    assert_eq!(
        (stats.major, stats.ended),
        (before.major + 1, before.ended + 1)
    );
    assert_eq!(stats.termination_steps - before.termination_steps, steps);
    // Weak references, death watches, tag entries, touched imports, and counts.
    let least = (4 * MANY + MANY / 2) / STEP;
    assert!(steps as usize >= least, "{steps} of {least}");
    assert_eq!(heap.imports(), MANY / 2);
    assert!(heap.is_unswept());
    heap.verify().unwrap();
    heap.sweep();
    heap.verify().unwrap();
    drop(heap);
    press.drain_all();
    press.collect();
    assert_eq!(press.exports(), 0);
}

#[test]
fn termination_does_not_wait_for_new_entries() {
    let source = Arc::new(PageSource::new());
    let mut heap = make(&source, pacing());
    let mut press = Heap::<States>::new(&source, pacing(), |_| State::default());
    forgets(&mut heap);
    marks_everything(&mut heap);
    let mut steps = 0;
    while heap.is_terminating_mark() {
        steps += 1;
        assert!(steps < 20 * MANY / STEP + 20, "it does not end");
        // More than a step of each kind, and all of it dropped.
        let each = STEP as u64 + 50;
        let sent: Vec<Parcel<Val<'static, u64>>> =
            press.turn(|m, _| (0..each).map(|n| m.pack(m.val(n))).collect());
        heap.turn(|m, state| {
            for number in 0..each {
                let node = m.alloc(Mut::new(number));
                let _dropped = (Weak::new(m, node), m.tag(node));
                m.watch_death(node, number);
                let _sent_on: Parcel<Val<'static, u64>> = m.pack(m.val(number));
            }
            for it in sent {
                let it = m.unpack(it);
                let _sent_on: Parcel<Val<'static, u64>> = m.pack(it);
            }
            state.nodes.truncate(MANY / 4);
        });
        press.pace();
        heap.pace();
    }
    heap.verify().unwrap();
    heap.turn(|_, state| *state = State::default());
    for _ in 0..3 {
        heap.collect_and_sweep();
        press.collect_and_sweep();
    }
    assert_eq!((heap.imports(), heap.exports(), press.exports()), (0, 0, 0));
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn termination_steps_grow_with_tenured_objects() {
    let steps = |objects: usize| {
        let mut heap = make(&Arc::new(PageSource::new()), pacing());
        forgets(&mut heap);
        marks_everything(&mut heap);
        let live = heap.stats().live;
        while heap.is_terminating_mark() {
            heap.turn(|m, state| {
                let new = (0..objects).map(|n| m.alloc(Mut::new(n as u64)));
                state.nodes.extend(new);
            });
            heap.collect_young();
            heap.collect_young();
            heap.pace();
        }
        heap.verify().unwrap();
        assert!(
            heap.stats().live < live + live / 2,
            "no heap grows much in mark termination"
        );
        heap.stats().termination_steps
    };
    if !cfg!(miri) {
        let (few, many) = (steps(1_000), steps(1));
        assert!(few < many, "{few}, {many}");
    }
}

#[test]
fn a_collection_or_an_end_completes_termination_at_once() {
    // A requested collection; the end of the heap; the end of a heap with foreign references.
    for end in 0..3 {
        let source = Arc::new(PageSource::new());
        let mut heap = make(&source, pacing());
        let kept: Parcel<Tag<'static, Mut<u64>>> = heap.turn(|m, state| m.pack(state.tags[0]));
        forgets(&mut heap);
        marks_everything(&mut heap);
        heap.pace();
        assert!(heap.is_terminating_mark());
        match end {
            0 => {
                heap.collect();
                assert!(!heap.is_terminating_mark());
                let stats = heap.stats();
                assert_eq!((stats.aborted, stats.ended), (0, stats.begun));
                assert_eq!(heap.take_deaths().len(), MANY / 2);
                drop(kept);
                drop(heap);
            }
            1 => {
                let detached = heap.end().expect("a parcel has a tag");
                drop(kept);
                assert!(detached.drain_all().is_none());
            }
            _ => {
                drop(kept);
                assert!(heap.end().and_then(DetachedHeap::drain_all).is_none());
            }
        }
        assert_eq!(source.stats().pages, 0);
    }
}

#[test]
fn a_page_shortage_completes_termination_at_once() {
    const PAGES: usize = 2_000;
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut heap = make(&source, pacing());
    forgets(&mut heap);
    marks_everything(&mut heap);
    // Hardly any room is left: another heap has taken it.
    let mut other = Heap::<States>::new(&source, pacing(), |_| State::default());
    while source.stats().pages + 40 < PAGES {
        other.turn(|m, state| {
            state.ballast = Some(m.alloc_slice(vec![1_u64; 10_000]));
        });
    }
    assert!(heap.is_terminating_mark());
    heap.pace();
    assert!(!heap.is_terminating_mark() && !heap.is_unswept());
    heap.verify().unwrap();
}

/// A few entries after each turn, with verification.
#[test]
fn seeded_termination_takes_a_few_entries_at_a_time() {
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let stressed = Pacing::new().stressed(Stress::new(When::Concurrent, seed));
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<States>::new(&source, stressed, |_| State::default());
        for turn in 0..if cfg!(miri) { 40 } else { 400_u64 } {
            heap.turn(|m, state| {
                let node = m.alloc(Mut::new(turn));
                m.watch_death(node, turn);
                state.nodes.push(node);
                state.weak.push(Weak::new(m, node));
                let tagged = state.nodes[(turn * 7 % state.nodes.len() as u64) as usize];
                state.tags.push(m.tag(tagged));
                for tag in &state.tags {
                    let open = tag.open(m).unwrap();
                    assert!(m.tag(open) == *tag);
                }
                if turn % 5 == seed % 5 {
                    let back = state.weak.iter().find_map(|weak| weak.upgrade(m));
                    state.nodes.extend(back);
                }
                if state.nodes.len() > 20 {
                    state.nodes.drain(..15);
                    state.tags.drain(..state.tags.len() / 2);
                }
                if state.weak.len() > 60 {
                    state.weak.drain(..20);
                }
            });
            heap.pace();
            assert!(heap.take_deaths().is_sorted());
        }
        let stats = heap.stats();
        assert!(
            cfg!(miri) || stats.termination_steps > 2 * stats.ended,
            "{stats:?}"
        );
    }
}
