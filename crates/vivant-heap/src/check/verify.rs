//! The heap verifier: checks the collector's invariants on a whole heap, between two turns.

mod death_watches;
mod epoch;
mod shared;
mod tags;

use crate::alloc::header::{Header, young_size};
use crate::alloc::old::FreeBlocks;
use crate::alloc::poison::written;
use crate::fault::Fault;
use crate::gc::heap::{Core, Heap, Root};
use crate::mark::walk::{Edges, Walk};
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::{PAGE, owner_of, state_of};
use crate::pages::page::{PageKind, Span};
use crate::pages::size_class::{block_size, blocks, span_pages};
use crate::sync::Ordering;
use shared::is_clean;
use std::collections::{HashMap, HashSet};
use std::ptr::NonNull;

impl<R: Root> Heap<R> {
    /// Checks all pages and all reachable objects. An error names the first broken rule.
    ///
    /// Costs as much as several collections, and some memory for each object. For tests, and for
    /// suspicions.
    ///
    /// # Errors
    ///
    /// The heap breaks a rule of the collector. It must not be used any more, not even dropped.
    pub fn verify(&mut self) -> Result<(), Fault> {
        self.verify_each(|_, _| {})
    }

    /// As [`Heap::verify`]. Passes the state's and then each live object's references to `each`.
    pub(crate) fn verify_each(
        &mut self,
        each: impl FnMut(Option<NonNull<Header>>, &Edges),
    ) -> Result<(), Fault> {
        let (core, state) = self.parts();
        let mut verifier = Verifier::new(core);
        verifier.nursery()?;
        verifier.old()?;
        verifier.destructors()?;
        verifier.remembered()?;
        verifier.deaths()?;
        verifier.tags()?;
        verifier.check_reachable(state, each)?;
        verifier.shared()
    }
}

/// The place of a page: in the nursery, or in a span of the old generation.
#[derive(Clone, Copy)]
enum Place {
    Nursery,
    Old(Span),
}

struct Verifier<'a> {
    core: &'a Core,
    /// All pages of the heap, by their addresses.
    pages: HashMap<usize, Place>,
    /// All young objects, each with whether its destructor is noted.
    young: HashMap<usize, Noted>,
    remembered: HashSet<usize>,
    /// Objects of this heap to which a `Val` refers.
    shared: Vec<NonNull<Header>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Noted {
    Not,
    ForItsDestructor,
}

fn fault<T>(rule: &'static str, what: &'static str, address: usize) -> Result<T, Fault> {
    Err(Fault {
        rule,
        what,
        address,
        from: None,
    })
}

fn check(good: bool, rule: &'static str, what: &'static str, address: usize) -> Result<(), Fault> {
    if good {
        return Ok(());
    }
    fault(rule, what, address)
}

impl<'a> Verifier<'a> {
    fn new(core: &'a Core) -> Self {
        Verifier {
            core,
            pages: HashMap::new(),
            young: HashMap::new(),
            remembered: HashSet::new(),
            shared: Vec::new(),
        }
    }

    /// Checks that a span is this heap's, and that no other span has its pages.
    fn check_span(&mut self, span: Span, kind: PageKind, place: Place) -> Result<(), Fault> {
        let start = span.start().addr().get();
        // SAFETY: the span is on one of the heap's lists, and its description is read as a whole.
        let pages = unsafe { span.0.read() }.pages as usize;
        // Of a span longer than a chunk only the first page matters: its object begins there.
        let described = if kind == PageKind::Large { 1 } else { pages };
        for number in 0..described {
            // SAFETY: the span is on one of the heap's lists; its described pages lie in one chunk.
            let (owner, is) = unsafe {
                let page = span.0.add(number).as_ptr();
                (owner_of(span.start().add(number * PAGE)), (*page).kind)
            };
            let at = start + number * PAGE;
            check(
                owner == Some(HeapHandle::name(&self.core.owner).cast()),
                "H4",
                "the page has another owner",
                at,
            )?;
            check(is == kind, "H4", "the page is of another kind", at)?;
        }
        for number in 0..pages {
            let at = start + number * PAGE;
            let before = self.pages.insert(at, place);
            check(before.is_none(), "H4", "the page is in two spans", at)?;
        }
        Ok(())
    }

