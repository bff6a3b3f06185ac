//! `tidy`: this project's own rules, which no other tool checks. Each rule is a pure function over
//! paths and texts and has a self-test among its tests: a bad text that it must flag.
//!
//! - [`layers`]: the folders of a crate import each other only downwards.
//! - [`length`]: a file that is too long to hold in the head.
//! - [`unsafe_counts`]: a folder holds no more `unsafe` than it did.
//! - [`safety_rules`]: a `SAFETY:` comment names the rule that it rests on, by a number that a
//!   document defines.
//! - [`seams`]: atomics come from `crate::sync`; time and chance come from the oracle.
//! - [`observations`]: what a turn learns from others passes through one function.
//! - [`eager_guards`]: no guard is made as an argument that may be thrown away.
//! - [`heads`]: a file says in its head what it holds.
//! - [`glossary`]: the glossary names code that exists, and protocols begin with its terms.
//! - [`code_tour`]: the code tour leads to what is there.
//! - [`named_code`]: documents name files and functions that exist.
//! - [`links`]: a link of a document leads to a file that is there.
//! - [`protocols`]: a folder that holds a protocol explains it.
//! - [`prose`]: comments and documents are plain English, in lines of one length.
//! - [`user_docs`]: documentation for users has no numbers of rules.
//! - [`words`]: names and macros that we do not want.
//!
//! What it does not do: it knows no types. A clock behind a renamed import is found by
//! `clippy.toml`, not here.

mod code;
mod code_tour;
mod definitions;
mod eager_guards;
mod glossary;
mod heads;
mod layers;
mod length;
mod links;
mod markdown;
mod named_code;
mod observations;
mod prose;
mod protocols;
mod ratchet;
mod safety_rules;
mod seams;
mod syntax;
mod unsafe_counts;
mod user_docs;
mod uses;
mod words;

use crate::{Failure, workspace};
use code::Code;
use std::collections::BTreeSet;
use std::fmt;

/// A violation of a rule, and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from 1; 0 is the file as a whole.
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

#[derive(Default, clap::Args)]
pub(crate) struct Options {
    /// Print the tables of layers, and every exception with its place
    #[arg(long)]
    layers: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let paths: BTreeSet<String> = workspace::files()?.into_iter().collect();
    let mut findings = protocols::check(&paths);
    let mut sources: Vec<Code> = Vec::new();
    let mut documents: Vec<(String, String)> = Vec::new();
    for path in &paths {
        if path.ends_with(".rs") {
            sources.push(Code::new(path, workspace::read(path)?));
        } else if path.ends_with(".md") {
            let text = workspace::read(path)?;
            findings.extend(links::check(path, &text, &paths));
            documents.push((path.clone(), text));
        }
    }
    if options.layers {
        print!("{}", layers::report(&sources, &documents));
        return Ok(());
    }
    for source in &sources {
        findings.extend(heads::check(source));
        findings.extend(length::check(source));
        findings.extend(seams::check(source));
        findings.extend(words::check(source));
    }
    findings.extend(length::check_exceptions(&sources));
    findings.extend(code_tour::check(&sources, &documents, &paths));
    findings.extend(eager_guards::check(&sources));
    findings.extend(glossary::check(&sources, &documents, &paths));
    findings.extend(named_code::check(&sources, &documents, &paths));
    findings.extend(observations::check(&sources));
    findings.extend(layers::check(&sources, &documents));
    findings.extend(prose::check(&sources, &documents));
    findings.extend(unsafe_counts::check(&sources));
    findings.extend(safety_rules::check(&sources, &documents));
    findings.extend(user_docs::check(&sources, &documents));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        return Err(format!("tidy: {} findings", findings.len()));
    }
    println!("# {} files, {} of Rust", paths.len(), sources.len());
    Ok(())
}
