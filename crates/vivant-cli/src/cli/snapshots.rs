//! The command line of `vivant snapshot`.

use crate::snapshot::{
    Cut, ListForm, ObjectName, Problem, Selection, ShowForm, SnapshotFile, Verdict, diff, export,
    list, numbers, show, show_heap, show_object, verify,
};
use clap::{Args, Subcommand};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use vivant_journal::{Catalog, DirectoryStore};

#[derive(Debug, Subcommand)]
pub(super) enum Snapshots {
    /// List the snapshots of a folder, newest first, damaged ones with the reason
    List(List),
    /// Show the actors of a snapshot as a tree: states, open promises, waiting messages
    Show(Show),
    /// Read all of a snapshot, or of all snapshots, and say what is wrong with them
    Verify(Verify),
    /// Show what differs between two snapshots: actors by their numbers, and messages
    Diff(Diff),
    /// Print all records of a snapshot as lines of JSON
    Export(Export),
}

#[derive(Debug, Args)]
pub(super) struct List {
    /// Folder with snapshots
    folder: PathBuf,

    /// Print a line of JSON for each snapshot
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// Folder with snapshots
    folder: PathBuf,

    /// Number of the snapshot, or `latest`
    #[arg(default_value = "latest", value_parser = which)]
    number: Which,

    /// Show the actor with this path, such as /0/2, or with this number
    #[arg(long, value_name = "PATH|NUMBER")]
    actor: Option<String>,

    /// Show the actors of this type
    #[arg(long = "type", value_name = "NAME")]
    type_name: Option<String>,

    /// Show how many objects the heap of the actor has of each type
    #[arg(long, requires = "actor", conflicts_with = "type_name")]
    heap: bool,

    /// Show this object of the actor, such as 3:12, and why it lives
    #[arg(
        long,
        requires = "actor",
        conflicts_with_all = ["type_name", "heap"],
        value_name = "SPAN:PLACE"
    )]
    object: Option<ObjectName>,

    #[command(flatten)]
    values: Values,

    /// Print JSON, a line for each actor
    #[arg(long, conflicts_with = "full")]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Folder with snapshots
    folder: PathBuf,

    /// Number of the snapshot, or `latest`; without it all are read, newest first
    #[arg(value_parser = which)]
    number: Option<Which>,
}

#[derive(Debug, Args)]
pub(super) struct Diff {
    /// Folder with snapshots
    folder: PathBuf,

    /// Number of the snapshot before, or `latest`
    #[arg(value_parser = which)]
    before: Which,

    /// Number of the snapshot after, or `latest`
    #[arg(value_parser = which)]
    after: Which,

    #[command(flatten)]
    values: Values,
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// Folder with snapshots
    folder: PathBuf,

    /// Number of the snapshot, or `latest`
    #[arg(value_parser = which)]
    number: Which,
}

#[derive(Debug, Args)]
struct Values {
    /// Print large values in full
    #[arg(long)]
    full: bool,
}

impl Values {
    fn cut(&self) -> Cut {
        match self.full {
            true => Cut::Full,
            false => Cut::Short,
        }
    }
}

/// One of the snapshots of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Latest,
    Number(u64),
}

impl Which {
    fn number(self, catalog: &Catalog) -> Result<u64, Problem> {
        match self {
            Which::Latest => numbers(catalog)?.first().copied().ok_or(Problem::NoImage),
            Which::Number(number) => Ok(number),
        }
    }

    fn open(self, catalog: &Catalog) -> Result<SnapshotFile, Problem> {
        SnapshotFile::open(catalog, self.number(catalog)?)
    }
}

/// Exit code 1: something is damaged or differs, or the command failed.
pub(super) fn run(command: Snapshots) -> Result<ExitCode, String> {
    let mut out = BufWriter::new(io::stdout().lock());
    let found = print(command, &mut out);
    let found = found.and_then(|verdict| {
        out.flush()?;
        Ok(verdict)
    });
    match found {
        Ok(Verdict::Good) => Ok(ExitCode::SUCCESS),
        Ok(Verdict::Bad) => Ok(ExitCode::FAILURE),
        // The reader of the output may stop in the middle.
        Err(Problem::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(ExitCode::SUCCESS)
        }
        Err(problem) => Err(problem.to_string()),
    }
}

fn print(command: Snapshots, out: &mut impl Write) -> Result<Verdict, Problem> {
    let catalog = |folder: PathBuf| Catalog::new(DirectoryStore::new(folder));
    match command {
        Snapshots::List(it) => {
            let form = match it.json {
                true => ListForm::Json,
                false => ListForm::Text,
            };
            list(&catalog(it.folder), form, out)
        }
        Snapshots::Show(it) => {
            let form = match it.json {
                true => ShowForm::Json,
                false => ShowForm::Text(it.values.cut()),
            };
            let file = it.number.open(&catalog(it.folder))?;
            match (&it.actor, it.object) {
                (Some(actor), Some(object)) => show_object(&file, actor, object, form, out),
                (Some(actor), None) if it.heap => show_heap(&file, actor, form, out),
                _ => {
                    let selection = Selection {
                        actor: it.actor,
                        type_name: it.type_name,
                    };
                    show(&file, &selection, form, out)
                }
            }
        }
        Snapshots::Verify(it) => {
            let catalog = catalog(it.folder);
            let numbers = match it.number {
                Some(which) => vec![which.number(&catalog)?],
                None => numbers(&catalog)?,
            };
            let mut verdict = Verdict::Good;
            for number in numbers {
                verdict = verdict.and(verify(&catalog, number, out)?);
            }
            Ok(verdict)
        }
        Snapshots::Diff(it) => {
            let catalog = catalog(it.folder);
            let (before, after) = (it.before.open(&catalog)?, it.after.open(&catalog)?);
            diff(&before, &after, it.values.cut(), out)
        }
        Snapshots::Export(it) => export(&it.number.open(&catalog(it.folder))?, out),
    }
}

fn which(text: &str) -> Result<Which, String> {
    match text {
        "latest" => Ok(Which::Latest),
        number => {
            let number = number.parse();
            let number = number.map_err(|_| "a number is needed, or `latest`".to_owned());
            number.map(Which::Number)
        }
    }
}
