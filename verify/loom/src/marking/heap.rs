//! The objects of a heap, a mark of them, and their owner.

use super::claim::{self, Claim, claim};
use super::work_list::{Joined, MarkQueue, MarkingPass, Packet};
use crate::sync::{Arc, AtomicU8, AtomicUsize, Ordering, yield_now};
use crate::tracked::Tracked;

/// Of the mark before, and of the running one.
const BEFORE: u8 = 1;
const EPOCH: u8 = 2;

/// By its index.
pub(super) type Name = usize;

struct Object {
    state: AtomicU8,
    /// As in `atomics.rs`, so that loom reorders the first load of a claim with other threads'
    /// changes.
    looks: AtomicUsize,
    refers_to: Tracked<Vec<Name>>,
    /// Number of times that it was scanned.
    times: Tracked<u32>,
    /// Scanned in the second marking pass if another object led to it.
    is_shared: bool,
}

/// State shared by all that help with a mark.
pub(super) struct Mark {
    objects: Vec<Object>,
    queue: MarkQueue<Block>,
}

/// Work, as the scanner's.
#[derive(Default)]
struct Block(Vec<Name>);

impl Packet for Block {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has_room(&self) -> bool {
        self.0.len() < 2
    }

    fn append(&mut self, other: &mut Block) {
        self.0.append(&mut other.0);
    }
}

/// The finds of one helper.
#[derive(Default)]
struct Found {
    block: Block,
    deferred: Block,
}

impl Mark {
    /// Objects with references, of which the first is the root, and some are shared; the mark has
    /// begun.
    pub(super) fn begins(objects: &[&[Name]], shared: &[Name]) -> Arc<Mark> {
        let object = |(name, refers_to): (Name, &&[Name])| Object {
            state: AtomicU8::new(BEFORE),
            looks: AtomicUsize::new(0),
            refers_to: Tracked::new(refers_to.to_vec()),
            times: Tracked::new(0),
            is_shared: shared.contains(&name),
        };
        let mark = Mark {
            objects: objects.iter().enumerate().map(object).collect(),
            queue: MarkQueue::new(),
        };
        mark.queue.put(&mut Block(vec![0]));
        Arc::new(mark)
    }

    /// As `Scanner::visit`.
    fn visit(&self, name: Name, pass: MarkingPass, found: &mut Found) -> Claim {
        let object = &self.objects[name];
        object.looks.fetch_add(1, Ordering::Relaxed);
        match claim(&object.state, EPOCH) {
            Claim::Mine => {}
            other => return other,
        }
        if pass == MarkingPass::Second {
            self.all_else_was_met();
        }
        object.refers_to.read(|names| {
            for &name in names {
                match pass == MarkingPass::First && self.objects[name].is_shared {
                    true => found.deferred.0.push(name),
                    false => found.block.0.push(name),
                }
            }
        });
        object.times.change(|times| *times += 1);
        claim::release(&object.state, EPOCH);
        Claim::Mine
    }

    /// Unshared references, if the mark defers anything. They are read without a claim: no other
    /// marker may be at work.
    fn all_else_was_met(&self) {
        if self.objects.iter().any(|object| object.is_shared) {
            let private = self.objects.iter().filter(|object| !object.is_shared);
            private.for_each(|object| {
                object
                    .times
                    .read(|times| assert_eq!(*times, 1, "too early"))
            });
        }
    }

    /// As `Mark::work`, of at most this many objects. Returns true if there may be more work for
    /// the caller.
    pub(super) fn work(&self, most: usize) -> bool {
        let (block, pass) = match self.queue.join() {
            Joined::Work(block, pass) => (block, pass),
            Joined::NoWork | Joined::Drained | Joined::Closed => return false,
        };
        let mut found = Found {
            block,
            deferred: Block::default(),
        };
        for _ in 0..most {
            if self.queue.is_closed() {
                break;
            }
            let Some(name) = found.block.0.pop() else {
                break;
            };
            let _others = self.visit(name, pass, &mut found);
        }
        self.flush(&mut found);
        !self.queue.leave(found.block.take())
    }

    fn flush(&self, found: &mut Found) {
        if !found.deferred.is_empty() {
            self.queue.defer(&mut found.deferred);
        }
    }

    /// The list is closed: each object was scanned once, and no marker is left.
    pub(super) fn all_were_met(&self) {
        for (name, object) in self.objects.iter().enumerate() {
            let is_met = object.state.load(Ordering::Relaxed) == EPOCH;
            assert!(is_met, "{name} is not met");
            object.times.read(|times| assert_eq!(*times, 1, "{name}"));
        }
    }
}

/// The owner's view of the heap.
pub(super) struct Owner {
    mark: Arc<Mark>,
    log: Found,
}

impl Owner {
    pub(super) fn new(mark: &Arc<Mark>) -> Owner {
        Owner {
            mark: mark.clone(),
            log: Found::default(),
        }
    }

    /// As `ConcurrentMark::satb_barrier`; then all references of the object are taken out.
    pub(super) fn clears(&mut self, name: Name) -> Vec<Name> {
        let object = &self.mark.objects[name];
        if self.mark.visit(name, MarkingPass::Second, &mut self.log) == Claim::Others {
            claim::wait(&object.state, EPOCH);
        }
        object.refers_to.change(std::mem::take)
    }

    /// A turn is over: as `ConcurrentMark::flush`.
    pub(super) fn flush(&mut self) {
        self.mark.flush(&mut self.log);
        if !self.log.block.is_empty() {
            self.mark.queue.put(&mut self.log.block);
        }
    }

    /// Ends the mark, as `go_through_cycle`.
    pub(super) fn ends(&mut self) {
        self.flush();
        while !self.mark.queue.is_drained() {
            if !self.mark.work(usize::MAX) {
                yield_now();
            }
        }
        self.mark.queue.close();
        self.mark.all_were_met();
    }

    /// As `abort_mark`; then all objects are freed.
    pub(super) fn gives_up(&mut self) {
        self.mark.queue.close();
        for object in &self.mark.objects {
            let state = object.state.load(Ordering::Relaxed);
            assert!(state == BEFORE || state == EPOCH, "somebody is there");
            object.refers_to.change(Vec::clear);
        }
    }
}
