//! `vivant snapshot show --object`: an object, and why it lives.

use super::object_name::{ObjectName, named_reference};
use super::objects::Object;
use super::opened_heap::OpenedHeap;
use super::reach::{Holder, Lives};
use super::retaining_path::{RetainingPath, Step};
use crate::snapshot::budget::Budget;
use crate::snapshot::contents::Contents;
use crate::snapshot::cut::{Cut, cut_line};
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::json::{encoded_json, quoted};
use crate::snapshot::problem::Problem;
use crate::snapshot::show::{ShowForm, head};
use crate::snapshot::text::STATE_SHORT;
use crate::snapshot::verdict::Verdict;
use std::io::Write;
use vivant_codec::{show_named, type_text};

/// References that are shown at each end of a path unless all are.
const STEPS_SHORT: usize = 20;

/// Shows an object of the heap of an actor: its type, its content, and a shortest path of
/// references that leads to it from the state. `actor` is the path of the actor, or its number.
///
/// Holds the heap in memory.
///
/// # Errors
///
/// The image cannot be read, has no such actor or object, or `out` fails.
pub fn show_object(
    file: &SnapshotFile,
    actor: &str,
    object: ObjectName,
    form: ShowForm,
    out: &mut impl Write,
) -> Result<Verdict, Problem> {
    let contents = Contents::of(file)?;
    let opened = OpenedHeap::open(&contents, actor)?;
    let Some(at) = opened.heap.find(object) else {
        let (number, actor) = (file.header().number, opened.actor.name());
        return Err(Problem::NoObject {
            number,
            actor,
            object,
        });
    };
    let page = Page {
        contents: &contents,
        opened: &opened,
        at,
    };
    match form {
        ShowForm::Json => writeln!(out, "{}", page.json()?)?,
        ShowForm::Text(cut) => {
            writeln!(out, "{}", head(file))?;
            for line in page.text(cut)? {
                writeln!(out, "{}", cut_line(&line, cut))?;
            }
        }
    }
    Ok(Verdict::Good)
}

/// An object that is shown.
struct Page<'p> {
    contents: &'p Contents<'p>,
    opened: &'p OpenedHeap<'p, 'p>,
    /// Its position among those of the heap.
    at: usize,
}

impl Page<'_> {
    fn object(&self) -> Object {
        self.opened.heap.objects()[self.at]
    }

    fn type_name(&self, object: Object) -> String {
        let shape = self.opened.heap.shape(object.object_type);
        type_text(self.contents.file.shapes(), shape)
    }

    fn path(&self) -> RetainingPath {
        RetainingPath::to(&self.opened.reach, self.at)
    }

    fn budget(&self) -> Budget {
        Budget::new(0, self.object().bytes as usize)
    }

    fn text(&self, cut: Cut) -> Result<Vec<String>, Problem> {
        let (actor, object) = (&self.opened.actor, self.object());
        let mut lines = vec![
            format!("{} (actor {})", actor.name(), actor.id),
            format!(
                "  object {}: {}, {} bytes of memory, {} bytes of content",
                object.name,
                self.type_name(object),
                object.memory,
                object.bytes
            ),
        ];
        let bytes_max = match cut {
            Cut::Short => STATE_SHORT,
            Cut::Full => self.budget().text(),
        };
        let (shape, content) = self.opened.heap.content(&object);
        let mut text = String::new();
        let shapes = self.contents.file.shapes();
        let shown = show_named(
            shapes,
            shape,
            content,
            bytes_max,
            &named_reference,
            &mut text,
        );
        shown.map_err(|error| self.opened.heap.unreadable(object.name, error))?;
        lines.extend(text.lines().map(|line| format!("    {line}")));
        self.why(cut, &mut lines)?;
        Ok(lines)
    }

    /// Why the object lives.
    fn why(&self, cut: Cut, lines: &mut Vec<String>) -> Result<(), Problem> {
        let lives = self.opened.reach.lives(self.at);
        lines.push(match lives {
            Lives::Strongly => "  lives, because the state leads to it:".to_owned(),
            Lives::Weakly => "  is kept by nothing: each path has a weak reference (⇢), and the next mark finds it dead:".to_owned(),
            Lives::Unreached => {
                "  is not reached: no reference of the actor leads to it".to_owned()
            }
        });
        if lives == Lives::Unreached {
            lines.push(
                "    It has died since the last mark, or another heap refers to it.".to_owned(),
            );
            return Ok(());
        }
        let path = self.path();
        let steps = path.steps();
        let hidden = match cut {
            Cut::Short => STEPS_SHORT..steps.len().saturating_sub(STEPS_SHORT),
            Cut::Full => 0..0,
        };
        for (number, step) in steps.iter().enumerate() {
            match number == hidden.start && !hidden.is_empty() {
                true => lines.push(format!("    … {} more references …", hidden.len())),
                false if hidden.contains(&number) => {}
                false => lines.push(format!("    {}", self.step(step)?)),
            }
        }
        Ok(())
    }

    fn step(&self, step: &Step) -> Result<String, Problem> {
        let to = self.opened.heap.objects()[step.to];
        let place = step.place(&self.opened.heap, &self.opened.roots)?;
        let (holder, arrow) = match step.holder {
            Holder::Roots => (String::new(), "→"),
            Holder::Object(at) => (
                self.opened.heap.objects()[at].name.to_string(),
                match self.opened.reach.is_weak_cell(at) {
                    true => "⇢",
                    false => "→",
                },
            ),
        };
        let type_name = self.type_name(to);
        Ok(format!("{holder}{place} {arrow} {}, {type_name}", to.name))
    }

    fn json(&self) -> Result<String, Problem> {
        let object = self.object();
        let value = self.opened.heap.content(&object);
        let content = encoded_json(self.contents, &mut self.budget(), value);
        let content = content.map_err(|problem| match problem {
            Problem::Record { error, .. } => self.opened.heap.unreadable(object.name, error),
            problem => problem,
        })?;
        let (lives, path) = match self.opened.reach.lives(self.at) {
            Lives::Strongly => ("strongly", Some(self.path())),
            Lives::Weakly => ("weakly", Some(self.path())),
            Lives::Unreached => ("unreached", None),
        };
        let steps = path.iter().flat_map(RetainingPath::steps);
        let steps = steps.map(|step| self.json_step(step));
        let steps = steps.collect::<Result<Vec<_>, _>>()?.join(",");
        Ok(format!(
            "{{\"actor\":{},{},\"memory\":{},\"bytes\":{},\"content\":{content},\"lives\":\"{lives}\",\"path\":[{steps}]}}",
            self.opened.actor.id,
            self.json_name(object),
            object.memory,
            object.bytes
        ))
    }

    /// Name, number and type of an object, as fields.
    fn json_name(&self, object: Object) -> String {
        format!(
            "\"object\":{},\"number\":{},\"type\":{}",
            quoted(&object.name.to_string()),
            object.name.number(),
            quoted(&self.type_name(object))
        )
    }

    fn json_step(&self, step: &Step) -> Result<String, Problem> {
        let place = step.place(&self.opened.heap, &self.opened.roots)?;
        let (holder, is_weak) = match step.holder {
            Holder::Roots => ("null".to_owned(), false),
            Holder::Object(at) => (
                quoted(&self.opened.heap.objects()[at].name.to_string()),
                self.opened.reach.is_weak_cell(at),
            ),
        };
        let to = self.json_name(self.opened.heap.objects()[step.to]);
        Ok(format!(
            "{{\"from\":{holder},\"field\":{},\"weak\":{is_weak},{to}}}",
            quoted(&place)
        ))
    }
}
