//! Defects of the protocol, which the checks of the model find.

/// A defect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::phase) enum Defect {
    None,
    OldMessageLeftInQueue,
    OldMessageLeftDeferred,
    DisplacedUnrecorded,
    CaptureAfterNewerMessage,
    OutsideThreadNotAwaited,
    RefusalWithPhaseOfSender,
    RefusedUnrecorded,
    SignalWithoutPhase,
    PhaseReadBeforeCount,
    NameSeenAcrossLine,
    ChildInPassOfSystem,
    PassBeforeTheLastIsOver,
    EntryTakenUnrecorded,
    NewerEntryRecorded,
    LineInTurn,
}

impl Defect {
    /// Each defect, and what the checks say of the first cut that it breaks.
    pub(in crate::phase) const ALL: &[(Defect, &[&str])] = &[
        (Defect::OldMessageLeftInQueue, &["is lost"]),
        (Defect::OldMessageLeftDeferred, &["is lost"]),
        (Defect::DisplacedUnrecorded, &["is lost"]),
        (
            Defect::CaptureAfterNewerMessage,
            &[
                "is taken in the cut and made behind it",
                "waits in the cut and is made behind it",
            ],
        ),
        (
            Defect::OutsideThreadNotAwaited,
            &[
                "a thread of an earlier phase sends",
                "waits when the cut is complete",
            ],
        ),
        (
            Defect::RefusalWithPhaseOfSender,
            &[
                "is taken in the cut and made behind it",
                "waits in the cut and is made behind it",
            ],
        ),
        (Defect::RefusedUnrecorded, &["is lost"]),
        (
            Defect::SignalWithoutPhase,
            &["is taken in the cut and made behind it", "is lost"],
        ),
        (
            Defect::PhaseReadBeforeCount,
            &["is taken in the cut and made behind it"],
        ),
        (
            Defect::NameSeenAcrossLine,
            &["is taken in the cut and made behind it"],
        ),
        (Defect::ChildInPassOfSystem, &["born in the cut"]),
        (
            Defect::PassBeforeTheLastIsOver,
            &["is twice in the cut", "is lost"],
        ),
        (Defect::EntryTakenUnrecorded, &["was written last"]),
        (Defect::NewerEntryRecorded, &["was written last"]),
        (Defect::LineInTurn, &["has made a cut void"]),
    ];
}
