//! The options of `#[saved(…)]`, at a type, at a variant and at a field.

use crate::errors::Errors;
use crate::names::bare;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, LitInt, LitStr, Path, Result, Token};

/// The name in files, and earlier ones.
#[derive(Default)]
pub(super) struct Names {
    pub(super) name: Option<LitStr>,
    pub(super) was: Vec<LitStr>,
}

#[derive(Default)]
pub(super) struct ItemOptions {
    pub(super) names: Names,
    pub(super) version: Option<LitInt>,
    /// The types of older versions.
    pub(super) from: Vec<Path>,
    pub(super) krate: Option<Path>,
}

#[derive(Default)]
pub(super) struct VariantOptions {
    pub(super) names: Names,
}

#[derive(Default)]
pub(super) struct FieldOptions {
    pub(super) names: Names,
    pub(super) skip: bool,
    /// The value if the file has none: an expression, or the type's default.
    pub(super) default: Option<Option<Expr>>,
    pub(super) wrapper: Option<Wrapper>,
}

/// The type of vivant-codec as which a field is saved.
pub(super) enum Wrapper {
    Serde(Span),
    AnyOrder(Span),
}

const OF_ITEM: &str = "there are the options `name`, `was`, `version`, `from`, `crate`";
const OF_VARIANT: &str = "there are the options `name`, `was`";
const OF_FIELD: &str =
    "there are the options `skip`, `default`, `name`, `was`, `serde`, `any_order`";

impl Names {
    /// Reads `name` or `was`. Returns false for another option.
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("name") {
            self.name = Some(name(meta)?);
        } else if meta.path.is_ident("was") {
            self.was.push(name(meta)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// The name of a type: the given one, or its path.
    pub(super) fn item(&self, ident: &Ident) -> TokenStream {
        match &self.name {
            Some(name) => quote!(#name),
            None => {
                let ident = format!("::{}", bare(ident));
                quote!(::core::concat!(::core::module_path!(), #ident))
            }
        }
    }

    /// The name of a variant.
    pub(super) fn member(&self, ident: &Ident) -> String {
        match &self.name {
            Some(name) => name.value(),
            None => bare(ident),
        }
    }

    /// All names of a variant.
    pub(super) fn all(&self, ident: &Ident) -> Vec<String> {
        let was = self.was.iter().map(LitStr::value);
        [self.member(ident)].into_iter().chain(was).collect()
    }
}

fn name(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let name: LitStr = meta.value()?.parse()?;
    match name.value().trim().is_empty() {
        true => Err(Error::new(name.span(), "a name cannot be empty")),
        false => Ok(name),
    }
}

impl ItemOptions {
    pub(super) fn read(attrs: &[Attribute], errors: &mut Errors) -> ItemOptions {
        let mut options = ItemOptions::default();
        each(attrs, errors, |meta| {
            if options.names.read(meta)? {
                return Ok(());
            }
            if meta.path.is_ident("version") {
                let version: LitInt = meta.value()?.parse()?;
                version.base10_parse::<u32>()?;
                options.version = Some(version);
            } else if meta.path.is_ident("from") {
                options.from.push(meta.value()?.parse()?);
            } else if meta.path.is_ident("crate") {
                options.krate = Some(meta.value()?.call(Path::parse_mod_style)?);
            } else {
                return Err(meta.error(OF_ITEM));
            }
            Ok(())
        });
        if let (Some(from), None) = (options.from.first(), &options.version) {
            errors.at(
                from,
                "`from` loads an older version: say the `version` of this type, which is above the other's",
            );
        }
        options
    }
}

impl VariantOptions {
    pub(super) fn read(attrs: &[Attribute], errors: &mut Errors) -> VariantOptions {
        let mut options = VariantOptions::default();
        each(attrs, errors, |meta| match options.names.read(meta)? {
            true => Ok(()),
            false => Err(meta.error(OF_VARIANT)),
        });
        options
    }
}

impl FieldOptions {
    pub(super) fn read(attrs: &[Attribute], errors: &mut Errors) -> FieldOptions {
        let mut options = FieldOptions::default();
        let mut skip = None;
        each(attrs, errors, |meta| {
            if options.names.read(meta)? {
                return Ok(());
            }
            let wrapper = if meta.path.is_ident("serde") {
                Wrapper::Serde(meta.path.span())
            } else if meta.path.is_ident("any_order") {
                Wrapper::AnyOrder(meta.path.span())
            } else if meta.path.is_ident("skip") {
                skip = Some(meta.path.span());
                return Ok(());
            } else if meta.path.is_ident("default") {
                options.default = Some(match meta.input.peek(Token![=]) {
                    true => Some(meta.value()?.parse()?),
                    false => None,
                });
                return Ok(());
            } else {
                return Err(meta.error(OF_FIELD));
            };
            match options.wrapper.replace(wrapper) {
                None => Ok(()),
                Some(_) => {
                    Err(meta.error("a field is saved by `serde` or in `any_order`, not both"))
                }
            }
        });
        options.skip = skip.is_some();
        let is_named = options.names.name.is_some() || !options.names.was.is_empty();
        if let Some(skip) = skip
            && (is_named || options.wrapper.is_some())
        {
            errors.at_span(
                skip,
                "a field that is skipped is not in files: only `default` goes with `skip`",
            );
        }
        options
    }
}

/// Reads each option of each `#[saved(…)]`.
fn each(
    attrs: &[Attribute],
    errors: &mut Errors,
    mut read: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("saved")) {
        errors.take(attr.parse_nested_meta(|meta| read(&meta)));
    }
}
