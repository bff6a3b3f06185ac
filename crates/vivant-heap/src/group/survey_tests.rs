//! Surveys: which heaps a cycle of references can pass through.

use super::group_mark::{Members, Visit};
use super::group_survey::{GroupSurvey, SurveyProgress};
use super::member::Member;
use super::model_program::{HEAPS, Message, Program};

/// The heaps of a program, of which one may run a turn for ever.
struct Heaps<'p> {
    program: &'p mut Program,
    busy: Option<usize>,
    waits: usize,
}

// SAFETY: the program runs no turn during a step of a survey (X11).
unsafe impl Members for Heaps<'_> {
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
        if self.busy == Some(member) {
            return Visit::Active;
        }
        visit(self.program.heaps[member].member());
        Visit::Done
    }
}

fn groups(program: &mut Program, busy: Option<usize>, most: usize) -> Vec<Vec<usize>> {
    let mut heaps = Heaps {
        program,
        busy,
        waits: 0,
    };
    let mut survey = GroupSurvey::new(HEAPS, 0);
    loop {
        match survey.step(&mut heaps) {
            SurveyProgress::More => {}
            SurveyProgress::Wait => heaps.waits += 1,
            SurveyProgress::Done => break,
        }
    }
    assert_eq!(heaps.waits > 0, busy.is_some());
    std::iter::from_fn(|| survey.next_group(most)).collect()
}

/// Heap `to` gets so many tags of objects of heap `from`.
fn send(program: &mut Program, from: usize, to: usize, tags: usize) {
    for _ in 0..tags {
        program.make_thing(from);
        let parcel = program.heaps[from].turn(|m, roots| {
            let own = roots.owns.last().expect("one was made");
            m.pack::<Message>((Some(m.tag(*own)), None))
        });
        program.heaps[to].turn(|m, roots| roots.names.extend(m.unpack(parcel).0));
    }
}

#[test]
fn heaps_that_lead_to_each_other_are_a_group() {
    let mut program = Program::new(0);
    assert!(groups(&mut program, None, HEAPS).is_empty());
    // More imports than one visit reads.
    send(&mut program, 0, 1, 10);
    send(&mut program, 1, 2, 10);
    assert!(groups(&mut program, None, HEAPS).is_empty(), "a chain");
    send(&mut program, 1, 0, 10);
    assert_eq!(groups(&mut program, None, HEAPS), [[0, 1]]);
    send(&mut program, 2, 0, 1);
    assert_eq!(groups(&mut program, None, HEAPS), [[0, 1, 2]]);
    program.forget_all();
}

#[test]
fn a_heap_that_is_busy_is_left_out() {
    let mut program = Program::new(0);
    for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
        send(&mut program, from, to, 1);
    }
    assert_eq!(groups(&mut program, Some(2), HEAPS), [[0, 1]]);
    assert!(groups(&mut program, Some(1), HEAPS).is_empty());
    program.forget_all();
}

#[test]
fn a_group_has_no_more_members_than_it_may() {
    let mut program = Program::new(0);
    for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
        send(&mut program, from, to, 1);
    }
    assert_eq!(groups(&mut program, None, 2), [[0, 1], [0, 2]]);
    program.forget_all();
}
