//! Tracing of the addresses in a state: those of every field with a type that can have some. In a
//! state that is a graph this is every field, because each is an object, or `TraceReferences`, too.

use crate::errors::Errors;
use crate::object::{is_leaf, packed};
use crate::options::Vivant;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Generics, Ident, Index, Lifetime, parse_quote};

/// Writes the code that finds the addresses in each field.
struct Writer<'a> {
    vivant: &'a Vivant,
    /// The brand of a state that is a graph.
    brand: Option<&'a Lifetime>,
}

/// Writes two hidden items of the state. The impl of `Actor` finds them under any name of the
/// state's brand.
pub(crate) fn write(input: &DeriveInput, vivant: &Vivant) -> TokenStream {
    let state = &input.ident;
    let brand = input
        .generics
        .lifetimes()
        .next()
        .map(|brand| &brand.lifetime);
    let writer = Writer { vivant, brand };
    let generics = writer.generics(&input.generics);
    let (impl_generics, type_generics, clause) = generics.split_for_impl();
    let (fields, body) = match &input.data {
        // Rust forbids references to the fields of a packed type.
        _ if !packed(&input.attrs).is_empty() => (Vec::new(), TokenStream::new()),
        Data::Struct(data) => (data.fields.iter().collect(), writer.of_struct(&data.fields)),
        Data::Enum(data) => {
            let fields = data.variants.iter().flat_map(|one| one.fields.iter());
            let arms = data
                .variants
                .iter()
                .map(|one| writer.arm(&one.ident, &one.fields));
            (fields.collect(), quote!(match self { #(#arms)* _ => {} }))
        }
        Data::Union(_) => (Vec::<&Field>::new(), TokenStream::new()),
    };
    let has_references = fields.into_iter().map(|field| writer.has_references(field));
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(unused_imports, unused_variables, unreachable_patterns, clippy::all, clippy::pedantic)]
        impl #impl_generics #state #type_generics #clause {
            #[doc(hidden)]
            pub const __VIVANT_SHOWS: bool = {
                use #vivant::__private::NoReferences as _;
                false #(|| #has_references)*
            };
            #[doc(hidden)]
            pub fn __vivant_outgoing_references(&self, __seen: &mut #vivant::OutgoingReferences<'_>) {
                use #vivant::__private::NoReferences as _;
                #body
            }
        }
    }
}

/// The same two items for a state with errors in its fields: they name no field.
pub(crate) fn stub(input: &DeriveInput, vivant: &Vivant) -> TokenStream {
    let (impl_generics, type_generics, clause) = input.generics.split_for_impl();
    let state = &input.ident;
    quote! {
        #[doc(hidden)]
        impl #impl_generics #state #type_generics #clause {
            #[doc(hidden)]
            pub const __VIVANT_SHOWS: bool = false;
            #[doc(hidden)]
            pub fn __vivant_outgoing_references(&self, _: &mut #vivant::OutgoingReferences<'_>) {}
        }
    }
}

impl Writer<'_> {
    /// The state's own generics; parts of a graph are objects.
    fn generics(&self, of_state: &Generics) -> Generics {
        let mut generics = of_state.clone();
        if let Some(brand) = self.brand {
            let vivant = self.vivant;
            let parameters: Vec<Ident> = of_state
                .type_params()
                .map(|parameter| parameter.ident.clone())
                .collect();
            let clause = generics.make_where_clause();
            clause
                .predicates
                .extend(parameters.iter().map(|parameter| -> syn::WherePredicate {
                    parse_quote!(#parameter: #vivant::heap::Object<#brand>)
                }));
        }
        generics
    }

    /// The brand, if this field is an object of its own in a graph.
    fn object(&self, field: &Field) -> Option<&Lifetime> {
        self.brand
            .filter(|_| !is_leaf(field, &mut Errors::default()))
    }

    /// An expression: true if the field may have an address.
    fn has_references(&self, field: &Field) -> TokenStream {
        let (vivant, of) = (self.vivant, &field.ty);
        let object = self.object(field).map(
            |brand| quote_spanned!(of.span()=> || <#of as #vivant::heap::Object<#brand>>::HAS_EXTERNAL_EDGES),
        );
        quote_spanned!(of.span()=> #vivant::__private::Probe::<#of>::HAS_EXTERNAL_EDGES #object)
    }

    /// Shows the addresses of one field, given by reference.
    fn add_references(&self, field: &Field, place: &TokenStream) -> TokenStream {
        let (vivant, of) = (self.vivant, &field.ty);
        let probed =
            quote_spanned!(of.span()=> #vivant::__private::Probe::<#of>::show(#place, __seen););
        // In one of the two ways, not in both.
        let object = self.object(field).map(|brand| {
            quote_spanned! {of.span()=>
                if !#vivant::__private::Probe::<#of>::HAS_EXTERNAL_EDGES {
                    __seen.__of_object(|__shown| <#of as #vivant::heap::Object<#brand>>::trace_external(#place, __shown));
                }
            }
        });
        quote!(#probed #object)
    }

    fn of_struct(&self, fields: &Fields) -> TokenStream {
        let added = fields.iter().enumerate().map(|(at, field)| {
            let place = match &field.ident {
                Some(name) => quote!(&self.#name),
                None => {
                    let at = Index::from(at);
                    quote!(&self.#at)
                }
            };
            self.add_references(field, &place)
        });
        quote!(#(#added)*)
    }

    fn arm(&self, variant: &Ident, fields: &Fields) -> TokenStream {
        let names: Vec<Ident> = (0..fields.len())
            .map(|at| format_ident!("__field_{at}"))
            .collect();
        let added = fields
            .iter()
            .zip(&names)
            .map(|(field, name)| self.add_references(field, &quote!(#name)));
        let pattern = match fields {
            Fields::Named(named) => {
                let own = named.named.iter().map(|field| &field.ident);
                quote!({ #(#own: #names),* })
            }
            Fields::Unnamed(_) => quote!((#(#names),*)),
            Fields::Unit => TokenStream::new(),
        };
        quote!(Self::#variant #pattern => { #(#added)* })
    }
}
