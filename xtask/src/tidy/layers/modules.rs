//! The modules of a crate, and what a path names: the file that defines the item, behind any
//! number of re-exports.

use super::reader::Reader;
use crate::tidy::{Code, Finding};
use std::collections::{BTreeMap, BTreeSet};

/// A module, of a file or within one.
#[derive(Default)]
pub(super) struct Module {
    pub(super) parent: usize,
    /// Index of its file among the crate's.
    pub(super) file: usize,
    pub(super) children: BTreeMap<String, usize>,
    /// Names that a `use` brings in, with their paths.
    pub(super) imported: BTreeMap<String, Vec<String>>,
    /// Modules of which a `use` brings in everything.
    pub(super) globs: Vec<Vec<String>>,
    pub(super) defined: BTreeSet<String>,
    pub(super) macros: BTreeSet<String>,
}

/// A path in the code of a module.
pub(super) struct Mention {
    pub(super) module: usize,
    pub(super) line: usize,
    pub(super) path: Vec<String>,
    pub(super) role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Code,
    /// A `pub use` of a name that the rest of the file does not need: within its folder it is no
    /// edge, because a path through it leads to the item itself.
    ReExport,
}

/// A file names an item that another file of the crate defines.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// Indices of the files.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: usize,
    pub(super) path: String,
}

pub(super) struct Modules<'a> {
    /// The folder of the root.
    source: String,
    /// Files of the crate that are not tests; the root is the first.
    pub(super) files: Vec<&'a Code>,
    modules: Vec<Module>,
    mentions: Vec<Mention>,
    /// The types of inherent `impl` blocks.
    impls: Vec<Mention>,
    /// Files that are no Rust.
    pub(super) unread: Vec<Finding>,
}

enum Place {
    Module(usize),
    /// An item that a module defines.
    Item(usize),
}

impl<'a> Modules<'a> {
    /// The modules that begin at `source`/lib.rs or main.rs.
    pub(super) fn of(source: &str, sources: &'a [Code]) -> Self {
        let mut found = Modules {
            source: source.into(),
            files: Vec::new(),
            modules: Vec::new(),
            mentions: Vec::new(),
            impls: Vec::new(),
            unread: Vec::new(),
        };
        let file = |path: &str| sources.iter().find(|source| source.path == path);
        let root = ["lib.rs", "main.rs"]
            .iter()
            .find_map(|name| file(&format!("{source}/{name}")));
        let mut todo: Vec<(usize, &'a Code, String)> = Vec::new();
        if let Some(root) = root {
            found.modules.push(Module::default());
            todo.push((0, root, source.into()));
        }
        while let Some((module, code, folder)) = todo.pop() {
            found.modules[module].file = found.files.len();
            found.files.push(code);
            let parsed = match code.syntax() {
                Ok(parsed) => parsed,
                Err(error) => {
                    let line = error.span().start().line;
                    let what = format!("cannot be parsed: {error}");
                    found.unread.push(Finding::new(&code.path, line, what));
                    continue;
                }
            };
            let read = Reader::read(&mut found.modules, module, parsed);
            found.mentions.extend(read.mentions);
            found.impls.extend(read.impls);
            for (child, name) in read.declared {
                let flat = format!("{folder}/{name}.rs");
                let nested = format!("{folder}/{name}/mod.rs");
                if let Some(code) = file(&flat).or_else(|| file(&nested)) {
                    todo.push((child, code, format!("{folder}/{name}")));
                }
            }
        }
        found
    }

    /// The first part of a file's path below the crate's source: a folder, or a file without its
    /// ending.
    pub(super) fn folder(&self, file: usize) -> &'a str {
        let path = &self.files[file].path[self.source.len() + 1..];
        let first = path.split('/').next().unwrap_or(path);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Each pair of files of which the first names what the second defines, with the first place.
    pub(super) fn edges(&self) -> Vec<Edge> {
        self.resolved(&self.mentions)
    }

    /// Each inherent `impl` block in another file than its type.
    pub(super) fn impls(&self) -> Vec<Edge> {
        self.resolved(&self.impls)
    }

    fn resolved(&self, mentions: &[Mention]) -> Vec<Edge> {
        let mut found: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
        for mention in mentions {
            let Some(to) = self.file(mention.module, &mention.path) else {
                continue;
            };
            let from = self.modules[mention.module].file;
            let is_edge = match mention.role {
                Role::Code => from != to,
                Role::ReExport => self.folder(from) != self.folder(to),
            };
            if is_edge {
                found.entry((from, to)).or_insert_with(|| Edge {
                    from,
                    to,
                    line: mention.line,
                    path: mention.path.join("::"),
                });
            }
        }
        found.into_values().collect()
    }

    /// The file that defines what `path` names in `module`, if that is in this crate.
    fn file(&self, module: usize, path: &[String]) -> Option<usize> {
        if path
            .iter()
            .all(|name| ["crate", "self", "super"].contains(&name.as_str()))
        {
            return None;
        }
        let place = self.place(module, path, &mut Vec::new())?;
        let (Place::Module(module) | Place::Item(module)) = place;
        Some(self.modules[module].file)
    }

    fn place(
        &self,
        module: usize,
        path: &[String],
        tried: &mut Vec<(usize, String)>,
    ) -> Option<Place> {
        let (first, rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "crate" => Place::Module(0),
            "self" => Place::Module(module),
            "super" => Place::Module(self.modules[module].parent),
            name => self.named(module, name, tried)?,
        };
        for name in rest {
            place = match (place, name.as_str()) {
                (Place::Module(module), "super") => Place::Module(self.modules[module].parent),
                (Place::Module(module), name) => match self.named(module, name, tried) {
                    Some(place) => place,
                    // The root exports macros of other files and items of other crates.
                    None if module == 0 => self.exported_macro(name)?,
                    // An import that leads out of the crate.
                    None if self.imports_outside(module, name, tried) => return None,
                    // A macro may have written it.
                    None => Place::Item(module),
                },
                (item, _) => item,
            };
        }
        Some(place)
    }

    /// Whether a `use` of a module brings in `name`, or everything, from another crate.
    fn imports_outside(&self, at: usize, name: &str, tried: &mut Vec<(usize, String)>) -> bool {
        let module = &self.modules[at];
        let mut globs = module.globs.iter();
        module.imported.contains_key(name)
            || globs.any(|glob| self.place(at, glob, tried).is_none())
    }

    /// The module of a macro that `#[macro_export]` moves to the root.
    fn exported_macro(&self, name: &str) -> Option<Place> {
        let has = |module: &Module| module.macros.contains(name);
        self.modules.iter().position(has).map(Place::Item)
    }

    fn named(&self, at: usize, name: &str, tried: &mut Vec<(usize, String)>) -> Option<Place> {
        let module = &self.modules[at];
        // Before an item of the same name, which is in another namespace.
        if let Some(child) = module.children.get(name) {
            return Some(Place::Module(*child));
        }
        if module.defined.contains(name) {
            return Some(Place::Item(at));
        }
        if module.macros.contains(name) {
            return Some(Place::Item(at));
        }
        if tried
            .iter()
            .any(|(module, tried)| *module == at && tried == name)
        {
            return None;
        }
        tried.push((at, name.into()));
        if let Some(path) = module.imported.get(name) {
            return self.place(at, path, tried);
        }
        module
            .globs
            .iter()
            .find_map(|glob| match self.place(at, glob, tried)? {
                Place::Module(module) => self.named(module, name, tried),
                Place::Item(_) => None,
            })
    }
}
