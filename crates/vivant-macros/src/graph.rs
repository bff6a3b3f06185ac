//! A state that is a graph, `CacheState<'gc>`, and its actor's name, `Cache`, which never has a
//! lifetime.

use crate::errors::Errors;
use crate::names;
use crate::options::Vivant;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{
    GenericArgument, GenericParam, Generics, Lifetime, Path, PathArguments, Visibility, parse_quote,
};

/// The actor's name: the given one, or the state's without `State` at its end.
pub(crate) fn name_of(
    state: &Ident,
    given: Option<&Ident>,
    attribute: &str,
    errors: &mut Errors,
) -> Option<Ident> {
    if let Some(given) = given {
        return Some(given.clone());
    }
    let bare = names::bare(state);
    let name = bare.strip_suffix("State").filter(|name| !name.is_empty());
    if name.is_none() {
        errors.at(
            state,
            format!(
                "a state with a lifetime is a graph in a heap of the actor's own, and the actor needs a name without one: call the \
                 state `{bare}State`, and the actor is `{bare}`; or say `{attribute}`. Anything borrowed cannot be kept: own it"
            ),
        );
    }
    name.map(|name| format_ident!("{name}", span = state.span()))
}

/// The brand of a state, if it has a lifetime; more than one is an error.
pub(crate) fn brand<'a>(generics: &'a Generics, errors: &mut Errors) -> Option<&'a Lifetime> {
    let mut lifetimes = generics.lifetimes();
    let first = lifetimes.next()?;
    for second in lifetimes {
        errors.at(
            second,
            "an actor's state has one lifetime, the brand of its heap; what is borrowed cannot be kept: own it, or refer to \
             it by a `Gc`",
        );
    }
    Some(&first.lifetime)
}

/// The lifetime of a state that is written without a name for it: `CacheState<'_>`.
pub(crate) fn anonymous(state: &Path) -> Option<Lifetime> {
    let PathArguments::AngleBracketed(arguments) = &state.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime.clone()),
        _ => None,
    })
}

/// `cache::CacheState<'gc, K>` as `cache::Cache<K>`.
pub(crate) fn actor_path(state: &Path, name: &Ident) -> Path {
    let mut path = state.clone();
    if let Some(last) = path.segments.last_mut() {
        last.ident = name.clone();
        if let PathArguments::AngleBracketed(arguments) = &mut last.arguments {
            let kept = arguments.args.iter();
            let kept = kept.filter(|argument| !matches!(argument, GenericArgument::Lifetime(_)));
            arguments.args = kept.cloned().collect();
            if arguments.args.is_empty() {
                last.arguments = PathArguments::None;
            }
        }
    }
    path
}

/// `CacheState<'gc, K>` with another lifetime.
pub(crate) fn branded(state: &Path, brand: &Lifetime) -> Path {
    let mut path = state.clone();
    if let Some(last) = path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
    {
        for argument in &mut arguments.args {
            if let GenericArgument::Lifetime(lifetime) = argument {
                *lifetime = brand.clone();
            }
        }
    }
    path
}

/// The actor's generics: those of the state, without the lifetime. A type parameter's values may
/// lie in any heap.
pub(crate) fn actor_generics(state: &Generics, vivant: &Vivant) -> Generics {
    let mut generics = state.clone();
    let params = generics.params.into_iter();
    generics.params = params
        .filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
        .collect();
    bound_by_any_brand(&mut generics, vivant);
    generics
}

/// Bounds the type parameters: their values may lie in any heap.
pub(crate) fn bound_by_any_brand(generics: &mut Generics, vivant: &Vivant) {
    let names: Vec<Ident> = generics
        .type_params()
        .map(|parameter| parameter.ident.clone())
        .collect();
    if names.is_empty() {
        return;
    }
    let clause = generics.make_where_clause();
    for name in names {
        clause
            .predicates
            .push(parse_quote!(for<'__any> #name: #vivant::heap::Object<'__any>));
    }
}

/// The type that is the actor's name. It has no values.
pub(crate) fn declare(
    vis: &Visibility,
    name: &Ident,
    state: &Ident,
    generics: &Generics,
) -> TokenStream {
    let doc = format!(
        "The actor whose state is a [`{0}`]: its name, in addresses and turns. It has no values.",
        names::bare(state)
    );
    if generics.params.is_empty() {
        return quote! {
            #[doc = #doc]
            #[derive(Debug)]
            #vis enum #name {}
        };
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let types = generics.type_params().map(|parameter| &parameter.ident);
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_debug_implementations)]
        #vis struct #name #impl_generics (
            ::core::convert::Infallible,
            ::core::marker::PhantomData<fn() -> (#(#types,)*)>,
        ) #where_clause;
    }
}
