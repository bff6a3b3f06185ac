//! `vivant snapshot`: what it prints of images, whole ones and others.

mod commands;
mod forge;
mod forged;
mod forged_heaps;
mod forged_messages;
mod golden;
mod heaps;
mod hostile;
mod program;
mod store;
mod zoo;

use vivant_cli::snapshot::{Problem, Verdict};

/// What a command prints, and its verdict.
fn printed(
    command: impl FnOnce(&mut Vec<u8>) -> Result<Verdict, Problem>,
) -> Result<(String, Verdict), Problem> {
    let mut out = Vec::new();
    let verdict = command(&mut out)?;
    Ok((String::from_utf8(out).expect("it is text"), verdict))
}