    /// Checks the nursery: objects are contiguous, none is evacuated, and each noted one exists.
    fn nursery(&mut self) -> Result<(), Fault> {
        let mut pages = 0;
        for (span, filled) in self.core.nursery.chunks() {
            self.check_span(span, PageKind::Nursery, Place::Nursery)?;
            // SAFETY: the span is the nursery's.
            pages += unsafe { span.0.read() }.pages as usize;
            let mut offset = 0;
            while offset < filled {
                // SAFETY: within the nursery chunk; an object begins there.
                let object = unsafe { span.start().add(offset) }.cast::<Header>();
                let at = object.addr().get();
                // SAFETY: an object of the nursery begins there.
                let header = unsafe { object.as_ref() };
                check(
                    header.is_live(),
                    "H3",
                    "a young object has moved, or was never made",
                    at,
                )?;
                self.young.insert(at, Noted::Not);
                // SAFETY: an object of the nursery, which `is_live` has found in its place.
                offset += young_size(unsafe { header.table().bytes(object) });
            }
            let end = span.start().addr().get() + filled;
            check(
                offset == filled,
                "H2",
                "young objects do not end where the block does",
                end,
            )?;
        }
        let counted = self.core.nursery.pages();
        check(
            pages == counted,
            "H2",
            "the number of pages of the nursery is wrong",
            0,
        )?;
        for object in self.core.nursery.noted() {
            let at = object.addr().get();
            let before = self.young.insert(at, Noted::ForItsDestructor);
            check(
                before == Some(Noted::Not),
                "H10",
                "noted twice, or no young object",
                at,
            )?;
        }
        let mut pages = 0;
        for span in self.core.chunk_cache.spans() {
            self.check_span(span, PageKind::Nursery, Place::Nursery)?;
            // SAFETY: the span is the nursery chunk cache's.
            pages += unsafe { span.0.read() }.pages as usize;
        }
        let counted = self.core.chunk_cache.pages();
        check(
            pages == counted,
            "H2",
            "the number of pages of the nursery chunk cache is wrong",
            0,
        )
    }

    /// Checks the old generation: the descriptions of its pages, and its counts.
    fn old(&mut self) -> Result<(), Fault> {
        let old = &self.core.old;
        let (mut pages, mut live, mut unswept) = (0, 0, 0);
        for span in old.spans() {
            // SAFETY: the span is the old generation's; no turn runs.
            let page = unsafe { span.0.read() };
            self.check_span(span, page.kind, Place::Old(span))?;
            let at = span.start().addr().get();
            pages += page.pages as usize;
            unswept += usize::from(!old.is_swept(&page));
            match page.kind {
                PageKind::Blocks => live += self.blocks(span)?,
                PageKind::Large => {
                    check(
                        page.used == 1,
                        "H4",
                        "a large object's page is not in use",
                        at,
                    )?;
                    live += page.pages as usize * PAGE;
                }
                PageKind::Free | PageKind::Nursery => {
                    return fault("H4", "a page of the old generation is of another kind", at);
                }
            }
        }
        check(
            pages == old.pages,
            "H12",
            "the number of pages of the old generation is wrong",
            0,
        )?;
        check(
            old.premature_spans == 0,
            "H4",
            "pages were taken while blocks of that size were free",
            old.premature_spans,
        )?;
        check(
            unswept == old.unswept,
            "H8",
            "the number of unswept spans is wrong",
            0,
        )?;
        check(
            unswept != 0 || old.bytes_dead == 0,
            "H7",
            "the number of bytes of the last mark is wrong",
            0,
        )?;
        check(
            live == old.bytes_allocated,
            "H7",
            "the number of bytes of old objects is wrong",
            0,
        )
    }

    /// Checks a span of blocks. Returns the number of bytes in use.
    fn blocks(&self, span: Span) -> Result<usize, Fault> {
        // SAFETY: the span is the old generation's; no turn runs.
        let page = unsafe { span.0.read() };
        let at = span.start().addr().get();
        let class = page.class as usize;
        check(
            page.pages as usize == span_pages(class),
            "H4",
            "a span of another length than its class",
            at,
        )?;
        let mut used = 0;
        for number in 0..page.occupied.len() * 64 {
            let bit = |bits: &[u64]| bits[number / 64] >> (number % 64) & 1 == 1;
            let (is_used, drops) = (bit(&page.occupied), bit(&page.drops));
            let at = at + number * block_size(class);
            check(is_used || !drops, "H10", "a free block with destructor", at)?;
            check(
                !is_used || number < blocks(class),
                "H4",
                "a block outside of its span",
                at,
            )?;
            used += usize::from(is_used);
            if number >= blocks(class) {
                continue;
            }
            // SAFETY: the block lies in the span.
            let block = unsafe { span.start().add(number * block_size(class)) };
            // SAFETY: the block lies in a chunk. Relaxed: a marker may change the state meanwhile;
            // any value of it is accepted.
            let state = unsafe { state_of(block) }.load(Ordering::Relaxed);
            check(
                !is_used || (1..=3).contains(&state) || self.core.is_marking(),
                "H4",
                "a block in use is marked free",
                at,
            )?;
            if !is_used && self.core.old.free_blocks == FreeBlocks::Poisoned {
                // SAFETY: a free block of this heap, poisoned when it was freed.
                let intact = unsafe { written(block, block_size(class)) }.is_none();
                check(intact, "H4", "a free block was written", at)?;
            }
        }
        check(
            used == page.used as usize,
            "H4",
            "the number of blocks in use is wrong",
            at,
        )?;
        Ok(used * block_size(class))
    }

