//! Random programs on the reference model, and the checks of each cut.

use super::model::{ACTORS, Actor, At, Defect, Kind, Line, Model, News, OUTSIDE};
use super::number::Walk;
use crate::oracle::Dice;

const STEPS: usize = 400;
const ACTORS_MAX: usize = ACTORS + 3;

/// Whether `at` is in the cut. `None`: an outside thread is in no cut.
fn is_in_cut(model: &Model, at: At) -> Option<bool> {
    let At::Actor(actor, event) = at else {
        return None;
    };
    Some(match model.actors[actor].line {
        Line::At(line) => event < line,
        Line::AllBehind => false,
        // It had ended before the line.
        Line::NotYet => true,
    })
}

fn check_news(model: &Model, number: usize, news: &News) -> Result<(), String> {
    let made = is_in_cut(model, news.made);
    let taken = news.taken.map(|at| is_in_cut(model, at) == Some(true)) == Some(true);
    let records = model.waiting.iter().filter(|one| **one == number).count();
    match (news.kind, made) {
        (_, Some(false)) if taken => Err(format!("{news:?} is taken in the cut, made behind it")),
        (Kind::LastAddress | Kind::Entry, _) => Ok(()),
        (_, Some(made)) => match records == usize::from(made && !taken) {
            true => Ok(()),
            false => Err(format!("{news:?} is recorded {records} times as waiting")),
        },
        (_, None) if records + usize::from(taken) > 1 => Err(format!("{news:?} is twice there")),
        (_, None) => Ok(()),
    }
}

/// What an outside thread sent before something in the cut is in the cut.
fn check_outside(model: &Model) -> Result<(), String> {
    for thread in 0..OUTSIDE {
        let mut missing = None;
        for (number, news) in model.news.iter().enumerate() {
            let At::Outside(by, _) = news.made else {
                continue;
            };
            if by != thread {
                continue;
            }
            let taken = news.taken.and_then(|at| is_in_cut(model, at)) == Some(true);
            let is_refused = matches!(news.taken, Some(At::Outside(..)));
            match taken || model.waiting.contains(&number) {
                true if missing.is_some() => {
                    return Err(format!(
                        "{:?} is before {news:?}",
                        missing.map(|n: usize| &model.news[n])
                    ));
                }
                false if !is_refused => missing = missing.or(Some(number)),
                _ => {}
            }
        }
    }
    Ok(())
}

fn check_child(model: &Model, child: &Actor) -> Result<(), String> {
    let Some(born) = child.born.and_then(|at| is_in_cut(model, at)) else {
        return Ok(());
    };
    match born == (child.line != Line::AllBehind) {
        true => Ok(()),
        false => Err(format!("{child:?} is born in the cut: {born}")),
    }
}

fn check_cut(model: &Model) -> Result<(), String> {
    if model.is_void {
        return Ok(());
    }
    let mut news = model.news.iter().enumerate();
    news.try_for_each(|(number, news)| check_news(model, number, news))?;
    check_outside(model)?;
    let mut children = model.actors.iter();
    children.try_for_each(|child| check_child(model, child))
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
    if model.is_over() && dice.below(4) == 0 {
        if model.pass.walk() == Walk::Mailbox && model.pass.number() > 0 {
            check_cut(model).map_err(|wrong| format!("{wrong} {model:#?}"))?;
            check_complete(model)?;
            cuts.taken += 1;
            cuts.void += usize::from(model.is_void);
        }
        model.begin_next_pass();
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

/// Each defect is found under some seed.
#[test]
fn each_defect_is_found() {
    for defect in Defect::ALL {
        let is_found = |seed| run(seed, *defect, &mut Cuts::default()).is_err();
        assert!((0..SEEDS).any(is_found), "{defect:?} is not found");
    }
}
