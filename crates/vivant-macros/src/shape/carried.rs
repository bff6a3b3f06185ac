//! The form in which a message carries a value of its sender's brand: in a parcel, which has no
//! brand.

use crate::options::Vivant;
use crate::types;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{
    GenericArgument, Lifetime, ParenthesizedGenericArguments, PathArguments, Type, TypeFnPtr,
    parse_quote_spanned,
};

/// The form of a value in its message.
pub(crate) enum Carried {
    /// As it is.
    Plain,
    /// In a parcel. With the value's type, its brand replaced with `'static`.
    Packed(Type),
    /// The filler of a hole: a parcel, or the error as it is.
    Filled(Type),
}

impl Carried {
    /// For a value of type `ty`, with the type that the message has in its place.
    pub(crate) fn of(ty: &Type, brand: Option<&Lifetime>, vivant: &Vivant) -> (Carried, Type) {
        match brand.filter(|brand| names(ty, brand)) {
            None => (Carried::Plain, ty.clone()),
            Some(brand) => {
                let outside = rebranded(ty, brand, &outside(brand));
                let sent = parcel(&outside, vivant);
                (Carried::Packed(outside), sent)
            }
        }
    }

    /// For the filler of a hole: of `Result<T, E>` the error names no brand.
    pub(crate) fn of_hole(ty: &Type, brand: Option<&Lifetime>, vivant: &Vivant) -> (Carried, Type) {
        let brand = brand.filter(|brand| names(ty, brand));
        if let (Some(brand), Some((value, error))) = (brand, types::result_of(ty))
            && !names(error, brand)
        {
            let outside = rebranded(value, brand, &outside(brand));
            let parcel = parcel(&outside, vivant);
            let sent = parse_quote_spanned!(ty.span()=> ::core::result::Result<#parcel, #error>);
            return (Carried::Filled(outside), sent);
        }
        Carried::of(ty, brand, vivant)
    }

    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Carried::Plain)
    }

    /// Converts from the sender's brand to no brand.
    pub(crate) fn packed(&self, value: &impl ToTokens, vivant: &Vivant) -> TokenStream {
        match self {
            Carried::Plain => value.to_token_stream(),
            Carried::Packed(ty) => {
                let here = vivant.at(ty.span());
                quote_spanned!(ty.span()=> #here::__private::pack::<#ty>(#value))
            }
            Carried::Filled(ty) => {
                let here = vivant.at(ty.span());
                quote_spanned! {ty.span()=>
                    ::core::result::Result::map(#value, #here::__private::pack::<#ty>)
                }
            }
        }
    }

    /// Converts to the brand of the turn named `turn`.
    pub(crate) fn unpacked(
        &self,
        value: &impl ToTokens,
        turn: &Ident,
        vivant: &Vivant,
    ) -> TokenStream {
        let span = turn.span();
        let here = vivant.at(span);
        match self {
            Carried::Plain => value.to_token_stream(),
            Carried::Packed(_) => {
                quote_spanned!(span=> #here::heap::Mutator::unpack(#turn, #value))
            }
            Carried::Filled(_) => quote_spanned! {span=>
                ::core::result::Result::map(#value, |parcel| #here::heap::Mutator::unpack(#turn, parcel))
            },
        }
    }

    /// Without a heap: the `call`, with the content of `value` under the name `opened`. The
    /// content's brand is the call's.
    pub(crate) fn opened(
        &self,
        value: &impl ToTokens,
        opened: &Ident,
        call: &TokenStream,
        vivant: &Vivant,
    ) -> TokenStream {
        let span = opened.span();
        let here = vivant.at(span);
        match self {
            Carried::Plain => call.clone(),
            Carried::Packed(_) => quote_spanned! {span=>
                #here::heap::Parcel::open(#value, |#opened| #call)
            },
            Carried::Filled(_) => quote_spanned! {span=>
                #here::__private::open_filled(#value, |#opened| #call)
            },
        }
    }
}

/// In a signature, makes `Promise<T>` the promise of a parcel, if `T` has this brand: a promise
/// belongs to no turn.
pub(crate) fn promise_parcel(output: &mut Type, brand: &Lifetime, vivant: &Vivant) {
    let promised = types::promised_or_error(output).map(|(value, _)| value);
    let Some(value) = promised.or_else(|| types::promised(output)) else {
        return;
    };
    if names(value, brand) {
        let promised = parcel(&rebranded(value, brand, &outside(brand)), vivant);
        replace_promised(output, promised);
    }
}

fn replace_promised(output: &mut Type, promised: Type) {
    match output {
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last_mut()
                && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
                && let Some(argument) = arguments.args.first_mut()
            {
                match argument {
                    // Of a `Result`.
                    GenericArgument::Type(promise) if types::promised(promise).is_some() => {
                        replace_promised(promise, promised);
                    }
                    _ => *argument = GenericArgument::Type(promised),
                }
            }
        }
        Type::Group(group) => replace_promised(&mut group.elem, promised),
        Type::Paren(paren) => replace_promised(&mut paren.elem, promised),
        _ => {}
    }
}

/// The lifetime that replaces a brand outside turns.
fn outside(brand: &Lifetime) -> Lifetime {
    Lifetime::new("'static", brand.span())
}

fn parcel(outside: &Type, vivant: &Vivant) -> Type {
    let here = vivant.at(outside.span());
    parse_quote_spanned!(outside.span()=> #here::heap::Parcel<#outside>)
}

/// Returns true if `ty` names `brand`. Arguments and results of function types do not count: the
/// function holds none of them.
pub(crate) fn names(ty: &Type, brand: &Lifetime) -> bool {
    struct Find<'a>(&'a Lifetime, usize);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.1 += usize::from(lifetime.ident == self.0.ident);
        }

        fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}
        fn visit_parenthesized_generic_arguments(
            &mut self,
            _: &'ast ParenthesizedGenericArguments,
        ) {
        }
    }
    let mut find = Find(brand, 0);
    find.visit_type(ty);
    find.1 > 0
}

/// `ty` with another brand.
pub(crate) fn rebranded(ty: &Type, brand: &Lifetime, other: &Lifetime) -> Type {
    struct Replace<'a>(&'a Lifetime, &'a Lifetime);
    impl VisitMut for Replace<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == self.0.ident {
                let mut other = self.1.clone();
                other.set_span(lifetime.span());
                *lifetime = other;
            }
        }
    }
    let mut ty = ty.clone();
    Replace(brand, other).visit_type_mut(&mut ty);
    ty
}
