//! [`RecordKind`]: what a record of an image is.

/// The kind of a record in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum RecordKind {
    /// `SystemRecord`, once.
    System = 1,
    /// The table of shapes, once.
    Shapes = 2,
    /// `ActorRecord`.
    Actor = 3,
    /// `WaitingRecord`.
    Waiting = 4,
}

impl RecordKind {
    pub(super) const ALL: [RecordKind; 4] = [
        RecordKind::System,
        RecordKind::Shapes,
        RecordKind::Actor,
        RecordKind::Waiting,
    ];

    pub(super) fn of(number: u16) -> Option<RecordKind> {
        let mut all = RecordKind::ALL.into_iter();
        all.find(|kind| kind.number() == number)
    }

    pub(super) fn number(self) -> u16 {
        self as u16
    }
}
