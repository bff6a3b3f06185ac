//! [`Part`]: a field, and the code that saves and loads it.

use super::options::{FieldOptions, Wrapper};
use super::{binding, earlier};
use crate::names::bare;
use crate::types::last_segment;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Field, Lifetime, Member, Type};

/// A field of a struct or of a variant.
pub(super) struct Part<'a> {
    place: usize,
    pub(super) field: &'a Field,
    options: FieldOptions,
}

impl<'a> Part<'a> {
    pub(super) fn new(place: usize, field: &'a Field, options: FieldOptions) -> Part<'a> {
        Part {
            place,
            field,
            options,
        }
    }

    pub(super) fn is_saved(&self) -> bool {
        !self.options.skip
    }

    /// Whether the type parameters of the field's type have to be saved.
    pub(super) fn is_bounded(&self) -> bool {
        let phantom = last_segment(&self.field.ty).is_some_and(|it| it.ident == "PhantomData");
        self.is_saved() && !phantom && !matches!(self.options.wrapper, Some(Wrapper::Serde(_)))
    }

    pub(super) fn member(&self) -> Member {
        match &self.field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::from(self.place),
        }
    }

    pub(super) fn binding(&self) -> Ident {
        binding(self.place)
    }

    /// The name in a shape.
    fn name(&self) -> String {
        match (&self.options.names.name, &self.field.ident) {
            (Some(name), _) => name.value(),
            (None, Some(ident)) => bare(ident),
            (None, None) => self.place.to_string(),
        }
    }

    /// The names by which files may know the field.
    pub(super) fn names(&self) -> Vec<String> {
        let was = self.options.names.was.iter().map(|name| name.value());
        [self.name()].into_iter().chain(was).collect()
    }

    /// The type as which the field is saved.
    fn saved_type(&self, codec: &TokenStream) -> TokenStream {
        let ty = &self.field.ty;
        match &self.options.wrapper {
            None => ty.to_token_stream(),
            Some(Wrapper::Serde(at)) => quote_spanned!(*at=> #codec::Serde<#ty>),
            Some(Wrapper::AnyOrder(at)) => quote_spanned!(*at=> #codec::AnyOrder<#ty>),
        }
    }

    pub(super) fn shape(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let (name, ty) = (self.name(), self.saved_type(codec));
        let was = earlier(&self.options.names.was);
        let shape = quote_spanned!(self.field.ty.span()=> #codec::shape_of::<#brand, #ty>());
        quote!(#codec::Field::new(#name, #shape) #was)
    }

    /// Appends the bound field.
    pub(super) fn save(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let (ty, name) = (self.saved_type(codec), self.binding());
        let at = self.field.ty.span();
        match self.options.wrapper {
            None => quote_spanned!(at=> <#ty as #codec::Saved<#brand>>::save(#name, __out);),
            Some(_) => {
                quote_spanned!(at=> <#ty as #codec::Wrapper<#brand>>::save_inner(#name, __out);)
            }
        }
    }

    /// The value, read from `__fields` as field number `index` or made anew.
    pub(super) fn load(&self, codec: &TokenStream, index: usize) -> TokenStream {
        let ty = self.saved_type(codec);
        let at = self.field.ty.span();
        let default = self.default();
        if self.options.skip {
            let bare_type = &self.field.ty;
            return default.unwrap_or_else(|| default_of(bare_type));
        }
        match (default, &self.options.wrapper) {
            (None, None) => quote_spanned!(at=> __fields.field::<#ty>(#index)?),
            (None, Some(_)) => quote_spanned!(at=> __fields.field::<#ty>(#index)?.0),
            (Some(default), None) => {
                quote_spanned!(at=> __fields.field_or::<#ty>(#index, || #default)?)
            }
            (Some(default), Some(wrapper)) => {
                let make = match wrapper {
                    Wrapper::Serde(_) => quote!(#codec::Serde),
                    Wrapper::AnyOrder(_) => quote!(#codec::AnyOrder),
                };
                quote_spanned!(at=> __fields.field_or::<#ty>(#index, || #make(#default))?.0)
            }
        }
    }

    /// The value of a field that the file does not have.
    fn default(&self) -> Option<TokenStream> {
        let default = self.options.default.as_ref()?;
        Some(match default {
            Some(value) => value.to_token_stream(),
            None => default_of(&self.field.ty),
        })
    }
}

fn default_of(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default())
}

/// Whether a field's type names this parameter.
pub(super) fn uses(field: &Field, parameter: &Ident) -> bool {
    fn has(tokens: TokenStream, parameter: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == *parameter,
            TokenTree::Group(group) => has(group.stream(), parameter),
            _ => false,
        })
    }
    has(field.ty.to_token_stream(), parameter)
}
