//! What `#[derive(Actor)]` writes for `#[actor(saved)]`: the kind, the codec of the state, and the
//! list of the actor's blocks.

use crate::errors::Errors;
use crate::names;
use crate::options::{ListedBlock, Options, SavedOption, SavedPart};
use crate::saved::{self, Bounds};
use crate::types;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Data, DeriveInput, Generics, Path, parse_quote};

/// The code for what is saved of an actor.
pub(crate) struct SavedActor {
    /// Inside the impl of `Actor`.
    pub(crate) items: TokenStream,
    /// Beside it.
    pub(crate) beside: TokenStream,
}

/// Writes it. `actor` has these generics; a state that is a graph has another name.
pub(crate) fn write(
    input: &DeriveInput,
    options: &Options,
    (actor, generics): (&Ident, &Generics),
    errors: &mut Errors,
) -> SavedActor {
    let vivant = &options.vivant;
    let is_graph = *actor != input.ident;
    let Some(SavedOption { at, part }) = &options.saved else {
        not_saved(input, options, errors);
        return SavedActor {
            items: quote!(type SaveKind = #vivant::NotSaved;),
            beside: TokenStream::new(),
        };
    };
    let (kind, codec, beside) = match part {
        SavedPart::State => {
            let codec = quote!(#vivant::codec);
            let written = saved::of_item(&named(input, options), &codec, Bounds::AsWritten, errors);
            let codec = written.as_ref().map(|_| {
                let here = vivant.at(*at);
                let of = match is_graph {
                    true => quote!(OF_GRAPH),
                    false => quote!(OF_VALUE),
                };
                quote_spanned! {*at=>
                    const STATE_CODEC: ::core::option::Option<#here::StateCodec<Self>> =
                        #here::StateCodec::#of;
                }
            });
            (quote!(SavedState), codec, written)
        }
        SavedPart::Start => {
            stray_attributes(
                input,
                "the state is not saved, because the actor starts again: remove `#[saved(…)]`",
                errors,
            );
            (quote!(SavedStart), None, None)
        }
    };
    let module = names::messages(actor, None);
    let own = [names::bare(&module), names::bare(&names::starts(&module))];
    let modules: Vec<String> = own
        .into_iter()
        .chain(options.blocks.iter().filter_map(|block| match block {
            ListedBlock::Module(path) => Some(bare(path)),
            ListedBlock::Interface(_) => None,
        }))
        .collect();
    let interfaces: Vec<&Path> = options
        .blocks
        .iter()
        .filter_map(|block| match block {
            ListedBlock::Module(_) => None,
            ListedBlock::Interface(path) => Some(path),
        })
        .collect();
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let block =
        |module: &String| quote!(#vivant::__private::block_id(::core::module_path!(), #module));
    let ids = modules.iter().map(block);
    let (own, further) = modules.split_at(2);
    let own = own.iter().map(block);
    let further = further.iter().map(block);
    SavedActor {
        items: quote! {
            type SaveKind = #vivant::#kind;
            #codec
            const BLOCKS: &'static [u64] = &[
                #(#ids,)*
                #(#vivant::__private::interface_id::<dyn #interfaces>(),)*
            ];
        },
        beside: quote! {
            #beside

            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics #vivant::SavedActor for #actor #type_generics #where_clause {
                fn list(list: &mut #vivant::__private::SavedList) {
                    #[allow(unused_imports)]
                    use #vivant::__private::NoBlock as _;
                    let _ = &list;
                    #(#vivant::__private::MaybeBlock::<Self, { #own }>::list(list);)*
                    #(<Self as #vivant::__private::BlockOf<{ #further }>>::list(list);)*
                    #(list.interface::<Self, dyn #interfaces>();)*
                }
            }
        },
    }
}

/// `till::messages` as text.
fn bare(path: &Path) -> String {
    let segments = path.segments.iter();
    let segments: Vec<String> = segments
        .map(|segment| names::bare(&segment.ident))
        .collect();
    segments.join("::")
}

/// The type with the actor's `id` as its name in files, if it gives no other.
fn named(input: &DeriveInput, options: &Options) -> DeriveInput {
    let mut input = input.clone();
    if let Some(id) = &options.id {
        input.attrs.insert(0, parse_quote!(#[saved(name = #id)]));
    }
    input
}

/// Reports what has a meaning for saved actors only.
fn not_saved(input: &DeriveInput, options: &Options, errors: &mut Errors) {
    stray_attributes(
        input,
        "the actor is not saved: write `#[actor(saved)]`, or remove `#[saved(…)]`",
        errors,
    );
    for block in &options.blocks {
        let (ListedBlock::Module(path) | ListedBlock::Interface(path)) = block;
        errors.at(
            path,
            "only a saved actor lists its blocks: write `#[actor(saved, blocks(…))]`",
        );
    }
}

/// Reports each `#[saved(…)]` of a state that is not saved.
fn stray_attributes(input: &DeriveInput, why: &str, errors: &mut Errors) {
    let fields = types::fields(&input.data)
        .into_iter()
        .flat_map(|field| &field.attrs);
    let variants: Vec<&Attribute> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| &variant.attrs)
            .collect(),
        _ => Vec::new(),
    };
    for attr in input.attrs.iter().chain(variants).chain(fields) {
        if attr.path().is_ident("saved") {
            errors.at(attr.to_token_stream(), why);
        }
    }
}
