//! `#[derive(Saved)]`: how a type is written to bytes and read from them.

mod options;
mod part;

use crate::errors::Errors;
use options::{FieldOptions, ItemOptions, VariantOptions};
use part::{Part, earlier, uses};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Data, DeriveInput, Fields, GenericParam, Generics, Lifetime, LifetimeParam, Path, Result,
    parse_quote,
};

/// The impl, with `codec` as the path of vivant-codec if the type gives none.
pub(crate) fn expand(input: TokenStream, codec: &TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let mut errors = Errors::default();
    let written = of_item(&input, codec, Bounds::Added, &mut errors);
    Ok(quote!(#errors #written))
}

/// The impl for a type; `None` if it has errors.
pub(crate) fn of_item(
    input: &DeriveInput,
    codec: &TokenStream,
    bounds: Bounds,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let before = errors.count();
    let options = ItemOptions::read(&input.attrs, errors);
    let body = Body::read(input, errors);
    let brand = brand(&input.generics, errors);
    if errors.count() > before {
        return None;
    }
    let codec = match &options.krate {
        Some(path) => path.to_token_stream(),
        None => codec.clone(),
    };
    let derived = Derived {
        input,
        options: &options,
        body: &body,
        brand,
        codec,
        bounds,
    };
    Some(derived.expansion())
}

/// The lifetime of the type, which is the brand of its heap, or a new one.
fn brand(generics: &Generics, errors: &mut Errors) -> Lifetime {
    let mut lifetimes = generics.lifetimes();
    let first = lifetimes.next().map(|first| first.lifetime.clone());
    for second in lifetimes {
        errors.at(
            second,
            "a saved type has one lifetime, the brand of its heap; what is borrowed cannot be loaded: own it",
        );
    }
    first.unwrap_or_else(|| parse_quote!('gc))
}

/// The fields of a struct, or the variants of an enum.
enum Body<'a> {
    Struct(Members<'a>),
    Enum(Vec<Variant<'a>>),
}

struct Variant<'a> {
    ident: &'a Ident,
    options: VariantOptions,
    members: Members<'a>,
}

/// The fields of a struct or of a variant. Code names each by its name or its place, so it is
/// written in braces always.
struct Members<'a> {
    parts: Vec<Part<'a>>,
}

impl<'a> Body<'a> {
    fn read(input: &'a DeriveInput, errors: &mut Errors) -> Body<'a> {
        match &input.data {
            Data::Struct(data) => Body::Struct(Members::read(&data.fields, errors)),
            Data::Enum(data) => {
                let mut variants = Vec::new();
                for variant in &data.variants {
                    variants.push(Variant {
                        ident: &variant.ident,
                        options: VariantOptions::read(&variant.attrs, errors),
                        members: Members::read(&variant.fields, errors),
                    });
                }
                let names = variants
                    .iter()
                    .map(|it| (it.ident, it.options.names.all(it.ident)));
                unique(names, "variants", errors);
                Body::Enum(variants)
            }
            Data::Union(data) => {
                errors.at(
                    data.union_token,
                    "a union does not know which of its fields it has: save an enum, or write `Saved` by hand",
                );
                Body::Enum(Vec::new())
            }
        }
    }

    fn parts(&self) -> Vec<&Part<'a>> {
        match self {
            Body::Struct(members) => members.parts.iter().collect(),
            Body::Enum(variants) => {
                let variants = variants.iter();
                variants
                    .flat_map(|variant| &variant.members.parts)
                    .collect()
            }
        }
    }
}

/// Names that stand for one thing each.
fn unique<'a>(
    names: impl Iterator<Item = (&'a Ident, Vec<String>)>,
    what: &str,
    errors: &mut Errors,
) {
    let mut known = std::collections::BTreeSet::new();
    for (ident, names) in names {
        for name in names {
            if !known.insert(name.clone()) {
                errors.at(ident, format!("two {what} are called `{name}` in files"));
            }
        }
    }
}

impl<'a> Members<'a> {
    fn read(fields: &'a Fields, errors: &mut Errors) -> Members<'a> {
        let mut parts = Vec::new();
        for (place, field) in fields.iter().enumerate() {
            let options = FieldOptions::read(&field.attrs, errors);
            parts.push(Part::new(place, field, options));
        }
        let mut known = std::collections::BTreeSet::new();
        for part in parts.iter().filter(|part| part.is_saved()) {
            for name in part.names() {
                if !known.insert(name.clone()) {
                    let error = format!("two fields are called `{name}` in files");
                    errors.at(part.field, error);
                }
            }
        }
        Members { parts }
    }

    /// The fields that are saved, in their order.
    fn saved(&self) -> impl Iterator<Item = &Part<'a>> {
        self.parts.iter().filter(|part| part.is_saved())
    }

    /// The fields in a shape.
    fn shapes(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let shapes = self.saved().map(|part| part.shape(codec, brand));
        quote!(const { &[#(#shapes),*] })
    }

    /// The saved fields, bound to the names of their parts.
    fn pattern(&self) -> TokenStream {
        let bound = self.saved().map(|part| {
            let (member, name) = (part.member(), part.binding());
            quote!(#member: #name)
        });
        quote!({ #(#bound,)* .. })
    }

    /// Appends the bound fields.
    fn save(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let saves = self.saved().map(|part| part.save(codec, brand));
        quote!(#(#saves)*)
    }

    /// All fields, read from `__fields` or made anew.
    fn load(&self, codec: &TokenStream, brand: &Lifetime) -> TokenStream {
        let mut index = 0_usize;
        let loads = self.parts.iter().map(|part| {
            let (member, load) = (part.member(), part.load(codec, brand, index));
            index += usize::from(part.is_saved());
            quote!(#member: #load)
        });
        quote!({ #(#loads,)* })
    }
}

/// What the impl is written from.
struct Derived<'a> {
    input: &'a DeriveInput,
    options: &'a ItemOptions,
    body: &'a Body<'a>,
    brand: Lifetime,
    codec: TokenStream,
    bounds: Bounds,
}

/// The bounds of type parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Each parameter of a saved field is to be saved.
    Added,
    /// Those that the type has: it is an actor, of which the messages need them too.
    AsWritten,
}

impl Derived<'_> {
    fn expansion(&self) -> TokenStream {
        let (codec, brand, ident) = (&self.codec, &self.brand, &self.input.ident);
        let generics = self.generics();
        let (impl_generics, _, bounds) = generics.split_for_impl();
        let (_, type_generics, _) = self.input.generics.split_for_impl();
        let (shape, save, load) = (self.shape(), self.save(), self.load());
        let (migrations, early_checks) = (self.migrations(), self.early_checks());
        quote! {
            #early_checks

            #[automatically_derived]
            #[allow(
                deprecated,
                unused_qualifications,
                clippy::absolute_paths,
                clippy::redundant_closure,
                clippy::useless_conversion,
            )]
            impl #impl_generics #codec::Saved<#brand> for #ident #type_generics #bounds {
                const SHAPE: &'static #codec::Shape = &#shape;

                #[allow(unused_variables, clippy::match_single_binding)]
                fn save(&self, __out: &mut #codec::Encoder<'_>) {
                    #save
                }

                fn load(
                    __input: &mut #codec::Decoder<#brand, '_>,
                ) -> ::core::result::Result<Self, #codec::LoadError> {
                    #migrations
                    #load
                }
            }
        }
    }

    /// The type's generics, with the brand, and with a bound for each parameter of a saved field.
    fn generics(&self) -> Generics {
        let (codec, brand) = (&self.codec, &self.brand);
        let mut generics = self.input.generics.clone();
        let parts = self.body.parts();
        for parameter in &mut generics.params {
            if let GenericParam::Type(parameter) = parameter {
                let is_saved =
                    |part: &&Part<'_>| part.is_bounded() && uses(part.field, &parameter.ident);
                if self.bounds == Bounds::Added && parts.iter().any(is_saved) {
                    parameter.bounds.push(parse_quote!(#codec::Saved<#brand>));
                }
                parameter.default = None;
            }
        }
        if generics.lifetimes().next().is_none() {
            let brand = GenericParam::Lifetime(LifetimeParam::new(brand.clone()));
            generics.params.insert(0, brand);
        }
        generics
    }

    fn shape(&self) -> TokenStream {
        let (codec, brand) = (&self.codec, &self.brand);
        let name = self.options.names.item(&self.input.ident);
        let shape = match self.body {
            Body::Struct(members) => {
                let fields = members.shapes(codec, brand);
                quote!(#codec::Shape::structure(#name, #fields))
            }
            Body::Enum(variants) => {
                let variants = variants.iter().map(|variant| {
                    let name = variant.options.names.member(variant.ident);
                    let fields = variant.members.shapes(codec, brand);
                    let was = earlier(&variant.options.names.was);
                    quote!(#codec::Variant::new(#name, #fields) #was)
                });
                quote!(#codec::Shape::variants(#name, const { &[#(#variants),*] }))
            }
        };
        let was = earlier(&self.options.names.was);
        let version = self.options.version.as_ref();
        let version = version.map(|version| quote!(.with_version(#version)));
        quote!(#shape #version #was)
    }

    fn save(&self) -> TokenStream {
        let (codec, brand) = (&self.codec, &self.brand);
        match self.body {
            Body::Struct(members) => {
                let (pattern, save) = (members.pattern(), members.save(codec, brand));
                quote! {
                    let Self #pattern = self;
                    #save
                }
            }
            Body::Enum(variants) if variants.is_empty() => quote!(match *self {}),
            Body::Enum(variants) => {
                let arms = variants.iter().enumerate().map(|(number, variant)| {
                    let number = number as u32;
                    let ident = variant.ident;
                    let pattern = variant.members.pattern();
                    let save = variant.members.save(codec, brand);
                    quote! {
                        Self::#ident #pattern => {
                            __out.variant(#number);
                            #save
                        }
                    }
                });
                quote!(match self { #(#arms)* })
            }
        }
    }

    fn load(&self) -> TokenStream {
        let (codec, brand) = (&self.codec, &self.brand);
        let shape = quote!(<Self as #codec::Saved<#brand>>::SHAPE);
        match self.body {
            Body::Struct(members) => {
                let load = members.load(codec, brand);
                quote! {
                    #[allow(unused_mut)]
                    let mut __fields = __input.structure(#shape)?;
                    let __loaded = Self #load;
                    __fields.end()?;
                    ::core::result::Result::Ok(__loaded)
                }
            }
            Body::Enum(variants) => {
                let arms = variants.iter().enumerate().map(|(number, variant)| {
                    let number = number as u32;
                    let ident = variant.ident;
                    let load = variant.members.load(codec, brand);
                    quote!(#number => Self::#ident #load,)
                });
                quote! {
                    #[allow(unused_mut)]
                    let (__variant, mut __fields) = __input.variant(#shape)?;
                    #[allow(unreachable_code)]
                    let __loaded = match __variant {
                        #(#arms)*
                        _ => return ::core::result::Result::Err(__fields.no_variant()),
                    };
                    #[allow(unreachable_code)]
                    {
                        __fields.end()?;
                        ::core::result::Result::Ok(__loaded)
                    }
                }
            }
        }
    }

    /// Loads older versions as their types.
    fn migrations(&self) -> Option<TokenStream> {
        let (codec, brand) = (&self.codec, &self.brand);
        if self.options.from.is_empty() {
            return None;
        }
        let shape = quote!(<Self as #codec::Saved<#brand>>::SHAPE);
        let arms = self.options.from.iter().map(|old: &Path| {
            let check = self.version_check(old, &quote!(Self));
            quote! {
                const { #check }
                if __version == <#old as #codec::Saved<#brand>>::SHAPE.version() {
                    let __old: #old = __input.earlier(#shape)?;
                    return ::core::result::Result::Ok(::core::convert::Into::into(__old));
                }
            }
        });
        Some(quote! {
            if let ::core::option::Option::Some(__version) = __input.other_version(#shape) {
                #(#arms)*
            }
        })
    }

    /// The same checks where the compiler makes them without a program that loads the type: that is
    /// possible for a type without parameters.
    fn early_checks(&self) -> Option<TokenStream> {
        if !self.input.generics.params.is_empty() {
            return None;
        }
        let of = self.input.ident.to_token_stream();
        let checks = self.options.from.iter().map(|old| {
            let check = self.version_check(old, &of);
            let brand = &self.brand;
            // A type without a lifetime has the same version for each brand.
            quote!(const _: () = { const fn check<#brand>() { #check } check() };)
        });
        Some(quote!(#(#checks)*))
    }

    fn version_check(&self, old: &Path, of: &TokenStream) -> TokenStream {
        let (codec, brand) = (&self.codec, &self.brand);
        let at = old.span();
        quote_spanned! {at=>
            ::core::assert!(
                <#old as #codec::Saved<#brand>>::SHAPE.version()
                    < <#of as #codec::Saved<#brand>>::SHAPE.version(),
                "`from` names a type with a lower `version`"
            );
        }
    }
}
