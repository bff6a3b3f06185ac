//! The types of one module of a file, and what may give them impls.

use super::used::used;
use crate::names;
use crate::types::last_segment;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, DeriveInput, Item, ItemImpl, ItemMacro, Meta, Path, Token, Visibility};

/// Attributes that write no impls.
const INERT: &[&str] = &[
    "doc",
    "allow",
    "warn",
    "deny",
    "expect",
    "derive",
    "repr",
    "must_use",
    "non_exhaustive",
    "deprecated",
    "actor",
    "object",
];

/// Derives that write no impl of ours. Any other may be one of ours under another name.
const OTHER_DERIVES: &[&str] = &[
    "Actor",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Eq",
    "Error",
    "Freeze",
    "Hash",
    "Object",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

pub(super) struct ModuleTypes {
    /// In the order of the file.
    types: Vec<DeriveInput>,
    /// The impl blocks with `#[behaviours]`.
    blocks: Vec<ItemImpl>,
    impls: Impls,
}

/// What a whole file has that may write impls.
#[derive(Default)]
struct Impls {
    /// Trait and type of each impl.
    by_hand: Vec<(Ident, Ident)>,
    /// The tokens of macro calls between items.
    calls: Vec<String>,
}

impl ModuleTypes {
    /// The module of the only type of this name, of those that are not inside of functions.
    pub(super) fn of_type(text: &str, name: &Ident) -> Option<ModuleTypes> {
        let file = syn::parse_file(text).ok()?;
        let mut impls = Impls::default();
        impls.visit_file(&file);
        let mut modules = Vec::new();
        add_modules(&file.items, &mut modules);
        let mut found = modules.into_iter().filter_map(|items| {
            let types: Vec<DeriveInput> = items.iter().filter_map(type_of).collect();
            types
                .iter()
                .any(|of| of.ident == *name)
                .then_some((types, items))
        });
        let (Some((types, items)), None) = (found.next(), found.next()) else {
            return None;
        };
        let blocks = items.iter().filter_map(|item| match item {
            Item::Impl(block) if block.attrs.iter().any(|attr| is_named(attr, "behaviours")) => {
                Some(block.clone())
            }
            _ => None,
        });
        Some(ModuleTypes {
            types,
            blocks: blocks.collect(),
            impls,
        })
    }

    /// The type, if nothing in the file gives it the impl that the derive writes.
    pub(super) fn lacking(&self, name: &Ident, derive: &str) -> Option<&DeriveInput> {
        let of = self.types.iter().find(|of| of.ident == *name)?;
        let bare = names::bare(name);
        let is_written = self
            .impls
            .by_hand
            .iter()
            .any(|(of, ty)| of == derive && ty == name)
            || self.impls.calls.iter().any(|call| call.contains(&bare));
        (!is_written && !may_have(&of.attrs, derive)).then_some(of)
    }

    /// As [`ModuleTypes::lacking`]. A public type without a brand may have its impl in another
    /// file.
    pub(super) fn lacking_object(&self, name: &Ident) -> Option<&DeriveInput> {
        let lacking = self.lacking(name, "Object")?;
        let is_branded = lacking.generics.lifetimes().next().is_some();
        let is_here = matches!(lacking.vis, Visibility::Inherited);
        (is_branded || is_here).then_some(lacking)
    }

    /// The first `#[behaviours]` block of a type.
    pub(super) fn first_block(&self, of: &Ident) -> Option<&ItemImpl> {
        self.blocks
            .iter()
            .find(|block| last_segment(&block.self_ty).is_some_and(|ty| ty.ident == *of))
    }

    /// The first object that refers to a missing object, by way of other missing ones too.
    pub(super) fn first_user(&self, of: &Ident) -> Option<&Ident> {
        let mut objects = self.types.iter().filter(|one| is_object(one));
        let first = objects.find(|one| self.reaches(one, of, &mut Vec::new()))?;
        Some(&first.ident)
    }

    fn reaches(&self, from: &DeriveInput, to: &Ident, seen: &mut Vec<Ident>) -> bool {
        used(from).into_iter().any(|next| {
            if next == *to || seen.contains(&next) {
                return next == *to;
            }
            seen.push(next.clone());
            let lacking = self.lacking_object(&next);
            lacking.is_some_and(|lacking| self.reaches(lacking, to, seen))
        })
    }
}

/// Adds these items and those of each module in them.
fn add_modules<'a>(items: &'a [Item], modules: &mut Vec<&'a [Item]>) {
    modules.push(items);
    for item in items {
        if let Item::Mod(module) = item
            && let Some((_, items)) = &module.content
        {
            add_modules(items, modules);
        }
    }
}

fn type_of(item: &Item) -> Option<DeriveInput> {
    match item {
        Item::Struct(_) | Item::Enum(_) => syn::parse2(item.to_token_stream()).ok(),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Impls {
    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        let of = block.trait_.as_ref().and_then(|of| of.0.segments.last());
        if let (Some(of), Some(ty)) = (of, last_segment(&block.self_ty)) {
            self.by_hand.push((of.ident.clone(), ty.ident.clone()));
        }
        visit::visit_item_impl(self, block);
    }

    fn visit_item_macro(&mut self, call: &'ast ItemMacro) {
        self.calls.push(call.mac.tokens.to_string());
    }
}

/// Whether a derive reads the fields of the type as those of an object.
fn is_object(of: &DeriveInput) -> bool {
    let is_branded = of.generics.lifetimes().next().is_some();
    has(&of.attrs, "Object") || (has(&of.attrs, "Actor") && is_branded)
}

/// Whether the attribute has this name, with any path before it.
pub(super) fn is_named(attr: &Attribute, name: &str) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|last| last.ident == name)
}

/// Whether the attributes have this derive.
fn has(attrs: &[Attribute], derive: &str) -> bool {
    derives(attrs).iter().any(|name| name == derive)
}

/// Whether the attributes have this derive, or may write the same impl.
fn may_have(attrs: &[Attribute], derive: &str) -> bool {
    let is_inert = |attr: &Attribute| INERT.iter().any(|name| attr.path().is_ident(name));
    let is_other = |name: &Ident| name != derive && OTHER_DERIVES.iter().any(|known| name == known);
    !attrs.iter().all(is_inert) || !derives(attrs).iter().all(is_other)
}

/// The names of the derives, without the paths before them.
fn derives(attrs: &[Attribute]) -> Vec<Ident> {
    let paths = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::List(list) if attr.path().is_ident("derive") => list
            .parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
            .ok(),
        _ => None,
    });
    let names = paths
        .flatten()
        .filter_map(|path| path.segments.last().map(|last| last.ident.clone()));
    names.collect()
}
