//! Tests of the page pool: what it hands out, takes back and gives back to the system.

use super::*;

#[test]
fn runs_do_not_overlap_and_come_back() {
    let source = Source::new();
    let lengths = [1, 3, 8, 1, 200, 2, 700];
    let runs: Vec<Run> = lengths
        .iter()
        .map(|&pages| {
            source
                .take(pages, NonNull::dangling(), Kind::Cells)
                .unwrap()
        })
        .collect();
    let mut spans: Vec<_> = runs
        .iter()
        .zip(lengths)
        .map(|(run, pages)| (run.start().addr().get(), pages * PAGE))
        .collect();
    spans.sort_unstable();
    assert!(spans.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0));
    assert_eq!(source.stats().pages, lengths.iter().sum());
    // SAFETY: taken above, not used any more.
    unsafe { source.give(runs) };
    assert_eq!(source.stats().pages, 0);
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn the_next_chunks_are_made_ready_before_they_are_needed() {
    let source = Source::new();
    let mut runs = Vec::new();
    let mut prepared = Vec::new();
    while source.stats().chunks < 40 {
        let run = source.take(USABLE, NonNull::dangling(), Kind::Large);
        runs.push(run.expect("the system has memory"));
        if source.is_unready() {
            source.prepare();
            prepared.push(source.stats().chunks);
        }
        assert!(!source.is_unready());
    }
    // Mappings have 1, 1, 2, 4, 8, 16 and 32 chunks: from the one with 8 on chunks are committed
    // two at a time.
    let odd: Vec<usize> = (9..40).step_by(2).collect();
    assert_eq!(prepared, odd);
    // SAFETY: taken above, not used any more.
    unsafe { source.give(runs) };
    assert_eq!(source.stats().pages, 0);
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn memory_is_made_ready_beside_who_takes_it() {
    let source = Source::new();
    let takers = std::sync::atomic::AtomicUsize::new(2);
    std::thread::scope(|scope| {
        for mark in [3_u8, 4] {
            let (source, takers) = (&source, &takers);
            scope.spawn(move || {
                let take = |_| {
                    let run = source.take(USABLE, NonNull::dangling(), Kind::Large);
                    let run = run.expect("the system has memory");
                    // SAFETY: this thread owns the span.
                    unsafe { run.start().write(mark) };
                    run
                };
                let runs: Vec<Run> = (0..50).map(take).collect();
                // SAFETY: taken above, not used any more.
                unsafe {
                    assert!(runs.iter().all(|run| run.start().read() == mark));
                    source.give(runs);
                }
                takers.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            });
            scope.spawn(move || {
                while takers.load(std::sync::atomic::Ordering::Relaxed) != 0 {
                    source.prepare();
                    std::thread::yield_now();
                }
            });
        }
    });
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn trimming_spares_what_is_taken() {
    let source = Source::new();
    let runs = [1, 2, USABLE + 1].map(|pages| {
        source
            .take(pages, NonNull::dangling(), Kind::Large)
            .unwrap()
    });
    // SAFETY: the test owns the spans.
    unsafe {
        runs.iter().for_each(|run| run.start().write(5));
        source.trim();
        assert!(runs.iter().all(|run| run.start().read() == 5));
        source.give(runs);
    }
    assert!(source.stats().chunks <= 1);
}

#[test]
fn what_is_freed_goes_back_to_the_system() {
    let source = Source::new();
    let chunks = if cfg!(miri) { 2 } else { 32 };
    let take = |_| {
        source
            .take(USABLE, NonNull::dangling(), Kind::Large)
            .unwrap()
    };
    for _ in 0..3 {
        let runs: Vec<Run> = (0..chunks).map(take).collect();
        assert_eq!(source.stats().chunks, chunks);
        // SAFETY: taken above, not used any more.
        unsafe { source.give(runs) };
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
    let source = Source::new();
    let mut random = fastrand::Rng::with_seed(7);
    let mut runs: Vec<Option<Run>> = vec![None; if cfg!(miri) { 10 } else { 300 }];
    let mut pages = 0;
    for _ in 0..runs.len() * 20 {
        let place = random.usize(..runs.len());
        match runs[place].take() {
            Some(run) => {
                // SAFETY: taken below, not used any more.
                unsafe {
                    assert_eq!(run.start().cast::<usize>().read(), place);
                    pages -= run.page().pages as usize;
                    source.give([run]);
                }
            }
            None => {
                let length = [1, 2, 7, 64][random.usize(..4)];
                let run = source
                    .take(length, NonNull::dangling(), Kind::Cells)
                    .unwrap();
                // SAFETY: the test owns the span.
                unsafe { run.start().cast::<usize>().write(place) };
                pages += length;
                runs[place] = Some(run);
            }
        }
        assert_eq!(source.stats().pages, pages);
    }
    // SAFETY: taken above, not used any more.
    unsafe { source.give(runs.into_iter().flatten()) };
    assert_eq!(source.stats().pages, 0);
    let first = source
        .take(USABLE, NonNull::dangling(), Kind::Cells)
        .unwrap();
    // SAFETY: this source is used by this thread only.
    assert_eq!(unsafe { Carved::number_of(first.start()) }, 0);
}

#[test]
fn a_bound_is_kept() {
    let source = Source::exhausted_at(2);
    assert!(source.take(2, NonNull::dangling(), Kind::Nursery).is_some());
    assert!(source.take(1, NonNull::dangling(), Kind::Nursery).is_none());
    let source = Source::bounded(2);
    assert!(source.allows(2) && !source.allows(3));
    assert!(source.take(2, NonNull::dangling(), Kind::Nursery).is_some());
    assert!(!source.allows(1));
    assert!(source.take(1, NonNull::dangling(), Kind::Nursery).is_some());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn more_pages_than_a_description_counts_are_refused() {
    let source = Source::new();
    assert!(
        source
            .take(1 << 32, NonNull::dangling(), Kind::Large)
            .is_none()
    );
    assert_eq!(source.stats(), SourceStats::default());
}
