//! Random programs on the reference model, and the checks of each cut.

use super::history::{HistoryCut, Kind, Line, News, Taken};
use super::model::{ACTORS, Defect, Model, OUTSIDE};
use super::number::Walk;
use crate::oracle::Dice;

const STEPS: usize = 400;
const ACTORS_MAX: usize = ACTORS + 3;

fn check_cut(model: &Model) -> Result<(), String> {
    if model.is_void {
        return match model.has_paused {
            true => Err("a turn has made a cut void whose line began in a pause".into()),
            false => Ok(()),
        };
    }
    let lines: Vec<_> = model.actors.iter().map(|actor| actor.line).collect();
    let born: Vec<_> = model.actors.iter().map(|actor| actor.born).collect();
    let cut = HistoryCut {
        news: &model.news,
        lines: &lines,
        born: &born,
        waiting: &model.waiting,
    };
    cut.check()?;
    check_table(model, &cut)
}

/// L10: the table in the cut has what was written last before the line.
fn check_table(model: &Model, cut: &HistoryCut<'_>) -> Result<(), String> {
    let is_written = |news: &News| news.kind == Kind::Entry && news.taken == Taken::NotYet;
    let mut news = model.news.iter();
    let last = news.rposition(|news| is_written(news) && cut.has(news.made) == Some(true));
    match model.entries == Vec::from_iter(last) {
        true => Ok(()),
        false => Err(format!(
            "{last:?} was written last, not {:?}",
            model.entries
        )),
    }
}

/// No older message is there when the cut is complete.
fn check_complete(model: &Model) -> Result<(), String> {
    let stamp = model.pass.phase().stamp();
    let late = |thread: &super::model::Thread| {
        thread
            .sends_in
            .is_some_and(|pass| pass.phase() != model.pass.phase())
    };
    for actor in model.actors.iter().filter(|actor| actor.ended.is_none()) {
        let mut messages = actor.inbox.iter().chain(&actor.deferred);
        if let Some(message) = messages.find(|message| message.stamp != stamp) {
            return Err(format!("{message:?} waits when the cut is complete"));
        }
    }
    match model.threads.iter().any(late) {
        true => Err("a thread of an earlier phase sends when the cut is complete".into()),
        false => Ok(()),
    }
}

/// The numbers of cuts that were taken, and of those that are void.
#[derive(Default)]
struct Cuts {
    taken: usize,
    void: usize,
}

fn coordinate(model: &mut Model, dice: &mut Dice, cuts: &mut Cuts) -> Result<(), String> {
    if model.is_pausing {
        model.begin_line_in_pause();
    } else if model.is_over() && dice.below(4) == 0 {
        if model.pass.walk() == Walk::Mailbox && model.pass.number() > 0 {
            model.record_table();
            check_cut(model).map_err(|wrong| format!("{wrong} {model:#?}"))?;
            check_complete(model)?;
            cuts.taken += 1;
            cuts.void += usize::from(model.is_void);
        }
        model.is_pausing = model.pass.walk() == Walk::Mailbox && dice.below(3) == 0;
        if !model.is_pausing {
            model.begin_next_pass();
        }
    }
    let actor = dice.below(model.actors.len());
    if !model.actors[actor].runs && model.actors[actor].ended.is_none() {
        model.enter(actor);
    }
    Ok(())
}

fn outside_step(model: &mut Model, dice: &mut Dice) {
    let thread = dice.below(OUTSIDE);
    match model.threads[thread].sends_in {
        None => model.begin_to_send(thread, dice.below(model.actors.len())),
        Some(_) => model.send_from_outside(thread),
    }
}

fn actor_step(model: &mut Model, dice: &mut Dice) {
    let actor = dice.below(model.actors.len());
    let other = dice.below(model.actors.len());
    // Nothing before the line has the address of an actor that was born behind it.
    let is_known =
        model.actors[other].line != Line::AllBehind || model.actors[actor].line != Line::NotYet;
    if model.actors[actor].ended.is_some() {
        return;
    }
    if !model.actors[actor].runs {
        if model.is_pausing {
            return;
        }
        model.actors[actor].runs = true;
        model.enter(actor);
        model.handle_signals(actor);
        return;
    }
    match dice.below(40) {
        0..8 => model.process(actor, false),
        8..12 => model.process(actor, true),
        12..14 => model.defer(actor),
        14..29 if !is_known => {}
        14..24 => model.send_from(Kind::Message, actor, other),
        24..27 => model.send_from(Kind::Signal, actor, other),
        27 => model.handle_signals(actor),
        28 if actor != other => model.drop_last_address(actor, other),
        29..31 => model.end_unreferenced(actor),
        31 if model.actors.len() < ACTORS_MAX => model.give_birth(actor),
        32 => model.write_entry(actor),
        33 => model.read_entry(actor),
        _ => model.actors[actor].runs = false,
    }
}

/// Runs one random program. An error says what is wrong with a cut.
fn run(seed: u64, defect: Defect, cuts: &mut Cuts) -> Result<(), String> {
    let (mut model, mut dice) = (Model::new(defect), Dice::new(seed));
    for _ in 0..STEPS {
        match dice.below(8) {
            0 | 1 => coordinate(&mut model, &mut dice, cuts)?,
            2 => outside_step(&mut model, &mut dice),
            _ => actor_step(&mut model, &mut dice),
        }
    }
    Ok(())
}

const SEEDS: u64 = if cfg!(miri) { 20 } else { 10_000 };

#[test]
fn every_cut_is_consistent() {
    let mut cuts = Cuts::default();
    for seed in 0..SEEDS {
        if let Err(wrong) = run(seed, Defect::None, &mut cuts) {
            panic!("seed {seed}: {wrong}");
        }
    }
    let (taken, void) = (cuts.taken, cuts.void);
    assert!(taken > SEEDS as usize, "{taken} cuts are too few");
    assert!(
        void > 0 && void < taken / 2,
        "{void} of {taken} cuts are void"
    );
}

/// Each defect is found under some seed, for what it is.
#[test]
fn each_defect_is_found() {
    for (defect, words) in Defect::ALL {
        let found = |seed| run(seed, *defect, &mut Cuts::default()).err();
        let wrong = (0..SEEDS).find_map(found);
        let wrong = wrong.unwrap_or_else(|| panic!("{defect:?} is not found"));
        let is_said = words.iter().any(|words| wrong.contains(words));
        assert!(is_said, "{defect:?}: {wrong}");
    }
}
