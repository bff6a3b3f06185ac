//! [`Part`]: a field, and the code that saves and loads it.

use super::options::{FieldOptions, Wrapper};
use crate::names::bare;
use crate::types::last_segment;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Field, Lifetime, LitStr, Member, Type};

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

    /// Where the compiler reports that the field cannot be saved.
    fn place_of_errors(&self) -> Span {
        match &self.options.wrapper {
            None => self.field.ty.span(),
            Some(Wrapper::Serde(at) | Wrapper::AnyOrder(at)) => *at,
        }
    }

    /// An item of the impl that saves the field. All code names it in the same words and at the
    /// same place, so the compiler says once that the impl is not there.
    fn saver(
        &self,
        codec: &TokenStream,
        brand: &Lifetime,
        plain: &str,
        wrapped: &str,
    ) -> TokenStream {
        let (ty, at) = (&self.field.ty, self.place_of_errors());
        let wrapper = match &self.options.wrapper {
            None => None,
            Some(Wrapper::Serde(_)) => Some("Serde"),
            Some(Wrapper::AnyOrder(_)) => Some("AnyOrder"),
        };
        let codec = with_span(codec.clone(), at);
        match wrapper {
            None => {
                let item = Ident::new(plain, at);
                quote_spanned!(at=> <#ty as #codec::Saved<#brand>>::#item)
            }
            Some(wrapper) => {
                let (wrapper, item) = (Ident::new(wrapper, at), Ident::new(wrapped, at));
                quote_spanned!(at=> <#codec::#wrapper<#ty> as #codec::Wrapper<#brand>>::#item)
            }
        }
    }

    /// The shape of the field's type.
    fn type_shape(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        self.saver(codec, brand, "SHAPE", "INNER_SHAPE")
    }

    pub(super) fn shape(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let (name, shape) = (self.name(), self.type_shape(codec, brand));
        let was = earlier(&self.options.names.was);
        quote!(#codec::Field::new(#name, #codec::ShapeRef::new(|| #shape)) #was)
    }

    /// Appends the bound field.
    pub(super) fn save(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let save = self.saver(codec, brand, "save", "save_inner");
        let name = self.binding();
        // The call has one place, and its arguments mean what they mean here.
        let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#name, __out));
        arguments.set_span(self.place_of_errors());
        quote!(#save #arguments;)
    }

    /// The value, read from `__fields` as field number `index` or made anew.
    pub(super) fn load(&self, codec: &TokenStream, brand: &Lifetime, index: usize) -> TokenStream {
        let default = self.default();
        if self.options.skip {
            return default.unwrap_or_else(|| default_of(&self.field.ty));
        }
        let shape = self.type_shape(codec, brand);
        let load = self.saver(codec, brand, "load", "load_inner");
        // All of the closure has one place, like the other calls.
        let load = quote_spanned!(self.place_of_errors()=> |input| #load(input));
        match default {
            None => quote!(__fields.part(#index, #shape, #load)?),
            Some(default) => quote!(__fields.part_or(#index, #shape, #load, || #default)?),
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

/// The same tokens at the place of a user's: errors are shown there.
fn with_span(tokens: TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    tokens.collect()
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

/// Earlier names, as a call on a shape, a variant or a field.
pub(super) fn earlier(was: &[LitStr]) -> Option<TokenStream> {
    (!was.is_empty()).then(|| quote!(.with_earlier_names(&[#(#was),*])))
}

/// The name to which a field is bound in a pattern.
fn binding(place: usize) -> Ident {
    format_ident!("__field{place}")
}
