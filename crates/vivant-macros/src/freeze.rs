//! `#[derive(Freeze)]`: the type as which a frozen object of a collected heap is read.

use crate::errors::Errors;
use crate::object::{Derived, Options, Part, check, is_leaf, variant_path};
use crate::surface;
use crate::types::without_self;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Data, DeriveInput, Fields, GenericArgument, GenericParam, Generics, Lifetime, Path,
    PathArguments, Result, Type, TypeTraitObject, Visibility, parse_quote,
};

pub(crate) fn expand(input: TokenStream, heap: &TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let options = Options::read(&input.attrs, &mut errors);
    // `#[derive(Object)]` reports all other errors.
    let parts = check(&input, &options, &mut Errors::default());
    refuse(&input, &options, &parts, &mut errors);
    if !errors.is_empty() {
        return Ok(quote!(#errors));
    }
    let name = options.frozen.clone();
    let name = name.unwrap_or_else(|| format_ident!("Frozen{}", input.ident));
    let options = options.or_heap(heap);
    let derived = Derived::new(&input, &options);
    Ok(Frozen::new(&derived, name).expansion())
}

/// Types that cannot be frozen, and those for which nothing is written.
fn refuse(input: &DeriveInput, options: &Options, parts: &[Part<'_>], errors: &mut Errors) {
    let mut unfreezable = Unfreezable::default();
    for part in parts.iter().filter(|part| !part.leaf) {
        unfreezable.visit_type(&part.field.ty);
    }
    errors.append(unfreezable.0);
    let mut parameters = input.generics.params.iter();
    let plain = parameters.all(|parameter| matches!(parameter, GenericParam::Const(_)));
    if plain || options.leaf.is_some() || parts.iter().all(|part| part.leaf) {
        errors.at(
            &input.ident,
            "a type without collected parts is frozen as it is, if nothing in it is a `Mut` and it is `Sync`: take `Freeze` away, and have the `Mut` \
             around it, `Gc<'gc, Mut<…>>`",
        );
    }
}

/// Finds a type that by its tokens has no frozen form: one error that says what to do, instead of
/// the compiler's one error for each item that is written. The compiler finds the rest.
#[derive(Default)]
struct Unfreezable(Errors);

impl<'a> Visit<'a> for Unfreezable {
    fn visit_path(&mut self, path: &'a Path) {
        let Some(last) = path.segments.last() else {
            return;
        };
        let branded = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                matches!(arguments.args.first(), Some(GenericArgument::Lifetime(_)))
            }
            _ => false,
        };
        let does_what = if last.ident == "Weak" && branded {
            "a `Weak` is emptied by its collector, and cannot be frozen: use a `Gc`, which may go round in circles, or take the field out before"
        } else if last.ident == "Iso" {
            "an `Iso` can be opened and written, and cannot be frozen: freeze it by itself and have the `Val` here, or merge it before"
        } else if last.ident == "Leaf" {
            return;
        } else {
            return visit::visit_path(self, path);
        };
        self.0.at(path, does_what);
    }

    fn visit_type_trait_object(&mut self, object: &'a TypeTraitObject) {
        self.0.at(
            object,
            "a trait object cannot be frozen, because its methods may write: use an enum of the types that there are",
        );
    }
}

/// The written type.
struct Frozen<'a> {
    derived: &'a Derived<'a>,
    name: Ident,
    /// The lifetime of a read access.
    ice: Lifetime,
    /// The generics of the type as an object that can be frozen.
    object: Generics,
    /// The generics of the type as which it is read.
    view: Generics,
}

