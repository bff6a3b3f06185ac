//! The file around a macro's call, as text.

use super::module_types::{ModuleTypes, is_named};
use super::used::used;
use crate::errors::Errors;
use crate::{graph, names};
use proc_macro2::Ident;
use quote::ToTokens;
use std::fs;
use syn::{DeriveInput, ItemImpl, Type};

/// The text of a file.
pub(super) struct Source(String);

impl Source {
    /// The file of the macro's call.
    pub(super) fn around() -> Option<Source> {
        if !proc_macro::is_available() {
            return None;
        }
        let path = proc_macro::Span::call_site().local_file()?;
        fs::read_to_string(path).ok().map(Source)
    }

    /// The type of this block, if it lacks the derive and the block is its first.
    pub(super) fn missing_actor(
        &self,
        block: &ItemImpl,
        given: Option<&Ident>,
    ) -> Option<DeriveInput> {
        let state = match &*block.self_ty {
            Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
                &path.path.segments[0].ident
            }
            _ => return None,
        };
        let is_graph = block.generics.lifetimes().next().is_some();
        let actor = match is_graph {
            true => graph::name_of(state, given, "", &mut Errors::default())?,
            false => state.clone(),
        };
        // Written by hand, here or elsewhere; or derived under another name.
        let handle = names::handle(&actor).to_string();
        if self.0.contains(&handle) || self.0.contains("Actor as") || !self.may_lack(state, "Actor")
        {
            return None;
        }
        let types = ModuleTypes::of_type(&self.0, state)?;
        let lacking = types.lacking(state, "Actor")?;
        let mut first = types.first_block(state)?.clone();
        first.attrs.retain(|attr| !is_named(attr, "behaviours"));
        let is_first = first.to_token_stream().to_string() == block.to_token_stream().to_string();
        is_first.then(|| lacking.clone())
    }

    /// The missing objects that are first referred to by this type, each with its use.
    pub(super) fn missing_objects(&self, input: &DeriveInput) -> Vec<(Ident, DeriveInput)> {
        let mut open = used(input);
        if self.0.contains("Object as") || !open.iter().any(|used| self.may_lack(used, "Object")) {
            return Vec::new();
        }
        let Some(types) = ModuleTypes::of_type(&self.0, &input.ident) else {
            return Vec::new();
        };
        let mut missing: Vec<(Ident, DeriveInput)> = Vec::new();
        while let Some(of) = open.pop() {
            let is_known = missing.iter().any(|(_, known)| known.ident == of);
            let lacking = types.lacking_object(&of).filter(|_| !is_known);
            if let Some(lacking) = lacking.filter(|_| types.first_user(&of) == Some(&input.ident)) {
                // Of what a missing object refers to, the use is in this type all the same.
                let next = used(lacking).into_iter();
                open.extend(next.map(|next| names::ident(&names::bare(&next), of.span())));
                missing.push((of, lacking.clone()));
            }
        }
        missing
    }

    /// A quick look: false if each type of this name has the derive, or none is here.
    fn may_lack(&self, name: &Ident, derive: &str) -> bool {
        let name = names::bare(name);
        ["struct", "enum"].iter().any(|kind| {
            let declared = format!("{kind} {name}");
            self.0.match_indices(&declared).any(|(at, _)| {
                let next = self.0[at + declared.len()..].chars().next();
                let is_whole = !next.is_some_and(|next| next.is_alphanumeric() || next == '_');
                let before = self.0[..at].rfind(['}', ';']).map_or(0, |end| end + 1);
                is_whole && !self.0[before..at].contains(derive)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    const SHELF: &str = "#[derive(Object)] struct Shelf<'gc> { pages: Vec<Gc<'gc, Page<'gc>>> }";

    /// The objects that `Shelf` reports in a file with these items after it.
    fn missing(items: &str) -> Vec<String> {
        let input = parse_quote!(
            struct Shelf<'gc> {
                pages: Vec<Gc<'gc, Page<'gc>>>,
            }
        );
        let source = Source(format!("{SHELF} {items}"));
        let missing = source.missing_objects(&input).into_iter();
        missing.map(|(_, of)| of.ident.to_string()).collect()
    }

    #[test]
    fn an_object_without_derive_is_missing_with_what_it_refers_to() {
        assert_eq!(missing("struct Page<'gc> { next: Gc<'gc, u64> }"), ["Page"]);
        assert_eq!(
            missing("pub struct Page<'gc>(Option<Line>, Gc<'gc, u8>); struct Line;"),
            ["Page", "Line"]
        );
    }

    #[test]
    fn a_type_that_may_have_the_impl_is_not_missing() {
        for items in [
            "#[derive(Debug, vivant::Object)] struct Page<'gc>(Gc<'gc, u8>);",
            "struct Page<'gc>(Gc<'gc, u8>); unsafe impl<'gc> Object<'gc> for Page<'gc> {}",
            "#[own] struct Page<'gc>(Gc<'gc, u8>);",
            "#[derive(Thing)] struct Page<'gc>(Gc<'gc, u8>);",
            "#[cfg_attr(all(), derive(Object))] struct Page<'gc>(Gc<'gc, u8>);",
            "struct Page; leaf!([] Page);",
            "pub struct Page;",
            "mod tests { struct Page<'gc>(Gc<'gc, u8>); }",
            "fn f() { struct Page<'gc>(Gc<'gc, u8>); }",
            "use vivant::Object as Thing; #[derive(Thing)] struct Page<'gc>(Gc<'gc, u8>);",
        ] {
            assert_eq!(missing(items), [""; 0], "{items}");
        }
    }

    #[test]
    fn a_parameter_is_no_type_of_the_file() {
        let input = parse_quote!(
            struct Shelf<'gc, Page> {
                pages: Vec<Gc<'gc, Page>>,
            }
        );
        let source = Source(format!("{SHELF} struct Page;"));
        assert_eq!(source.missing_objects(&input).len(), 0);
    }

    #[test]
    fn the_first_type_reports() {
        let other = "#[derive(Object)] struct Case<'gc> { one: Page<'gc> }";
        let page = "struct Page<'gc>(Gc<'gc, u8>);";
        let input: DeriveInput = parse_quote!(
            struct Case<'gc> {
                one: Page<'gc>,
            }
        );
        let after = Source(format!("{SHELF} {other} {page}"));
        assert_eq!(after.missing_objects(&input).len(), 0);
        let before = Source(format!("{other} {SHELF} {page}"));
        assert_eq!(before.missing_objects(&input).len(), 1);
    }

    /// Whether the block reports its type in a file with these items before it.
    fn is_missing(items: &str) -> bool {
        let block = parse_quote!(impl Account { fn deposit(&mut self) {} });
        let source = Source(format!(
            "{items} #[behaviours] impl Account {{ fn deposit(&mut self) {{}} }}"
        ));
        source.missing_actor(&block, None).is_some()
    }

    #[test]
    fn an_actor_without_derive_is_missing() {
        assert!(is_missing("struct Account;"));
        assert!(is_missing("#[derive(Debug)] pub enum Account {}"));
        for items in [
            "#[derive(Debug, Actor)] struct Account;",
            "#[derive(vivant::Actor)] struct Account;",
            "struct Account; impl Actor for Account {}",
            "struct Account; use by_hand::AccountHandle;",
            "#[own] struct Account;",
            "#[derive(MyActor)] struct Account;",
            "use bank::Account; mod tests { struct Account; }",
            "struct Account; #[behaviours] impl Account {}",
            "",
        ] {
            assert!(!is_missing(items), "{items}");
        }
    }
}
