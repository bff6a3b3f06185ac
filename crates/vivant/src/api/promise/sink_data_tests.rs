//! The names of the kinds of sinks, which files have.

use super::*;

#[test]
fn each_kind_has_a_name_of_its_own() {
    let target = ActorName { system: 1, id: 2 };
    let behaviour = Name::new("any");
    let join = |kind| {
        SinkKind::Join(JoinData {
            kind,
            at: 0,
            missing: 1,
            spare: 0,
        })
    };
    let waiting = Vec::new();
    let wait = |purpose| SinkKind::Wait { purpose };
    let kinds = [
        (SinkKind::Discard, "discard"),
        (SinkKind::Answer, "answer"),
        (SinkKind::Then { target, behaviour }, "then"),
        (SinkKind::Limit { until_ns: 1 }, "limit"),
        (join(JoinKind::All), "all"),
        (join(JoinKind::Any), "any"),
        (join(JoinKind::Quorum), "quorum"),
        (join(JoinKind::AllSettled), "all_settled"),
        (wait(WaitPurpose::Reply), "wait"),
        (wait(WaitPurpose::Start), "wait_for_start"),
        (wait(WaitPurpose::Stop), "wait_for_stop"),
        (SinkKind::StartState, "start_state"),
        (SinkKind::ThenLocal { target }, "then_local"),
        (SinkKind::PassTo { target, behaviour }, "pass_to"),
        (SinkKind::Map, "map"),
        (SinkKind::Pipeline { waiting }, "pipeline"),
    ];
    for (kind, name) in kinds {
        assert_eq!(kind.name(), Name::new(name));
    }
}
