//! What the macros' own attributes say: `#[actor(blocking, id = "…")]`, `#[behaviours(module = name)]` and the like.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::{Expr, LitInt, LitStr, Path, Result};

/// Where vivant is found: `::vivant`, or what `crate = path` says.
#[derive(Default)]
pub(crate) struct Vivant(Option<Path>);

impl Vivant {
    /// The same, at a place of the user's: a path is underlined from its first token on.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        match &self.0 {
            Some(path) => {
                let mut path = path.clone();
                for segment in &mut path.segments {
                    segment.ident.set_span(span);
                }
                path.to_token_stream()
            }
            None => quote_spanned!(span=> ::vivant),
        }
    }
}

impl ToTokens for Vivant {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.at(Span::call_site()));
    }
}

/// All options of all macros; each macro names those it takes.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) vivant: Vivant,
    pub(crate) id: Option<LitStr>,
    pub(crate) module: Option<Ident>,
    pub(crate) blocking: bool,
    pub(crate) seeds: Option<LitInt>,
    pub(crate) faults: Option<Expr>,
}

/// The options of `#[actor(…)]`.
pub(crate) const ACTOR: &[&str] = &["blocking", "id", "crate"];
/// The options of `#[behaviours(…)]`.
pub(crate) const BEHAVIOURS: &[&str] = &["id", "module", "crate"];
/// The options of `#[interface(…)]`.
pub(crate) const INTERFACE: &[&str] = &["id", "crate"];
/// The options of `#[vivant::test(…)]`.
pub(crate) const TEST: &[&str] = &["seeds", "faults", "crate"];

impl Options {
    /// The arguments of an attribute macro.
    pub(crate) fn parse(arguments: TokenStream, known: &[&str]) -> Result<Options> {
        let mut options = Options::default();
        syn::meta::parser(|meta| options.read(&meta, known)).parse2(arguments)?;
        Ok(options)
    }

    /// One option.
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>, known: &[&str]) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string);
        let name = name.filter(|name| known.contains(&name.as_str()));
        match name.as_deref() {
            Some("crate") => self.vivant = Vivant(Some(meta.value()?.call(Path::parse_mod_style)?)),
            Some("id") => self.id = Some(id(meta.value()?.parse()?)?),
            Some("module") => self.module = Some(meta.value()?.parse()?),
            Some("blocking") => self.blocking = true,
            Some("seeds") => self.seeds = Some(meta.value()?.parse()?),
            Some("faults") => self.faults = Some(meta.value()?.parse()?),
            _ => {
                let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
                return Err(meta.error(format!("there are the options {}", known.join(", "))));
            }
        }
        Ok(())
    }

    /// The stable name of a type as an expression: its id, or its path.
    pub(crate) fn name_of(&self, ident: &str, member: &str) -> TokenStream {
        match &self.id {
            Some(id) => {
                let name = id.value() + member;
                quote!(#name)
            }
            None => {
                let name = format!("::{ident}{member}");
                quote!(::core::concat!(::core::module_path!(), #name))
            }
        }
    }
}

fn id(id: LitStr) -> Result<LitStr> {
    if id.value().trim().is_empty() {
        return Err(syn::Error::new(id.span(), "an id cannot be empty"));
    }
    Ok(id)
}
