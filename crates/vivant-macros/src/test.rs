//! `#[vivant::test]`: a test that runs in simulations, under many seeds.

use crate::errors::Errors;
use crate::options::{self, Options};
use crate::{names, surface};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, ItemFn};

/// The number of seeds of a test that names none.
const SEEDS: u64 = 20;

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = errors
        .take(Options::parse(arguments, options::TEST))
        .unwrap_or_default();
    let Some(test) = errors.parsed::<ItemFn>(&item, "`#[vivant::test]` stands on a function")
    else {
        return quote!(#item #errors);
    };
    check(&test, &mut errors);
    if !errors.is_empty() {
        // The function stays, so the items that it uses count as used.
        return quote!(#[allow(dead_code)] #test #errors);
    }
    write(&options, test)
}

fn check(test: &ItemFn, errors: &mut Errors) {
    let sig = &test.sig;
    let form = "a test takes the simulated system or the whole simulation: `fn name(system: &System)`, \
                `fn name(simulation: &Simulation)`, `async fn name(system: System)`";
    match sig.inputs.len() {
        0 => errors.at(sig, format!("{form}; without either, `#[test]` will do")),
        1 => {}
        _ => errors.at(&sig.inputs, format!("{form}; not more than one")),
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        errors.at(receiver, form);
    }
    if !sig.generics.params.is_empty() {
        errors.at(
            &sig.generics,
            "a test cannot be generic: nobody would choose the types",
        );
    }
    if let Some(attr) = test.attrs.iter().find(|attr| is_test(attr)) {
        errors.at(attr, "`#[vivant::test]` makes this a test already");
    }
}

fn is_test(attr: &Attribute) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|last| last.ident == "test")
}

fn write(options: &Options, test: ItemFn) -> TokenStream {
    let vivant = &options.vivant;
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = test;
    let cfgs = surface::named(&attrs, "cfg");
    let others = attrs.iter().filter(|attr| !attr.path().is_ident("cfg"));
    let name = &sig.ident;
    let member = format!("::{}", names::bare(name));
    let seeds = match &options.seeds {
        Some(seeds) => quote!(#seeds),
        None => quote!(#SEEDS),
    };
    let faults = match &options.faults {
        Some(faults) => quote!(#faults),
        None => quote!(#vivant::simulation::Faults::none()),
    };
    let body = quote!(#name(::core::convert::Into::into(simulation)));
    let outcome = match sig.asyncness {
        Some(_) => quote!(simulation.system().block_on(#body)),
        None => body,
    };
    // The body keeps the test's name: the name hides nothing that the body may call, and backtraces
    // show it.
    quote! {
        #(#cfgs)*
        #[::core::prelude::v1::test]
        #(#others)*
        #vis fn #name() {
            #[allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::unused_async)]
            #sig #block

            #vivant::simulation::check(
                ::core::concat!(::core::module_path!(), #member),
                #vivant::simulation::Seeds(#seeds),
                &#faults,
                |simulation: &#vivant::simulation::Simulation| #vivant::__private::Outcome::unwrap(#outcome),
            );
        }
    }
}
