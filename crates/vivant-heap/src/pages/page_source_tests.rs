//! Tests of the page pool: what it hands out, takes back and gives back to the system.

use super::*;

#[test]
fn spans_do_not_overlap_and_are_reused() {
    let source = PageSource::new();
    let lengths = [1, 3, 8, 1, 200, 2, 700];
    let spans: Vec<Span> = lengths
        .iter()
        .map(|&pages| {
            source
                .take(pages, NonNull::dangling(), PageKind::Blocks)
                .unwrap()
        })
        .collect();
    let mut ranges: Vec<_> = spans
        .iter()
        .zip(lengths)
        .map(|(span, pages)| (span.start().addr().get(), pages * PAGE))
        .collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0));
    assert_eq!(source.stats().pages, lengths.iter().sum::<usize>());
    // SAFETY: taken above, not used any more.
    unsafe { source.give(spans) };
    assert_eq!(source.stats().pages, 0);
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn the_next_chunks_are_prefaulted() {
    let source = PageSource::new();
    let mut spans = Vec::new();
    let mut prepared = Vec::new();
    while source.stats().chunks < 40 {
        let span = source.take(USABLE, NonNull::dangling(), PageKind::Large);
        spans.push(span.expect("the system has memory"));
        if source.needs_prefault() {
            source.prefault();
            prepared.push(source.stats().chunks);
        }
        assert!(!source.needs_prefault());
    }
    // Mappings have 1, 1, 2, 4, 8, 16 and 32 chunks: from the one with 8 on chunks are committed
    // two at a time.
    let odd: Vec<usize> = (9..40).step_by(2).collect();
    assert_eq!(prepared, odd);
    // SAFETY: taken above, not used any more.
    unsafe { source.give(spans) };
    assert_eq!(source.stats().pages, 0);
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn memory_is_prefaulted_during_allocation() {
    let source = PageSource::new();
    let takers = std::sync::atomic::AtomicUsize::new(2);
    std::thread::scope(|scope| {
        for mark in [3_u8, 4] {
            let (source, takers) = (&source, &takers);
            scope.spawn(move || {
                let take = |_| {
                    let span = source.take(USABLE, NonNull::dangling(), PageKind::Large);
                    let span = span.expect("the system has memory");
                    // SAFETY: this thread owns the span.
                    unsafe { span.start().write(mark) };
                    span
                };
                let spans: Vec<Span> = (0..50).map(take).collect();
                // SAFETY: taken above, not used any more.
                unsafe {
                    assert!(spans.iter().all(|span| span.start().read() == mark));
                    source.give(spans);
                }
                takers.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            });
            scope.spawn(move || {
                while takers.load(std::sync::atomic::Ordering::Relaxed) != 0 {
                    source.prefault();
                    std::thread::yield_now();
                }
            });
        }
    });
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn trimming_keeps_spans_in_use() {
    let source = PageSource::new();
    let spans = [1, 2, USABLE + 1].map(|pages| {
        source
            .take(pages, NonNull::dangling(), PageKind::Large)
            .unwrap()
    });
    // SAFETY: the test owns the spans.
    unsafe {
        spans.iter().for_each(|span| span.start().write(5));
        source.trim();
        assert!(spans.iter().all(|span| span.start().read() == 5));
        source.give(spans);
    }
    assert!(source.stats().chunks <= 1);
}

/// The system returns the pages that were given back to it as zeroed ones.
#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn trimmed_pages_lose_their_content() {
    const PAGES: usize = 4;
    let source = PageSource::new();
    let take = || {
        source
            .take(PAGES, NonNull::dangling(), PageKind::Blocks)
            .unwrap()
    };
    let span = take();
    let start = span.start();
    // SAFETY: taken above, of this length, and not used any more after the write (X2, X4).
    unsafe {
        start.write_bytes(7, PAGES * PAGE);
        source.give([span]);
    }
    assert_eq!(source.trim(), PAGES * PAGE);
    let again = take();
    assert_eq!(again.start(), start, "the first place that is free");
    // SAFETY: taken above, and not used any more after the reads (X2); the offsets are below its
    // length (X4), and its pages are zeroed, or written above (X5).
    let is_zeroed = unsafe {
        let is_zeroed = (0..PAGES * PAGE).all(|offset| start.add(offset).read() == 0);
        source.give([again]);
        is_zeroed
    };
    assert!(is_zeroed, "the system has not taken the pages back");
}

#[test]
fn freed_chunks_return_to_the_system() {
    let source = PageSource::new();
    let chunks = if cfg!(miri) { 2 } else { 32 };
    let take = |_| {
        source
            .take(USABLE, NonNull::dangling(), PageKind::Large)
            .unwrap()
    };
    for _ in 0..3 {
        let spans: Vec<Span> = (0..chunks).map(take).collect();
        assert_eq!(source.stats().chunks, chunks);
        // SAFETY: taken above, not used any more.
        unsafe { source.give(spans) };
        let stats = source.stats();
        assert_eq!(stats.pages, 0);
        assert!(stats.kept <= KEPT, "{stats:?}");
    }
    let kept = source.stats().kept;
    assert_eq!(source.trim(), kept * PAGE);
    assert_eq!(source.stats().kept, 0);
}

#[test]
fn holes_are_filled() {
    let source = PageSource::new();
    let mut random = fastrand::Rng::with_seed(7);
    let mut spans: Vec<Option<Span>> = vec![None; if cfg!(miri) { 10 } else { 300 }];
    let mut pages = 0;
    for _ in 0..spans.len() * 20 {
        let place = random.usize(..spans.len());
        match spans[place].take() {
            Some(span) => {
                // SAFETY: taken below, not used any more.
                unsafe {
                    assert_eq!(span.start().cast::<usize>().read(), place);
                    pages -= span.page().pages as usize;
                    source.give([span]);
                }
            }
            None => {
                let length = [1, 2, 7, 64][random.usize(..4)];
                let span = source
                    .take(length, NonNull::dangling(), PageKind::Blocks)
                    .unwrap();
                // SAFETY: the test owns the span.
                unsafe { span.start().cast::<usize>().write(place) };
                pages += length;
                spans[place] = Some(span);
            }
        }
        assert_eq!(source.stats().pages, pages);
    }
    // SAFETY: taken above, not used any more.
    unsafe { source.give(spans.into_iter().flatten()) };
    assert_eq!(source.stats().pages, 0);
    let first = source
        .take(USABLE, NonNull::dangling(), PageKind::Blocks)
        .unwrap();
    // SAFETY: this source is used by this thread only.
    assert_eq!(unsafe { SpanBitmap::number_of(first.start()) }, 0);
}

#[test]
fn a_bound_limits_the_pages_in_use() {
    let source = PageSource::exhausted_at(2);
    assert!(
        source
            .take(2, NonNull::dangling(), PageKind::Nursery)
            .is_some()
    );
    assert!(
        source
            .take(1, NonNull::dangling(), PageKind::Nursery)
            .is_none()
    );
    let source = PageSource::bounded(2);
    assert!(source.allows(2) && !source.allows(3));
    assert!(
        source
            .take(2, NonNull::dangling(), PageKind::Nursery)
            .is_some()
    );
    assert!(!source.allows(1));
    assert!(
        source
            .take(1, NonNull::dangling(), PageKind::Nursery)
            .is_some()
    );
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_span_too_long_for_its_description_is_refused() {
    let source = PageSource::new();
    assert!(
        source
            .take(1 << 32, NonNull::dangling(), PageKind::Large)
            .is_none()
    );
    assert_eq!(source.stats(), PageSourceStats::default());
}
