//! The program ends at every operation, and each state that a loss of power may leave is opened:
//! the latest image is the acknowledged one or the one being published, and no image is damaged.
//!
//! What this does not check: disks that change durable bytes (`damage.rs` does), and real file
//! systems.

use super::{latest_tag, open, publish, small};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::store::simulated_files::{Plan, SimulatedFiles};
use crate::{Error, Journal, Settings};
use std::collections::BTreeSet;

/// Opens a store and publishes three images. Counts what is acknowledged.
fn program(files: &SimulatedFiles, settings: Settings, acknowledged: &mut u8) -> Result<(), Error> {
    let journal = open(files, settings)?;
    for tag in 1..=3 {
        publish(&journal, tag)?;
        *acknowledged = tag;
    }
    Ok(())
}

/// The latest image is the acknowledged one or the next.
fn check(journal: &Journal, acknowledged: u8) -> u8 {
    let tag = latest_tag(journal.catalog()).unwrap_or(0);
    assert!(
        tag == acknowledged || tag == acknowledged + 1,
        "{tag} after {acknowledged}"
    );
    tag
}

/// Crashes at every operation. Returns the numbers of crashes, and of states that were opened.
fn crash_everywhere(settings: Settings) -> (usize, usize) {
    // What an earlier crash has left too is opened once.
    let (mut opened, mut reopened) = (BTreeSet::new(), BTreeSet::new());
    for at in 0.. {
        let files = SimulatedFiles::new(Plan::CrashAt(at));
        let mut acknowledged = 0;
        let outcome = program(&files, settings, &mut acknowledged);
        // A failure of retention does not fail the publication: the last image is one.
        let has_crashed = files.operations() > at;
        assert!(has_crashed || outcome.is_ok());
        for state in files.after_power_loss() {
            let files = SimulatedFiles::of(&state, Plan::Nothing);
            if opened.insert((acknowledged, state)) {
                let journal = open(&files, settings).unwrap();
                check(&journal, acknowledged);
                publish(&journal, 4).unwrap();
                assert_eq!(latest_tag(journal.catalog()), Some(4));
            }
        }
        // No loss of power yet: there is one in the middle of the next opening, or after it.
        for at in 0.. {
            let files = files.after_program_end(Plan::CrashAt(at));
            let journal = open(&files, settings);
            let has_crashed = files.operations() > at;
            let files = files.after_program_end(Plan::Nothing);
            let seen = match has_crashed {
                true => None,
                false => Some(check(&open(&files, settings).unwrap(), acknowledged)),
            };
            drop(journal);
            for state in files.after_power_loss() {
                let files = SimulatedFiles::of(&state, Plan::Nothing);
                if reopened.insert((acknowledged, seen, state)) {
                    let tag = check(&open(&files, settings).unwrap(), acknowledged);
                    assert!(
                        seen.is_none_or(|seen| seen == tag),
                        "what was read has gone"
                    );
                }
            }
            if !has_crashed {
                break;
            }
        }
        if !has_crashed {
            return (at, opened.len());
        }
    }
    unreachable!()
}

#[test]
fn a_crash_at_any_operation_leaves_this_image_or_the_one_before() {
    let (crashes, opened) = crash_everywhere(small());
    // The exact numbers are not the point; that there are many is.
    assert!(
        crashes > 60 && opened > 2_000,
        "{crashes} crashes, {opened} states"
    );
}

#[test]
fn nothing_is_left_of_a_crash_after_the_next_image() {
    for at in 0..40 {
        let files = SimulatedFiles::new(Plan::CrashAt(at));
        let _outcome = program(&files, small(), &mut 0);
        let files = files.after_program_end(Plan::Nothing);
        publish(&open(&files, small()).unwrap(), 4).unwrap();
        assert_eq!(files.visible().len(), 3, "a manifest and two segments");
    }
}

#[test]
fn canary_a_manifest_published_before_the_sync_is_caught() {
    must_catch(InjectedFault::ManifestBeforeSync, || {
        crash_everywhere(small());
    });
}

#[test]
fn canary_a_segment_that_is_not_synced_is_caught() {
    must_catch(InjectedFault::SegmentNotSynced, || {
        crash_everywhere(small());
    });
}

#[test]
fn canary_a_directory_that_is_not_synced_is_caught() {
    must_catch(InjectedFault::DirectoryNotSynced, || {
        crash_everywhere(small());
    });
}
