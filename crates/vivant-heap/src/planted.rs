//! Bugs that tests plant, to see that the verifier finds them. Compiled for tests only.

use std::cell::Cell;

/// A bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Planted {
    Nothing,
    /// The barrier does not remember what is written.
    ForgottenWrite,
    /// A chunk of a collection does not pass the barrier before it is changed.
    SecretChange,
    /// A chunk takes note of another slot than the one that is changed.
    NarrowWindow,
    /// The barrier remembers what is written twice.
    RememberedTwice,
    /// A collection forgets that an old object refers to a young one.
    ForgottenOld,
    /// A reference is not told where its object has moved.
    StaleSlot,
    /// A mark does not go on from the objects that it meets.
    ForgottenChildren,
    /// A sweep frees what the mark has met.
    FreedAlive,
    /// A collection does not look at what is watched.
    ForgottenWatch,
    /// A reference is sent on without a weight.
    SkippedInc,
    /// What a heap asks for is kept back until it hears of others.
    BatchedIncs,
    /// Owners are told in the order of their addresses.
    OrderByAddress,
    /// A mark gives up wholes before it has counted their parts.
    DecFirst,
    /// What has come is not counted.
    ForgottenReceipt,
    /// What has come since the last mark is given up by the next one, though it was met.
    ForgottenMeeting,
    /// A mark does not begin with what others know.
    ForgottenExport,
    /// What others knew when a mark began, and know no more when it gets there, is no root.
    LateExport,
    /// Shared objects show what they hold, as private ones do.
    SharedShown,
    /// An old object begins with the mark that is to come.
    WrongEpoch,
    /// Runs that were full when a mark ended are swept before the others.
    FullRunsFirst,
    /// A stub of a young object is not remembered.
    StubNotRemembered,
    /// The table of tags keeps what is in it alive.
    TagTableStrong,
    /// The table of tags keeps entries of stubs that are dead.
    TagTableStale,
    /// A collection of the nursery leaves the table of tags as it was.
    TagNotFollowed,
    /// What a region counts is forgotten when its pages go to a heap.
    ForgottenRegionImport,
    /// What a region remembered is not gone through when it is frozen or merged.
    DroppedBarrier,
    /// What was written in a region is left as it is when it is frozen, because nothing is young.
    UnfrozenBarrier,
    /// What an open region shares refers to what its owner does not count.
    UncountedParts,
    /// A marker goes through an object without a claim.
    Unclaimed,
    /// The owner of an object changes it while somebody else goes through it.
    Impatient,
    /// The first write to an object while a mark runs does not claim it.
    UnclaimedWrite,
    /// A weak reference is upgraded while a mark runs, which does not hear of it.
    SecretUpgrade,
    /// A tag of an object is found in the table while a mark runs, which does not hear of it.
    SecretTag,
    /// What a mark has found dead is given to a turn while it is settled: by a weak reference, or
    /// by the table of tags.
    LateRevival,
    /// What comes from other heaps while a mark's dead are settled is given up.
    WhiteArrival,
    /// What comes from other heaps while a mark runs is given up at its end.
    WhiteImport,
    /// What an orphan hears in the middle of a mark is forgotten with that mark.
    DeafOrphan,
    /// A map that never changes keeps a node for one entry.
    LoneEntry,
    /// An ordered map or a text that never changes leaves a node that is too small.
    SmallNode,
}

thread_local! {
    static PLANTED: Cell<Planted> = const { Cell::new(Planted::Nothing) };
}

/// Whether the test that runs on this thread has planted `bug`.
pub(crate) fn is_planted(bug: Planted) -> bool {
    PLANTED.get() == bug
}

/// Runs `test` with `bug` in place.
pub(crate) fn with<T>(bug: Planted, test: impl FnOnce() -> T) -> T {
    PLANTED.set(bug);
    let result = test();
    PLANTED.set(Planted::Nothing);
    result
}
