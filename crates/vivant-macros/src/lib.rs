//! macros

mod actor;
mod behaviours;
mod errors;
mod face;
mod interface;
mod names;
mod options;
mod shape;
mod surface;
mod test;
mod types;

use proc_macro::TokenStream;

/// derive
#[proc_macro_derive(Actor, attributes(actor))]
pub fn actor(input: TokenStream) -> TokenStream {
    actor::expand(input.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// behaviours
#[proc_macro_attribute]
pub fn behaviours(arguments: TokenStream, item: TokenStream) -> TokenStream {
    behaviours::expand(arguments.into(), item.into()).into()
}

/// interface
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    interface::expand(arguments.into(), item.into()).into()
}

/// test
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}
