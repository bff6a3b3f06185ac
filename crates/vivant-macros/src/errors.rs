//! The errors of one expansion: all of them are reported, not only the first.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;
use syn::Error;
use syn::parse::Parse;

/// The errors in the user's code so far.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// An error that underlines `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    pub(crate) fn at_span(&mut self, span: Span, message: impl Display) {
        self.push(Error::new(span, message));
    }

    pub(crate) fn append(&mut self, others: Errors) {
        if let Some(others) = others.0 {
            self.push(others);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Parses an item. `None` if it is not one; the error then names the items on which the
    /// attribute may stand.
    pub(crate) fn parsed<T: Parse>(&mut self, item: &TokenStream, stands: &str) -> Option<T> {
        let parsed = syn::parse2(item.clone());
        self.take(parsed.map_err(|error: Error| Error::new(error.span(), stands)))
    }

    /// The value; `None`, and one error more, if there is none.
    pub(crate) fn take<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if let Some(errors) = &self.0 {
            tokens.extend(errors.to_compile_error());
        }
    }
}