impl<'a> Frozen<'a> {
    fn new(derived: &'a Derived<'a>, name: Ident) -> Self {
        let (heap, brand) = (&derived.heap, &derived.brand);
        let ice = Lifetime::new("'__ice", Span::call_site());
        let mut object = derived.generics.clone();
        for parameter in object.type_params_mut() {
            parameter.bounds.push(parse_quote!(#heap::Freeze<#brand>));
            parameter.default = None;
        }
        let mut view = object.clone();
        view.params.insert(0, parse_quote!(#ice));
        let outlive = &mut view.make_where_clause().predicates;
        outlive.push(parse_quote!(#brand: #ice));
        for parameter in object.type_params() {
            let name = &parameter.ident;
            outlive.push(parse_quote!(#name: #ice));
        }
        Frozen {
            derived,
            name,
            ice,
            object,
            view,
        }
    }

    fn expansion(&self) -> TokenStream {
        let Frozen {
            derived, name, ice, ..
        } = self;
        let (heap, brand, own) = (&derived.heap, &derived.brand, &derived.input.ident);
        let (_, own_generics, _) = derived.input.generics.split_for_impl();
        let (impl_generics, _, clause) = self.object.split_for_impl();
        let (view_impl, view_generics, view_clause) = self.view.split_for_impl();
        let (item, arms) = (self.item(), self.arms());
        quote! {
            #item
            #[automatically_derived]
            impl #view_impl ::core::clone::Clone for #name #view_generics #view_clause {
                #[inline]
                fn clone(&self) -> Self { *self }
            }
            #[automatically_derived]
            impl #view_impl ::core::marker::Copy for #name #view_generics #view_clause {}
            #[automatically_derived]
            impl #view_impl ::core::fmt::Debug for #name #view_generics #view_clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(::core::stringify!(#name)).finish_non_exhaustive()
                }
            }
            // SAFETY: `Ice` is laid out as the type. Each field is read by its own `view`, or is a
            // leaf that is checked for being `Sync`.
            #[automatically_derived]
            unsafe impl #impl_generics #heap::Freeze<#brand> for #own #own_generics #clause {
                type Frozen = #heap::Ice<Self>;
                type View<#ice> = #name #view_generics where Self: #ice, #brand: #ice;
                #[inline]
                unsafe fn view<#ice>(&#ice self) -> Self::View<#ice> where #brand: #ice {
                    let _: fn(*const <Self as #heap::Freeze<#brand>>::Frozen) = <Self as #heap::Freeze<#brand>>::__ice;
                    // SAFETY: the caller guarantees that the object is frozen; these are its
                    // fields.
                    unsafe { match *self { #arms } }
                }
            }
        }
    }

    /// The struct or enum as which a frozen object is read.
    fn item(&self) -> TokenStream {
        let Frozen { derived, name, .. } = self;
        let input = derived.input;
        let (visibility, generics, clause) = (&input.vis, &self.view, &self.view.where_clause);
        let doc = format!(
            "What a frozen [`{}`] is read as: its fields, as they lie there.",
            input.ident
        );
        let head = quote! {
            #[doc = #doc]
            #[allow(dead_code, clippy::type_complexity, reason = "as the type from which it is derived")]
        };
        match &input.data {
            Data::Struct(data) => {
                let fields = self.fields(&data.fields);
                match &data.fields {
                    Fields::Named(_) => {
                        quote!(#head #visibility struct #name #generics #clause { #fields })
                    }
                    _ => quote!(#head #visibility struct #name #generics (#fields) #clause;),
                }
            }
            Data::Enum(data) => {
                let variants = data.variants.iter().map(|variant| {
                    let (docs, name) = (docs(&variant.attrs), &variant.ident);
                    let fields = self.fields(&variant.fields);
                    match &variant.fields {
                        Fields::Named(_) => quote!(#docs #name { #fields }),
                        Fields::Unnamed(_) => quote!(#docs #name(#fields)),
                        Fields::Unit => quote!(#docs #name),
                    }
                });
                quote!(#head #visibility enum #name #generics #clause { #(#variants),* })
            }
            Data::Union(_) => TokenStream::new(),
        }
    }

    /// The fields, each of the type as which it is read.
    fn fields(&self, fields: &Fields) -> TokenStream {
        let (heap, brand, ice) = (&self.derived.heap, &self.derived.brand, &self.ice);
        // In the written type, `Self` is the written type.
        let (name, (_, generics, _)) = (
            &self.derived.input.ident,
            self.derived.input.generics.split_for_impl(),
        );
        let own: Type = parse_quote!(#name #generics);
        let each = fields.iter().map(|field| {
            let (docs, of) = (docs(&field.attrs), without_self(&field.ty, &own));
            let shown = match &field.vis {
                Visibility::Inherited => TokenStream::new(),
                shown => shown.to_token_stream(),
            };
            let name = field.ident.as_ref().map(|name| quote!(#name:));
            let view = match is_leaf(field, &mut Errors::default()) {
                true => quote!(&#ice #of),
                false => quote_spanned!(of.span()=> <#of as #heap::Freeze<#brand>>::View<#ice>),
            };
            quote!(#docs #shown #name #view,)
        });
        quote!(#(#each)*)
    }

    /// The variants, and in each its fields, read.
    fn arms(&self) -> TokenStream {
        let (heap, brand, view) = (&self.derived.heap, &self.derived.brand, &self.name);
        let own = quote!(<Self as #heap::Freeze<#brand>>);
        let arms = self.derived.variants().into_iter().map(|(variant, fields)| {
            let (mut patterns, mut checks, mut reads) =
                (TokenStream::new(), TokenStream::new(), TokenStream::new());
            for (number, field) in fields.iter().enumerate() {
                let (member, of) = (Derived::member(number, field), &field.ty);
                let bound = format_ident!("__field{number}");
                patterns.extend(quote!(#member: ref #bound,));
                if is_leaf(field, &mut Errors::default()) {
                    checks.extend(quote_spanned!(of.span()=> #own::__leaf::<#of>(#bound);));
                    reads.extend(quote!(#member: #bound,));
                } else {
                    checks.extend(quote_spanned!(of.span()=> #own::__field::<#of>(#bound);));
                    let read = quote_spanned!(of.span()=> <#of as #heap::Freeze<#brand>>::view(#bound));
                    reads.extend(quote!(#member: #read,));
                }
            }
            let (whole, frozen) = (variant_path(&quote!(Self), variant), variant_path(view, variant));
            quote!(#whole { #patterns } => { #checks #frozen { #reads } })
        });
        quote!(#(#arms)*)
    }
}

/// The docs of a field or a variant.
fn docs(attrs: &[Attribute]) -> TokenStream {
    let docs = surface::named(attrs, "doc");
    quote!(#(#docs)*)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in `object`: a field still has the type that was read, and a leaf is `Sync`. The
    /// generated names cannot resolve to other items.
    #[test]
    fn the_type_of_each_field_is_checked() {
        let input = quote! {
            enum Mixed<'gc, T> {
                One { part: Vec<T>, #[object(leaf)] plain: u8 },
                Two(Gc<'gc, T>),
            }
        };
        let expansion = expand(input, &quote!(heap)).unwrap().to_string();
        let fields = [
            quote!(__field::<Vec<T> >(__field0);),
            quote!(__leaf::<u8>(__field1);),
            quote!(__field::<Gc<'gc, T> >(__field0);),
        ];
        for field in fields {
            assert_eq!(expansion.matches(&field.to_string()).count(), 1, "{field}");
        }
    }

    #[test]
    fn plain_types_need_none() {
        let expansion = expand(
            quote!(
                struct Point {
                    x: f64,
                }
            ),
            &quote!(heap),
        )
        .unwrap();
        assert!(expansion.to_string().contains("frozen as it is"));
    }
}
