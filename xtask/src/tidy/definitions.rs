//! What a file of Rust defines: its types, and its functions with the types that have them.

use super::{Code, syntax};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::mem;
use syn::visit::{self, Visit};
use syn::{Ident, Item, ItemImpl, ItemTrait, Macro, Path, Signature, Type};

/// The names that a file defines.
#[derive(Default)]
pub(super) struct Definitions {
    items: BTreeSet<String>,
    functions: BTreeSet<String>,
    /// A type or trait, and a function of it.
    methods: BTreeSet<(String, String)>,
    /// The types and traits of the block around a function.
    around: Vec<String>,
}

impl Definitions {
    /// Those of `source`; none if that is no Rust.
    pub(super) fn of(source: &Code) -> Self {
        let mut found = Self::default();
        if let Ok(file) = source.syntax() {
            found.visit_file(file);
        }
        found
    }

    /// Whether `symbol` is defined: `function`, `Type` or `Type::function`.
    pub(super) fn has(&self, symbol: &str) -> bool {
        match symbol.rsplit_once("::") {
            None => self.items.contains(symbol) || self.functions.contains(symbol),
            Some((of, name)) => {
                let of = of.rsplit("::").next().unwrap_or(of);
                self.methods.contains(&(of.into(), name.into()))
            }
        }
    }

    fn function(&mut self, name: &Ident) {
        let name = name.to_string();
        let methods = self.around.iter().map(|of| (of.clone(), name.clone()));
        self.methods.extend(methods);
        self.functions.insert(name);
    }

    /// The functions in the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut after_fn = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(name) if after_fn => self.function(name),
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
            after_fn = matches!(&token, TokenTree::Ident(word) if word == "fn");
        }
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Macro(item) => item.ident.as_ref(),
            item => syntax::name_of_item(item),
        };
        self.items.extend(name.map(Ident::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let of_trait = item.trait_.as_ref().map(|(path, ..)| path);
        let of_type = match &*item.self_ty {
            Type::Path(of) => Some(&of.path),
            _ => None,
        };
        let around = of_trait.into_iter().chain(of_type).filter_map(last);
        let outer = mem::replace(&mut self.around, around.collect());
        visit::visit_item_impl(self, item);
        self.around = outer;
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        let outer = mem::replace(&mut self.around, vec![item.ident.to_string()]);
        visit::visit_item_trait(self, item);
        self.around = outer;
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        self.function(&signature.ident);
        visit::visit_signature(self, signature);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
    }
}

fn last(path: &Path) -> Option<String> {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_belong_to_their_types_and_traits() {
        let text = "struct A; impl a::Tr for b::A<u8> { fn f() {} }
            trait Tr { fn g(); } fn h() {}
            impl A { m! { fn i() {} } fn k() { impl Tr for X {} } fn l() {} }
            macro_rules! m { () => { fn j() {} } }";
        let found = Definitions::of(&Code::new("a.rs", text.into()));
        for symbol in [
            "A", "Tr", "m", "A::f", "Tr::f", "Tr::g", "h", "f", "A::i", "j", "x::A::f", "A::l",
        ] {
            assert!(found.has(symbol), "{symbol}");
        }
        for symbol in ["B", "A::g", "A::h", "o", "B::f"] {
            assert!(!found.has(symbol), "{symbol}");
        }
    }
}
