//! Which addresses a state shows: those of every field whose type can.

use crate::options::Vivant;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Index, Type};

/// Two hidden items of the state, which the impl of `Actor` finds whatever the state's brand is called.
pub(crate) fn write(input: &DeriveInput, vivant: &Vivant) -> TokenStream {
    let state = &input.ident;
    let (impl_generics, type_generics, clause) = input.generics.split_for_impl();
    let (types, body) = match &input.data {
        // Nobody can refer to the fields of a packed type.
        _ if input.attrs.iter().any(is_packed) => (Vec::new(), TokenStream::new()),
        Data::Struct(data) => (types_of(&data.fields), of_struct(&data.fields, vivant)),
        Data::Enum(data) => {
            let types = data.variants.iter().flat_map(|one| types_of(&one.fields));
            let arms = data
                .variants
                .iter()
                .map(|one| arm(&one.ident, &one.fields, vivant));
            (types.collect(), quote!(match self { #(#arms)* _ => {} }))
        }
        Data::Union(_) => (Vec::new(), TokenStream::new()),
    };
    let shows = types
        .iter()
        .map(|of| quote_spanned!(of.span()=> || #vivant::__private::Probe::<#of>::SHOWS));
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(unused_imports, unused_variables, unreachable_patterns, clippy::all, clippy::pedantic)]
        impl #impl_generics #state #type_generics #clause {
            #[doc(hidden)]
            pub const __VIVANT_SHOWS: bool = {
                use #vivant::__private::NotAcquainted as _;
                false #(#shows)*
            };
            #[doc(hidden)]
            pub fn __vivant_acquaintances(&self, __seen: &mut #vivant::Acquaintances<'_>) {
                use #vivant::__private::NotAcquainted as _;
                #body
            }
        }
    }
}

fn is_packed(attr: &Attribute) -> bool {
    let mut packed = false;
    if attr.path().is_ident("repr") {
        // What is wrong with it, the compiler says.
        let _other = attr.parse_nested_meta(|meta| {
            packed |= meta.path.is_ident("packed");
            if meta.input.peek(syn::token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    packed
}

fn types_of(fields: &Fields) -> Vec<&Type> {
    fields.iter().map(|field| &field.ty).collect()
}

/// Shows one field, given by reference.
fn show(field: &Field, place: &TokenStream, vivant: &Vivant) -> TokenStream {
    let of = &field.ty;
    quote_spanned!(of.span()=> #vivant::__private::Probe::<#of>::show(#place, __seen);)
}

fn of_struct(fields: &Fields, vivant: &Vivant) -> TokenStream {
    let shown = fields.iter().enumerate().map(|(at, field)| {
        let place = match &field.ident {
            Some(name) => quote!(&self.#name),
            None => {
                let at = Index::from(at);
                quote!(&self.#at)
            }
        };
        show(field, &place, vivant)
    });
    quote!(#(#shown)*)
}

fn arm(variant: &Ident, fields: &Fields, vivant: &Vivant) -> TokenStream {
    let names: Vec<Ident> = (0..fields.len())
        .map(|at| format_ident!("__field_{at}"))
        .collect();
    let shown = fields
        .iter()
        .zip(&names)
        .map(|(field, name)| show(field, &quote!(#name), vivant));
    let pattern = match fields {
        Fields::Named(named) => {
            let own = named.named.iter().map(|field| &field.ident);
            quote!({ #(#own: #names),* })
        }
        Fields::Unnamed(_) => quote!((#(#names),*)),
        Fields::Unit => TokenStream::new(),
    };
    quote!(Self::#variant #pattern => { #(#shown)* })
}
