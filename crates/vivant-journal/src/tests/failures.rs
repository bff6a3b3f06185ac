//! Each operation fails: a full disk, an error, a short write. The answer is a typed error, the
//! images before stay, and the next image succeeds.

use super::{latest_tag, open, publish, small};
use crate::store::simulated_files::{Failure, Plan, SimulatedFiles};
use crate::{Error, Operation};
use std::collections::BTreeSet;

const FAILURES: [Failure; 4] = [
    Failure::Full,
    Failure::Broken,
    Failure::Short,
    Failure::Zero,
];

#[test]
fn a_failure_at_any_operation_is_an_error_and_earlier_images_stay() {
    let mut failed = [0; 4];
    // What an earlier failure has left too is opened once.
    let mut opened = BTreeSet::new();
    for (kind, failure) in FAILURES.into_iter().enumerate() {
        for at in 0.. {
            let files = SimulatedFiles::new(Plan::FailAt(at, failure));
            let Ok(journal) = open(&files, small()) else {
                failed[kind] += 1;
                continue;
            };
            let mut acknowledged = 0;
            for tried in 1..=3 {
                match publish(&journal, tried) {
                    Ok(published) => {
                        acknowledged = tried;
                        failed[kind] += usize::from(published.not_removed.is_some());
                    }
                    Err(error) => {
                        assert!(matches!(error, Error::Store { .. }), "{error}");
                        failed[kind] += 1;
                    }
                }
                let has_failed = files.operations() > at;
                // Reading is not to fail here: the failure was, or is yet to come.
                if has_failed {
                    let tag = latest_tag(journal.catalog()).unwrap_or(0);
                    assert!((acknowledged..=tried).contains(&tag), "{tag}");
                    // The next image sweeps first, and power is lost right after.
                    drop(journal.begin().unwrap());
                }
                for state in files.after_power_loss() {
                    let files = SimulatedFiles::of(&state, Plan::Nothing);
                    if opened.insert((acknowledged, tried, state)) {
                        let tag = latest_tag(open(&files, small()).unwrap().catalog()).unwrap_or(0);
                        assert!((acknowledged..=tried).contains(&tag), "{tag}");
                    }
                }
            }
            if files.operations() <= at {
                break;
            }
            publish(&journal, 4).unwrap();
            assert_eq!(latest_tag(journal.catalog()), Some(4));
            assert_eq!(files.visible().len(), 3, "what failed is removed");
        }
    }
    let [full, broken, short, zero] = failed;
    assert!(full > 60 && broken > 60 && zero > 10, "{failed:?}");
    assert_eq!(short, 0, "a short write is continued");
}

#[test]
fn an_error_says_what_where_and_what_to_do() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).unwrap();
    let image = journal.begin().unwrap();
    drop(image.segment().unwrap());
    let error = image.publish(b"").unwrap_err().to_string();
    assert_eq!(
        error,
        "image 1 is not published: 1 of its segments are not finished; finish each, and begin the image anew if a \
         write failed"
    );

    let at = files.operations() + 1;
    drop(journal);
    let files = SimulatedFiles::new(Plan::FailAt(at, Failure::Full));
    let journal = open(&files, small()).unwrap();
    let Err(error) = publish(&journal, 1) else {
        panic!("it fails")
    };
    assert!(matches!(
        error,
        Error::Store {
            operation: Operation::Create | Operation::Write,
            ..
        }
    ));
    assert!(
        error.to_string().contains("00000000000000000001-0000"),
        "{error}"
    );
}

#[test]
fn a_segment_that_has_failed_takes_no_more() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).unwrap();
    let image = journal.begin().unwrap();
    let mut segment = image.segment().unwrap();
    files.fail_next(Failure::Broken);
    assert!(matches!(
        segment.append(1, 0, &[1; 64]),
        Err(Error::Store { .. })
    ));
    assert!(matches!(segment.finish(), Err(Error::SegmentFailed { .. })));
    let error = image.publish(b"").unwrap_err();
    assert!(matches!(
        error,
        Error::SegmentsNotFinished { unfinished: 1, .. }
    ));
}
