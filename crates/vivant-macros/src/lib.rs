//! The macros of [vivant](https://docs.rs/vivant), which exports them: depend on that crate, not on
//! this one.
//!
//! | macro | applies to | writes |
//! |---|---|---|
//! | [`derive(Actor)`](macro@Actor) | the type of an actor's state | the actor's name, its handle, the tracing of the addresses in the state |
//! | [`behaviours`](macro@behaviours) | an impl block of an actor | a message for each method, `spawn`, the stop hook |
//! | [`interface`](macro@interface) | a trait | messages for every actor that implements it |
//! | [`derive(Object)`](macro@Object) | a type of a collected heap | how the collector traces it |
//! | [`derive(Freeze)`](macro@Freeze) | the same, in a region | the type as which the frozen object is read |
//! | [`derive(Saved)`](macro@Saved) | a type that is saved | its encoding, and how old files are read |
//! | [`test`](macro@test) | a test | a run in a simulation for each of many seeds |
//!
//! They write impls of vivant's public traits, a struct, a module and methods. All of it can be
//! written by hand; each macro shows below how.
//!
//! All take `crate = path`, the path of vivant if it is not `::vivant`:
//! `#[behaviours(crate = my::vivant)]`.
//!
//! In the source, each macro's documentation is a file of `docs`, and each macro is a module of its
//! name, which reads the user's tokens and writes the expansion. The macros share:
//!
//! - `shape`: the shape of a message, from its method's signature;
//! - `types`: types, read by their tokens;
//! - `handle`: the handle struct;
//! - `outgoing_references`: tracing of the addresses in a state;
//! - `graph`: a state with a lifetime, and its actor's name;
//! - `missing_derive`: a type without its derive, reported once;
//! - `slips`: common mistakes, each reported once;
//! - `surface`: visibility, docs and `#[cfg]` of a user's item, copied to generated items;
//! - `names`, `options`, `errors`.
//!
//! All errors of one expansion are reported together, at the user's tokens, and say what to do. The
//! user's own item stays in place, so no further errors follow from it.

mod actor;
mod behaviours;
mod errors;
mod freeze;
mod graph;
mod handle;
mod interface;
mod missing_derive;
mod names;
mod object;
mod options;
mod outgoing_references;
mod recursion;
mod saved;
mod saved_actor;
mod shape;
mod slips;
mod surface;
mod test;
mod types;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/actor.md")]
///
/// [`derive(Object)`]: macro@Object
/// [`derive(Saved)`]: macro@Saved
/// [`behaviours`]: macro@behaviours
#[proc_macro_derive(Actor, attributes(actor, object, saved))]
pub fn actor(input: TokenStream) -> TokenStream {
    let input = input.into();
    let missing = missing_derive::of_objects(&input, &quote::quote!(::vivant::heap));
    written(actor::expand(input), missing)
}

#[doc = include_str!("../docs/behaviours.md")]
///
/// [interface]: macro@interface
#[proc_macro_attribute]
pub fn behaviours(arguments: TokenStream, item: TokenStream) -> TokenStream {
    behaviours::expand(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/interface.md")]
///
/// [`behaviours`]: macro@behaviours
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    interface::expand(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/test.md")]
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/object.md")]
///
/// [`derive(Freeze)`]: macro@Freeze
#[proc_macro_derive(Object, attributes(object))]
pub fn object(input: TokenStream) -> TokenStream {
    object_of(input.into(), &quote::quote!(::vivant_heap))
}

/// As [`derive@Object`], for programs that use vivant-heap through vivant: there it is
/// `vivant::Object`.
#[proc_macro_derive(ActorsObject, attributes(object))]
pub fn actors_object(input: TokenStream) -> TokenStream {
    object_of(input.into(), &quote::quote!(::vivant::heap))
}

#[doc = include_str!("../docs/freeze.md")]
///
/// [`derive(Object)`]: macro@Object
#[proc_macro_derive(Freeze, attributes(object))]
pub fn freeze(input: TokenStream) -> TokenStream {
    written(
        freeze::expand(input.into(), &quote::quote!(::vivant_heap)),
        proc_macro2::TokenStream::new(),
    )
}

/// As [`derive@Freeze`], for programs that use vivant-heap through vivant: there it is
/// `vivant::Freeze`.
#[proc_macro_derive(ActorsFreeze, attributes(object))]
pub fn actors_freeze(input: TokenStream) -> TokenStream {
    written(
        freeze::expand(input.into(), &quote::quote!(::vivant::heap)),
        proc_macro2::TokenStream::new(),
    )
}

#[doc = include_str!("../docs/saved.md")]
#[proc_macro_derive(Saved, attributes(saved))]
pub fn saved(input: TokenStream) -> TokenStream {
    written(
        saved::expand(input.into(), &quote::quote!(::vivant_codec)),
        proc_macro2::TokenStream::new(),
    )
}

/// As [`derive@Saved`], for programs that use vivant-codec through vivant: there it is
/// `vivant::Saved`.
#[proc_macro_derive(ActorsSaved, attributes(saved))]
pub fn actors_saved(input: TokenStream) -> TokenStream {
    written(
        saved::expand(input.into(), &quote::quote!(::vivant::codec)),
        proc_macro2::TokenStream::new(),
    )
}

fn object_of(input: proc_macro2::TokenStream, heap: &proc_macro2::TokenStream) -> TokenStream {
    let missing = missing_derive::of_objects(&input, heap);
    written(object::expand(input, heap), missing)
}

/// What a derive writes: its items, or its errors; and what it writes for types without a derive.
fn written(
    expansion: syn::Result<proc_macro2::TokenStream>,
    missing: proc_macro2::TokenStream,
) -> TokenStream {
    let mut written = expansion.unwrap_or_else(|error| error.to_compile_error());
    written.extend(missing);
    written.into()
}
