//! [`Version`]: all documents at one time.

use crate::commit::{Commit, Edit, Refusal};
use std::sync::Arc;
use vivant::heap::Mutator;
use vivant::{Object, val};

/// A document of a version.
#[derive(Object, Clone, Copy, Debug)]
pub struct Document<'gc> {
    /// A rope: an edit shares what it leaves as it is.
    pub text: val::String<'gc>,
    /// The version that changed it last.
    pub changed: u64,
}

/// All documents at one time: a handle of a few words on an immutable graph. The next version
/// shares with it all that the edits between them leave as it is.
#[derive(Object, Clone, Copy, Debug)]
pub struct Version<'gc> {
    /// Counted from 0, which has no documents.
    pub number: u64,
    /// By their names.
    pub documents: val::OrdMap<'gc, Arc<str>, Document<'gc>>,
}

impl<'gc> Version<'gc> {
    /// The first version.
    #[must_use]
    pub fn empty() -> Self {
        Version {
            number: 0,
            documents: val::OrdMap::new(),
        }
    }

    /// Checks that the documents of a commit have not changed since its base.
    ///
    /// # Errors
    ///
    /// One of them has, or the base does not exist.
    pub fn admits(self, commit: &Commit) -> Result<(), Refusal> {
        if commit.base > self.number {
            return Err(Refusal::NoSuchVersion(commit.base));
        }
        for name in commit.documents() {
            let changed = self.documents.get(name).map_or(0, |it| it.changed);
            if changed > commit.base {
                let document = name.to_owned();
                return Err(Refusal::Conflict { document, changed });
            }
        }
        Ok(())
    }

    /// Returns the next version.
    ///
    /// # Errors
    ///
    /// An edit is out of bounds.
    pub fn next(self, m: &Mutator<'gc>, edits: &[Edit]) -> Result<Self, Refusal> {
        let number = self.number + 1;
        let mut documents = self.documents;
        for edit in edits {
            let text = documents
                .get(&*edit.document)
                .map_or(val::String::new(), |it| it.text);
            let text = edited(m, text, edit).ok_or_else(|| Refusal::OutOfBounds(edit.clone()))?;
            let document = Document {
                text,
                changed: number,
            };
            documents = documents.insert(m, edit.document.as_str().into(), document);
        }
        Ok(Version { number, documents })
    }
}

fn edited<'gc>(m: &Mutator<'gc>, text: val::String<'gc>, edit: &Edit) -> Option<val::String<'gc>> {
    let end = edit.at.checked_add(edit.remove)?;
    let (before, after) = (text.slice(m, ..edit.at)?, text.slice(m, end..)?);
    Some(before.push_str(m, &edit.insert).concat(m, after))
}
