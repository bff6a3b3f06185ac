//! The options in the macros' own attributes: `#[actor(blocking, id = "…")]`,
//! `#[behaviours(module = name)]` and the like.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, LitInt, LitStr, Path, Result, Token, parenthesized, token};

/// The path of vivant: `::vivant`, or the value of `crate = path`.
#[derive(Default)]
pub(crate) struct Vivant(Option<Path>);

impl Vivant {
    /// The same path with the span of the user's tokens: errors underline a path from its first
    /// token on.
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

/// All options of all macros; each macro lists those it accepts.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) vivant: Vivant,
    pub(crate) id: Option<LitStr>,
    pub(crate) module: Option<Ident>,
    pub(crate) blocking: bool,
    pub(crate) mailbox: Option<Mailbox>,
    pub(crate) name: Option<Ident>,
    pub(crate) pacing: Option<Expr>,
    pub(crate) seeds: Option<LitInt>,
    pub(crate) faults: Option<Expr>,
    pub(crate) saved: Option<SavedOption>,
    pub(crate) blocks: Vec<ListedBlock>,
}

/// `saved`, or `saved(restart)`.
pub(crate) struct SavedOption {
    pub(crate) at: Span,
    pub(crate) part: SavedPart,
}

/// What is saved of an actor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavedPart {
    State,
    Start,
}

/// An entry of `blocks(…)`.
pub(crate) enum ListedBlock {
    /// The module of a block: `till`.
    Module(Path),
    /// An interface: `dyn Ledger`.
    Interface(Path),
}

impl Parse for ListedBlock {
    fn parse(input: ParseStream<'_>) -> Result<ListedBlock> {
        if input.peek(Token![dyn]) {
            input.parse::<Token![dyn]>()?;
            return Ok(ListedBlock::Interface(input.call(Path::parse_mod_style)?));
        }
        Ok(ListedBlock::Module(input.call(Path::parse_mod_style)?))
    }
}

/// A mailbox with a bound: `reject(100)`.
pub(crate) struct Mailbox {
    /// A variant of `vivant::Mailbox`.
    variant: &'static str,
    policy: Ident,
    bound: Expr,
}

const MAILBOXES: &str = "a mailbox is `reject(n)`, `drop_newest(n)` or `drop_oldest(n)`, where `n` messages may wait; \
                         without this option it has no bound";

impl Parse for Mailbox {
    fn parse(input: ParseStream<'_>) -> Result<Mailbox> {
        let policy: Ident = input.call(Ident::parse_any)?;
        let variant = match policy.to_string().as_str() {
            "reject" => "Reject",
            "drop_newest" => "DropNewest",
            "drop_oldest" => "DropOldest",
            _ => return Err(Error::new(policy.span(), MAILBOXES)),
        };
        if !input.peek(token::Paren) {
            return Err(Error::new(policy.span(), MAILBOXES));
        }
        let inside;
        parenthesized!(inside in input);
        let bound: Expr = inside
            .parse()
            .map_err(|error| Error::new(error.span(), MAILBOXES))?;
        if !inside.is_empty() {
            return Err(inside.error(MAILBOXES));
        }
        let zero = matches!(&bound, Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) if n.base10_digits() == "0");
        if zero {
            return Err(Error::new_spanned(
                bound,
                "a mailbox with a bound of zero would take no message at all: the least bound is 1",
            ));
        }
        Ok(Mailbox {
            variant,
            policy,
            bound,
        })
    }
}

impl Mailbox {
    /// The value, as an expression.
    pub(crate) fn expr(&self, vivant: &Vivant) -> TokenStream {
        let variant = Ident::new(self.variant, self.policy.span());
        let bound = &self.bound;
        quote!(#vivant::Mailbox::#variant(#bound))
    }
}

impl SavedOption {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<SavedOption> {
        let at = meta.path.span();
        let mut part = SavedPart::State;
        if meta.input.peek(token::Paren) {
            meta.parse_nested_meta(|inner| match inner.path.is_ident("restart") {
                true => {
                    part = SavedPart::Start;
                    Ok(())
                }
                false => Err(inner.error(
                    "write `saved`: the state is saved, or `saved(restart)`: the arguments of the start are saved, and \
                     the actor starts again",
                )),
            })?;
        }
        Ok(SavedOption { at, part })
    }
}

/// The options of `#[actor(…)]`.
pub(crate) const ACTOR: &[&str] = &[
    "blocking", "mailbox", "name", "pacing", "saved", "blocks", "id", "crate",
];
/// The options of `#[behaviours(…)]`.
pub(crate) const BEHAVIOURS: &[&str] = &["id", "module", "name", "crate"];
/// The options of `#[interface(…)]`.
pub(crate) const INTERFACE: &[&str] = &["id", "module", "crate"];
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
            Some("mailbox") => {
                let value = meta.value().map_err(|_| meta.error(MAILBOXES))?;
                self.mailbox = Some(value.parse()?);
            }
            Some("name") => self.name = Some(meta.value()?.parse()?),
            Some("saved") => self.saved = Some(SavedOption::read(meta)?),
            Some("blocks") => {
                if !meta.input.peek(token::Paren) {
                    return Err(meta.error("name the blocks, as in `blocks(till, dyn Ledger)`"));
                }
                let inside;
                parenthesized!(inside in meta.input);
                let listed = inside.call(Punctuated::<ListedBlock, Token![,]>::parse_terminated)?;
                self.blocks.extend(listed);
            }
            Some("pacing") => self.pacing = Some(meta.value()?.parse()?),
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
        return Err(Error::new(id.span(), "an id cannot be empty"));
    }
    Ok(id)
}
