//! The modules of a crate, and what a path names: the file that defines the item, behind any
//! number of re-exports.

use super::tokens::{self, Token, group, is_name};
use crate::tidy::Code;
use std::collections::{BTreeMap, BTreeSet};

/// A module, of a file or within one.
#[derive(Default)]
struct Module<'a> {
    parent: usize,
    /// Index of its file among the crate's.
    file: usize,
    children: BTreeMap<&'a str, usize>,
    /// Names that a `use` brings in, with their paths.
    imported: BTreeMap<&'a str, Vec<&'a str>>,
    /// Modules of which a `use` brings in everything.
    globs: Vec<Vec<&'a str>>,
    defined: BTreeSet<&'a str>,
    macros: BTreeSet<&'a str>,
}

/// A path in the code of a module.
struct Mention<'a> {
    module: usize,
    line: usize,
    path: Vec<&'a str>,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
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
    modules: Vec<Module<'a>>,
    mentions: Vec<Mention<'a>>,
    /// The types of inherent `impl` blocks.
    impls: Vec<Mention<'a>>,
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
            for (child, name) in found.read(module, code) {
                let flat = format!("{folder}/{name}.rs");
                let nested = format!("{folder}/{name}/mod.rs");
                if let Some(code) = file(&flat).or_else(|| file(&nested)) {
                    todo.push((child, code, format!("{folder}/{name}")));
                }
            }
        }
        found
    }

    /// Reads a file. Returns the modules that it declares and that have files of their own.
    fn read(&mut self, root: usize, code: &'a Code) -> Vec<(usize, &'a str)> {
        let tokens = tokens::tokens(code);
        let file = self.modules[root].file;
        let mut declared = Vec::new();
        // The modules around a place; `None` for the braces of other items.
        let mut around = vec![Some(root)];
        let mut at = 0;
        while let Some(token) = tokens.get(at).copied() {
            let module = around
                .iter()
                .rev()
                .flatten()
                .next()
                .copied()
                .unwrap_or(root);
            let is_item = around.last().is_some_and(Option::is_some);
            let next = tokens.get(at + 1).copied();
            let line = || tokens::line(code, token);
            match (token.text, next) {
                ("use", Some(next)) if next.text != "<" => {
                    let end = tokens[at..].iter().position(|token| token.text == ";");
                    let end = at + end.unwrap_or(tokens.len() - at);
                    let is_public = at > 0 && ["pub", ")"].contains(&tokens[at - 1].text);
                    let before = self.mentions.len();
                    self.import(module, code, &tokens[at + 1..end], &mut Vec::new());
                    if is_public {
                        self.mark_re_exports(before, &tokens);
                    }
                    at = end;
                }
                ("mod", Some(name)) if is_item => {
                    let child = self.modules.len();
                    self.modules.push(Module {
                        parent: module,
                        file,
                        ..Module::default()
                    });
                    self.modules[module].children.insert(name.text, child);
                    at += 1;
                    if tokens.get(at + 1).is_some_and(|token| token.text == "{") {
                        around.push(Some(child));
                        at += 1;
                    } else {
                        declared.push((child, name.text));
                    }
                }
                (
                    "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union",
                    Some(name),
                ) if is_item => {
                    self.modules[module].defined.insert(name.text);
                }
                ("macro_rules", _) => {
                    let name = tokens.get(at + 2).map(|token| token.text);
                    self.modules[module].macros.extend(name);
                }
                ("impl", _) if is_item => {
                    if let Some(path) = inherent(&tokens[at + 1..]) {
                        self.impls.push(Mention {
                            module,
                            line: line(),
                            path,
                            role: Role::Code,
                        });
                    }
                }
                ("{", _) => around.push(None),
                ("}", _) => {
                    around.pop();
                }
                (_, Some(next)) if next.text == "::" && is_name(token) => {
                    let path = path(&tokens[at..]);
                    let length = 2 * path.len() - 1;
                    self.mentions.push(Mention {
                        module,
                        line: line(),
                        path,
                        role: Role::Code,
                    });
                    at += length - 1;
                }
                ("::", Some(next)) if is_name(next) => {
                    // The rest of a path that does not begin with a name: `<A as B>::c`.
                    at += 1;
                }
                _ => {}
            }
            at += 1;
        }
        declared
    }

    /// Takes in the tree of a `use`, below `prefix`.
    fn import(
        &mut self,
        module: usize,
        code: &'a Code,
        tree: &[Token<'a>],
        prefix: &mut Vec<&'a str>,
    ) {
        let depth = prefix.len();
        let mut at = 0;
        let mut name = None;
        while let Some(token) = tree.get(at).copied() {
            match token.text {
                "{" => {
                    let end = at + group(&tree[at..]);
                    let mut from = at + 1;
                    while from < end {
                        let to = from + branch(&tree[from..end - 1]);
                        self.import(module, code, &tree[from..to], prefix);
                        from = to + 1;
                    }
                    prefix.truncate(depth);
                    return;
                }
                "*" => {
                    self.modules[module].globs.push(prefix.clone());
                    self.mention(module, code, token, prefix);
                }
                "as" => {
                    name = tree.get(at + 1).map(|token| token.text);
                    break;
                }
                "self" if !prefix.is_empty() => name = prefix.last().copied(),
                "::" => {}
                text => {
                    prefix.push(text);
                    name = Some(text);
                }
            }
            at += 1;
        }
        if let (Some(name), Some(first), Some(last)) = (name, tree.first(), tree.last())
            && last.text != "*"
        {
            self.modules[module].imported.insert(name, prefix.clone());
            self.mention(module, code, *first, prefix);
        }
        prefix.truncate(depth);
    }

    fn mention(&mut self, module: usize, code: &Code, token: Token<'_>, path: &[&'a str]) {
        self.mentions.push(Mention {
            module,
            line: tokens::line(code, token),
            path: path.to_vec(),
            role: Role::Code,
        });
    }

    /// Of the mentions from `first` on, which a `pub use` made.
    fn mark_re_exports(&mut self, first: usize, tokens: &[Token<'a>]) {
        for mention in &mut self.mentions[first..] {
            let name = mention.path.last();
            if tokens
                .iter()
                .filter(|token| Some(&token.text) == name)
                .count()
                < 2
            {
                mention.role = Role::ReExport;
            }
        }
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

    fn resolved(&self, mentions: &[Mention<'a>]) -> Vec<Edge> {
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
    fn file(&self, module: usize, path: &[&str]) -> Option<usize> {
        if path
            .iter()
            .all(|name| ["crate", "self", "super"].contains(name))
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
        path: &[&str],
        tried: &mut Vec<(usize, String)>,
    ) -> Option<Place> {
        let (first, rest) = path.split_first()?;
        let mut place = match *first {
            "crate" => Place::Module(0),
            "self" => Place::Module(module),
            "super" => Place::Module(self.modules[module].parent),
            name => self.named(module, name, tried)?,
        };
        for name in rest {
            place = match (place, *name) {
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
        let has = |module: &Module<'_>| module.macros.contains(name);
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

/// The names of the path at the start of `tokens`.
fn path<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let mut names = vec![tokens[0].text];
    let mut at = 1;
    while let [separator, name, ..] = &tokens[at..] {
        if separator.text != "::" || !is_name(*name) {
            break;
        }
        names.push(name.text);
        at += 2;
    }
    names
}

/// The type of an `impl` block without a trait.
fn inherent<'a>(tokens: &[Token<'a>]) -> Option<Vec<&'a str>> {
    let end = tokens.iter().position(|token| token.text == "{")?;
    let mut head = &tokens[..end];
    if head.iter().any(|token| token.text == "for") {
        return None;
    }
    if head.first()?.text == "<" {
        let mut depth = 0;
        let close = head.iter().enumerate().position(|(at, token)| {
            match token.text {
                "<" => depth += 1,
                // Not the end of `->`.
                ">" if head[at - 1].text != "-" => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        head = &head[close + 1..];
    }
    head.first().filter(|token| is_name(**token))?;
    Some(path(head))
}

/// The number of tokens before the comma that ends the first branch.
fn branch(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "," => return at,
            "{" => at += group(&tokens[at..]),
            _ => at += 1,
        }
    }
    at
}