    /// Checks the remembered set: each object is old, in its place, listed once, and not clean.
    fn remembered(&mut self) -> Result<(), Fault> {
        for &object in self.core.remembered.borrow().iter() {
            let at = object.addr().get();
            let place = self.place(object)?;
            check(
                matches!(place, Place::Old(_)),
                "H5",
                "a young object is remembered",
                at,
            )?;
            check(
                self.remembered.insert(at),
                "H5",
                "an object is remembered twice",
                at,
            )?;
            check(!is_clean(object), "H5", "a clean object is remembered", at)?;
        }
        Ok(())
    }

    /// Checks that a referenced object begins in a page of this heap. Returns its place.
    fn place(&self, object: NonNull<Header>) -> Result<Place, Fault> {
        let at = object.addr().get();
        let Some(&place) = self.pages.get(&(at & !(PAGE - 1))) else {
            return fault("H1", "no page of this heap", at);
        };
        let Place::Old(span) = place else {
            check(
                self.young.contains_key(&at),
                "H3",
                "no young object begins there",
                at,
            )?;
            return Ok(place);
        };
        // SAFETY: the span is the old generation's; no turn runs.
        let page = unsafe { span.0.read() };
        let offset = at - span.start().addr().get();
        let room = match page.kind {
            PageKind::Blocks => {
                let size = block_size(page.class as usize);
                let number = offset / size;
                let used = offset.is_multiple_of(size)
                    && number < blocks(page.class as usize)
                    && page.occupied[number / 64] >> (number % 64) & 1 == 1;
                check(used, "H4", "no block in use begins there", at)?;
                size
            }
            _ => {
                check(offset == 0, "H4", "no large object begins there", at)?;
                page.pages as usize * PAGE
            }
        };
        // SAFETY: a block in use: an object begins there.
        let header = unsafe { object.as_ref() };
        check(
            header.is_live(),
            "H3",
            "an old object has moved, or was never made",
            at,
        )?;
        // SAFETY: an object begins there, and `is_live` has found it in its place.
        let bytes = size_of::<Header>() + unsafe { header.table().bytes(object) };
        check(
            bytes <= room,
            "H4",
            "the object is larger than its block",
            at,
        )?;
        Ok(place)
    }

    /// Checks all objects that the state and the exports reach.
    fn check_reachable<'gc>(
        &mut self,
        state: &impl Object<'gc>,
        mut each: impl FnMut(Option<NonNull<Header>>, &Edges),
    ) -> Result<(), Fault> {
        let mut walk = self.walk();
        let roots = walk.state(state);
        each(None, &roots);
        self.shared.extend(roots.shared);
        while let Some((object, from)) = walk.next() {
            let seen = self.object(&mut walk, object);
            let edges = seen.map_err(|fault| Fault { from, ..fault })?;
            each(Some(object), &edges);
            self.shared.extend(edges.shared);
        }
        Ok(())
    }

    /// A walk from the exports.
    fn walk(&self) -> Walk {
        let own = HeapHandle::name(&self.core.owner);
        Walk::new(own, self.core.live_exports())
    }

    fn object(&self, walk: &mut Walk, object: NonNull<Header>) -> Result<Edges, Fault> {
        let at = object.addr().get();
        let place = self.place(object)?;
        // SAFETY: `place` has checked that an object begins there, and no turn runs.
        let (table, edges) = unsafe { (object.as_ref().table(), walk.scan(object)) };
        check(
            table.needs_trace || edges.own().next().is_none(),
            "H4",
            "references that its type denies",
            at,
        )?;
        match place {
            Place::Nursery => {
                let noted = self.young[&at] == Noted::ForItsDestructor;
                check(
                    noted == table.has_destructor(),
                    "H10",
                    "a destructor is not noted",
                    at,
                )?;
            }
            Place::Old(span) => {
                self.epoch(object, table)?;
                // SAFETY: the span is the old generation's; no turn runs.
                let page = unsafe { span.0.read() };
                let number = match page.kind {
                    PageKind::Blocks => {
                        (at - span.start().addr().get()) / block_size(page.class as usize)
                    }
                    _ => 0,
                };
                let drops = page.drops[number / 64] >> (number % 64) & 1 == 1;
                check(
                    drops == table.has_destructor(),
                    "H10",
                    "a destructor is not noted",
                    at,
                )?;
                let remembered = self.remembered.contains(&at);
                let dirty = !table.mutable || remembered != is_clean(object);
                check(dirty, "H5", "it is not clean, and not remembered", at)?;
                let young = |edge: NonNull<Header>| self.young.contains_key(&edge.addr().get());
                let old_only = remembered || !edges.own().any(young);
                check(
                    old_only,
                    "H5",
                    "it refers to a young object, and is not remembered",
                    at,
                )?;
            }
        }
        self.tag_entry(object)?;
        Ok(edges)
    }
}
