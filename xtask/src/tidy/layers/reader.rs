//! Reads what a file declares and names, outside of tests: modules, items, imports and paths.

use super::modules::{Mention, Module, Role};
use crate::tidy::syntax;
use proc_macro2::{Span, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::mem;
use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Field, FieldValue, File, Ident, ImplItem, Item, ItemImpl, ItemMod, Macro, MetaList,
    Path, Stmt, TraitItem, Type, UseTree, Visibility,
};

/// What a file adds to its crate.
pub(super) struct Reader<'a> {
    pub(super) modules: &'a mut Vec<Module>,
    pub(super) mentions: Vec<Mention>,
    /// The types of inherent `impl` blocks.
    pub(super) impls: Vec<Mention>,
    /// The modules with files of their own.
    pub(super) declared: Vec<(usize, String)>,
    module: usize,
    /// Whether the items at hand are a module's, not those of a function.
    in_module: bool,
    /// How often the file has each name.
    names: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    /// Reads `file`, which is the module `module`.
    pub(super) fn read(modules: &'a mut Vec<Module>, module: usize, file: &File) -> Self {
        let mut reader = Self {
            modules,
            mentions: Vec::new(),
            impls: Vec::new(),
            declared: Vec::new(),
            module,
            in_module: true,
            names: BTreeMap::new(),
        };
        reader.visit_file(file);
        for mention in &mut reader.mentions {
            let name = mention.path.last().and_then(|name| reader.names.get(name));
            if mention.role == Role::ReExport && name.is_some_and(|count| *count > 1) {
                mention.role = Role::Code;
            }
        }
        reader
    }

    fn here(&mut self) -> &mut Module {
        &mut self.modules[self.module]
    }

    fn mention(&mut self, span: Span, path: &[String], role: Role) {
        self.mentions.push(self.at(span, path, role));
    }

    fn at(&self, span: Span, path: &[String], role: Role) -> Mention {
        Mention {
            module: self.module,
            line: span.start().line,
            path: path.to_vec(),
            role,
        }
    }

    fn module(&mut self, item: &ItemMod) {
        let (child, name) = (self.modules.len(), item.ident.to_string());
        let file = self.here().file;
        self.modules.push(Module {
            parent: self.module,
            file,
            ..Module::default()
        });
        self.here().children.insert(name.clone(), child);
        match &item.content {
            None => self.declared.push((child, name)),
            Some((_, items)) => {
                let outer = mem::replace(&mut self.module, child);
                items.iter().for_each(|item| self.visit_item(item));
                self.module = outer;
            }
        }
    }

    /// Takes in the tree of a `use`, below `prefix`.
    fn import(&mut self, tree: &UseTree, prefix: &[String], role: Role) {
        let to = |name: &Ident| [prefix, &[name.to_string()]].concat();
        let (path, name, span) = match tree {
            UseTree::Path(tree) => return self.import(&tree.tree, &to(&tree.ident), role),
            UseTree::Group(group) => {
                let each = |tree| self.import(tree, prefix, role);
                return group.items.iter().for_each(each);
            }
            UseTree::Glob(glob) => {
                self.here().globs.push(prefix.to_vec());
                return self.mention(glob.star_token.spans[0], prefix, role);
            }
            UseTree::Name(tree) if tree.ident == "self" => {
                (prefix.to_vec(), prefix.last(), tree.ident.span())
            }
            UseTree::Name(tree) => (to(&tree.ident), None, tree.ident.span()),
            UseTree::Rename(tree) if tree.ident == "self" => {
                (prefix.to_vec(), None, tree.rename.span())
            }
            UseTree::Rename(tree) => (to(&tree.ident), None, tree.ident.span()),
        };
        let name = match tree {
            UseTree::Rename(tree) => Some(tree.rename.to_string()),
            _ => name.or(path.last()).cloned(),
        };
        self.mention(span, &path, role);
        self.here().imported.extend(name.map(|name| (name, path)));
    }

    /// The type of an `impl` block without a trait.
    fn inherent(&mut self, item: &ItemImpl) {
        if let (None, Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            let path = names(&of.path);
            let block = self.at(item.impl_token.span, &path, Role::Code);
            self.impls.push(block);
        }
    }

    /// Paths in the tokens of a macro, which may be any code.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut begin = Span::call_site();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    *self.names.entry(name.to_string()).or_default() += 1;
                    if colons != 2 {
                        self.path_ends(begin, &mut path);
                        begin = name.span();
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                token => {
                    self.path_ends(begin, &mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = token {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path_ends(begin, &mut path);
    }

    fn path_ends(&mut self, begin: Span, path: &mut Vec<String>) {
        let path = mem::take(path);
        if path.len() > 1 {
            self.mention(begin, &path, Role::Code);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if syntax::is_of_tests(syntax::attributes_of_item(item)) {
            return;
        }
        let name = syntax::name_of_item(item).filter(|_| self.in_module);
        self.here().defined.extend(name.map(Ident::to_string));
        match item {
            Item::Mod(item) if self.in_module => return self.module(item),
            Item::Use(item) => {
                let role = match item.vis {
                    Visibility::Inherited => Role::Code,
                    _ => Role::ReExport,
                };
                self.import(&item.tree, &[], role);
            }
            Item::Impl(item) if self.in_module => self.inherent(item),
            Item::Macro(item) => {
                let name = item.ident.as_ref().map(Ident::to_string);
                self.here().macros.extend(name);
            }
            _ => {}
        }
        let was = mem::replace(&mut self.in_module, false);
        visit::visit_item(self, item);
        self.in_module = was;
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !syntax::is_of_tests(syntax::attributes_of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !syntax::is_of_tests(syntax::attributes_of_trait_item(item)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !syntax::is_of_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast FieldValue) {
        if !syntax::is_of_tests(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if !syntax::is_of_tests(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let is_code = |stmt: &&Stmt| !syntax::is_of_tests(syntax::attributes_of_stmt(stmt));
        for stmt in block.stmts.iter().filter(is_code) {
            self.visit_stmt(stmt);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.segments.len() > 1 {
            let begin = path.segments[0].ident.span();
            self.mention(begin, &names(path), Role::Code);
        }
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, name: &'ast Ident) {
        *self.names.entry(name.to_string()).or_default() += 1;
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        visit::visit_meta_list(self, list);
        self.tokens(list.tokens.clone());
    }
}

fn names(path: &Path) -> Vec<String> {
    let names = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string());
    names.collect()
}
