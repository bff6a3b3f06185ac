//! `#[derive(Object)]`: how the collector traces a type.

mod external_edges;
mod sharing;
mod stub;

use crate::errors::Errors;
use crate::recursion::owns;
use crate::{slips, surface, types};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use sharing::Shares;
pub(crate) use stub::stub;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, GenericParam, Generics, Lifetime, Member, Path,
    Result, Type, WherePredicate, parse_quote, token,
};

/// The code that `#[derive(Actor)]` writes for a state that is a graph.
pub(crate) fn of_state(
    input: &DeriveInput,
    heap: &TokenStream,
    errors: &mut Errors,
) -> TokenStream {
    let options = Options {
        heap: syn::parse2(heap.clone()).ok(),
        ..Options::default()
    };
    let fields = check(input, &options, errors);
    Derived::new(input, &options).object(&fields)
}

pub(crate) fn expand(input: TokenStream, heap: &TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let options = Options::read(&input.attrs, &mut errors);
    let fields = check(&input, &options, &mut errors);
    if !errors.is_empty() {
        return Ok(quote!(#errors));
    }
    let options = options.or_heap(heap);
    if slips::graph::in_object(&input, &mut errors) {
        let stub = stub(&input, &options.heap.to_token_stream());
        return Ok(quote!(#errors #stub));
    }
    let derived = Derived::new(&input, &options);
    Ok(match options.leaf {
        Some(_) => {
            let (object, sharing) = (derived.leaf(), derived.sharing(&[]));
            let erased = derived.erased_impl(Shares::AsLeaf);
            let frozen = derived.frozen(Shares::AsLeaf);
            quote!(#object #sharing #erased #frozen)
        }
        None => {
            let (object, sharing) = (derived.object(&fields), derived.sharing(&fields));
            let erased = derived.erased_impl(Shares::ByFields);
            let frozen = derived.frozen(Shares::ByFields);
            quote!(#object #sharing #erased #frozen)
        }
    })
}

/// The options of `#[object(…)]` beside the derive.
#[derive(Default)]
pub(crate) struct Options {
    heap: Option<Path>,
    /// The whole type has no collected parts, whatever its fields are.
    pub(crate) leaf: Option<Span>,
    /// The name of the type that `#[derive(Freeze)]` writes.
    pub(crate) frozen: Option<Ident>,
}

impl Options {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Options {
        let mut options = Options::default();
        for attr in surface::named(attrs, "object") {
            errors.take(attr.parse_nested_meta(|meta| {
                if meta.path.is_ident("crate") {
                    options.heap = Some(meta.value()?.call(Path::parse_mod_style)?);
                } else if meta.path.is_ident("leaf") {
                    options.leaf = Some(meta.path.span());
                } else if meta.path.is_ident("frozen") {
                    options.frozen = Some(meta.value()?.parse()?);
                } else {
                    return Err(meta.error("there are the options `leaf`, `crate`, `frozen`"));
                }
                Ok(())
            }));
        }
        options
    }
}

impl Options {
    /// The path of vivant-heap, if the user gives none.
    pub(crate) fn or_heap(mut self, heap: &TokenStream) -> Options {
        self.heap = self.heap.or_else(|| syn::parse2(heap.clone()).ok());
        self
    }
}

/// A field, and whether it is marked as having no collected parts.
pub(crate) struct Part<'a> {
    pub(crate) field: &'a Field,
    pub(crate) leaf: bool,
}

pub(crate) fn check<'a>(
    input: &'a DeriveInput,
    options: &Options,
    errors: &mut Errors,
) -> Vec<Part<'a>> {
    let lifetimes: Vec<_> = input.generics.lifetimes().collect();
    for second in lifetimes.iter().skip(1) {
        errors.at(
            second,
            "an object has one lifetime, the brand of its heap; what is borrowed cannot lie in a heap: own it, or refer to it \
             by a `Gc`",
        );
    }
    if let (Some(span), [_, ..]) = (options.leaf, &*lifetimes) {
        errors.at_span(
            span,
            "a type with a lifetime may have collected parts: say `#[object(leaf)]` at the fields that have none",
        );
    }
    for packed in packed(&input.attrs) {
        errors.at(
            packed,
            "the collector goes through references to the fields, and a packed type has none: take `packed` away, or put \
             the packed data into a type of its own with `#[object(leaf)]`",
        );
    }
    if let Data::Union(data) = &input.data
        && options.leaf.is_none()
    {
        errors.at(
            data.union_token,
            "nobody knows which field of a union is there: use an enum, or `#[object(leaf)]` if nothing in it is collected",
        );
    }
    let part = |field| Part {
        field,
        leaf: is_leaf(field, errors),
    };
    let parts: Vec<Part<'a>> = types::fields(&input.data).into_iter().map(part).collect();
    for part in parts
        .iter()
        .filter(|part| !part.leaf && options.leaf.is_none())
    {
        if let Some(own) = owns(&part.field.ty, &input.ident) {
            errors.at(
                own,
                "a value that owns others of its type is gone through, and dropped, with a stack as deep as the data: link them by `Gc`, \
                 or say `#[object(leaf)]` if nothing in them is collected",
            );
        }
    }
    parts
}

/// `packed` wherever a type's `#[repr(…)]` has it.
pub(crate) fn packed(attrs: &[Attribute]) -> Vec<Path> {
    let mut packed = Vec::new();
    for attr in surface::named(attrs, "repr") {
        // The compiler reports errors in it.
        let _other = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("packed") {
                packed.push(meta.path.clone());
            }
            if meta.input.peek(token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    packed
}

pub(crate) fn is_leaf(field: &Field, errors: &mut Errors) -> bool {
    let mut leaf = false;
    for attr in surface::named(&field.attrs, "object") {
        errors.take(attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("leaf") {
                return Err(meta.error("a field has the option `leaf`"));
            }
            leaf = true;
            Ok(())
        }));
    }
    leaf
}

pub(crate) struct Derived<'a> {
    pub(crate) input: &'a DeriveInput,
    pub(crate) heap: TokenStream,
    pub(crate) brand: Lifetime,
    /// The generics of the impl: the type's, and a brand if it has none.
    pub(crate) generics: Generics,
}

impl<'a> Derived<'a> {
    pub(crate) fn new(input: &'a DeriveInput, options: &Options) -> Self {
        let heap = match &options.heap {
            Some(path) => path.to_token_stream(),
            None => quote!(::vivant_heap),
        };
        let mut generics = input.generics.clone();
        let brand = match input.generics.lifetimes().next() {
            Some(own) => own.lifetime.clone(),
            None => {
                let brand = Lifetime::new("'__brand", Span::call_site());
                generics.params.insert(0, parse_quote!(#brand));
                brand
            }
        };
        for parameter in &mut generics.params {
            if let GenericParam::Type(parameter) = parameter {
                parameter.bounds.push(match options.leaf {
                    Some(_) => parse_quote!(::core::marker::Send),
                    None => parse_quote!(#heap::Object<#brand>),
                });
                if options.leaf.is_some() {
                    parameter.bounds.push(parse_quote!('static));
                }
            }
        }
        let mut derived = Derived {
            input,
            heap,
            brand,
            generics,
        };
        if options.leaf.is_none() {
            derived.bound_erased_forms();
        }
        derived
    }

    /// The bounds of the type's parameters, repeated for their erased forms.
    fn bound_erased_forms(&mut self) {
        let own = &self.input.generics;
        let mut asked: Vec<WherePredicate> = Vec::new();
        for parameter in own.type_params() {
            let (name, bounds) = (&parameter.ident, &parameter.bounds);
            if !bounds.is_empty() {
                asked.push(parse_quote!(#name: #bounds));
            }
        }
        asked.extend(
            own.where_clause
                .iter()
                .flat_map(|clause| clause.predicates.iter().cloned()),
        );
        for predicate in &mut asked {
            EraseBrand(self).visit_where_predicate_mut(predicate);
        }
        self.generics.make_where_clause().predicates.extend(asked);
    }

    /// The erased form of a type parameter.
    fn erased_parameter(&self, parameter: &Ident) -> Type {
        let (heap, brand) = (&self.heap, &self.brand);
        parse_quote!(<#parameter as #heap::Object<#brand>>::Static)
    }

    /// The erased form of the type: `'static` for its brand and its parameters' brands.
    fn erased(&self) -> TokenStream {
        let name = &self.input.ident;
        let arguments = self
            .input
            .generics
            .params
            .iter()
            .map(|parameter| match parameter {
                GenericParam::Lifetime(_) => quote!('static),
                GenericParam::Type(parameter) => {
                    self.erased_parameter(&parameter.ident).to_token_stream()
                }
                GenericParam::Const(parameter) => parameter.ident.to_token_stream(),
            });
        quote!(#name<#(#arguments),*>)
    }

    /// A type marked as a leaf; the expansion checks that it has no brand.
    fn leaf(&self) -> TokenStream {
        let (name, heap, brand) = (&self.input.ident, &self.heap, &self.brand);
        let (impl_generics, _, clause) = self.generics.split_for_impl();
        let (_, type_generics, _) = self.input.generics.split_for_impl();
        quote! {
            // SAFETY: it is `'static` for every brand, so it contains no brand.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Object<#brand> for #name #type_generics #clause {
                type Static = Self;
                const NEEDS_TRACE: bool = false;
                #[inline]
                fn trace(&self, _: &mut #heap::Tracer<'_>) {}
                #[inline]
                fn evacuate(&mut self, _: &mut #heap::Evacuator<'_>) {}
            }
        }
    }

    fn object(&self, parts: &[Part<'_>]) -> TokenStream {
        let (name, heap, brand) = (&self.input.ident, &self.heap, &self.brand);
        let (impl_generics, _, clause) = self.generics.split_for_impl();
        let (_, type_generics, _) = self.input.generics.split_for_impl();
        let erased = self.erased();
        let traced = || parts.iter().filter(|part| !part.leaf);
        let needs = traced().map(|Part { field, .. }| {
            let of = &field.ty;
            quote_spanned!(of.span()=> || <#of as #heap::Object<#brand>>::NEEDS_TRACE)
        });
        let destructor = self.no_destructor();
        let trace = self.arms(&format_ident!("trace"));
        let evacuate = self.arms(&format_ident!("evacuate"));
        let external_edges = traced().map(|Part { field, .. }| {
            let of = &field.ty;
            quote_spanned!(of.span()=> || <#of as #heap::Object<#brand>>::HAS_EXTERNAL_EDGES)
        });
        let show = self.external_edges();
        quote! {
            // SAFETY: all fields are traced but those that are checked for having no brand.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Object<#brand> for #name #type_generics #clause {
                type Static = #erased;
                const NEEDS_TRACE: bool = false #(#needs)*;
                #[inline]
                fn trace(&self, __visitor: &mut #heap::Tracer<'_>) {
                    #destructor
                    match *self { #trace }
                }
                #[inline]
                fn evacuate(&mut self, __visitor: &mut #heap::Evacuator<'_>) {
                    match *self { #evacuate }
                }
                const HAS_EXTERNAL_EDGES: bool = false #(#external_edges)*;
                #[inline]
                fn trace_external(&self, __shown: &mut #heap::ExternalEdges<'_>) {
                    match *self { #show }
                }
            }
        }
    }

    /// A type that may have collected parts has no destructor (H10).
    fn no_destructor(&self) -> Option<TokenStream> {
        let mut parameters = self.input.generics.params.iter();
        let may_have_parts =
            parameters.any(|parameter| !matches!(parameter, GenericParam::Const(_)));
        let heap = &self.heap;
        may_have_parts.then(|| {
            quote_spanned! {self.input.ident.span()=>
                {
                    #[allow(unused_imports)]
                    use #heap::__private::Otherwise as _;
                    let __answer = __visitor.__destructor::<Self>().of();
                    __visitor.__allowed(__answer);
                }
            }
        })
    }

    /// The variants with their names; a struct is one variant without a name.
    pub(crate) fn variants(&self) -> Vec<(Option<&'a Ident>, &'a Fields)> {
        match &self.input.data {
            Data::Struct(data) => vec![(None, &data.fields)],
            Data::Enum(data) => {
                let variants = data.variants.iter();
                let variant = |variant: &'a syn::Variant| (Some(&variant.ident), &variant.fields);
                variants.map(variant).collect()
            }
            Data::Union(_) => Vec::new(),
        }
    }

    /// The name or number of a field.
    pub(crate) fn member(number: usize, field: &Field) -> Member {
        match &field.ident {
            Some(name) => Member::from(name.clone()),
            None => Member::from(number),
        }
    }

    /// The variants, and in each a call for each field.
    fn arms(&self, call: &Ident) -> TokenStream {
        let reads = call == "trace";
        let by = match reads {
            true => quote!(ref),
            false => quote!(ref mut),
        };
        let (heap, brand) = (&self.heap, &self.brand);
        let arms = self.variants().into_iter().map(|(variant, fields)| {
            let path = variant_path(&quote!(Self), variant);
            let mut patterns = TokenStream::new();
            let mut calls = TokenStream::new();
            let mut ignored = Errors::default();
            for (number, field) in fields.iter().enumerate() {
                let member = Derived::member(number, field);
                let bound = format_ident!("__field{number}");
                let of = &field.ty;
                if is_leaf(field, &mut ignored) {
                    let leaf = quote_spanned!(of.span()=> __visitor.__leaf::<#of>(#bound););
                    match reads {
                        true => {
                            patterns.extend(quote!(#member: ref #bound,));
                            calls.extend(leaf);
                        }
                        false => patterns.extend(quote!(#member: _,)),
                    }
                    continue;
                }
                patterns.extend(quote!(#member: #by #bound,));
                if reads {
                    calls.extend(quote_spanned!(of.span()=> __visitor.__field::<#of>(#bound);));
                }
                calls.extend(quote_spanned! {of.span()=>
                    <#of as #heap::Object<#brand>>::#call(#bound, __visitor);
                });
            }
            // Without `..`: a field that was added after the derive has read the type is an error.
            // So is a field with another type since.
            quote!(#path { #patterns } => { #calls })
        });
        quote!(#(#arms)*)
    }
}

/// The path of a variant of an enum, or of a struct.
pub(crate) fn variant_path(of: &impl ToTokens, variant: Option<&Ident>) -> TokenStream {
    let variant = variant.into_iter();
    quote!(#of #(::#variant)*)
}

/// Replaces the brand with `'static`, and parameters with their erased forms.
struct EraseBrand<'a, 'b>(&'a Derived<'b>);

impl VisitMut for EraseBrand<'_, '_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if *lifetime == self.0.brand {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
    }

    fn visit_type_mut(&mut self, of: &mut Type) {
        let mut parameters = self.0.input.generics.type_params();
        let own = match &*of {
            Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
            _ => None,
        };
        match own.filter(|own| parameters.any(|parameter| parameter.ident == **own)) {
            Some(own) => *of = self.0.erased_parameter(own),
            None => visit_mut::visit_type_mut(self, of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An attribute below the derive may change types: all types that were read are named to the
    /// tracer, which accepts no other (`__private`, in the heap).
    #[test]
    fn the_type_of_each_field_is_checked() {
        let input = quote! {
            enum Mixed<'gc, T> {
                One { part: Vec<T>, #[object(leaf)] plain: Cell<u8> },
                Two(Gc<'gc, T>),
            }
        };
        let expansion = expand(input, &quote!(heap)).unwrap().to_string();
        let fields = [
            quote!(__visitor.__field::<Vec<T> >(__field0);),
            quote!(__visitor.__leaf::<Cell<u8> >(__field1);),
            quote!(__visitor.__field::<Gc<'gc, T> >(__field0);),
        ];
        for field in fields {
            assert_eq!(expansion.matches(&field.to_string()).count(), 1, "{field}");
        }
    }
}
