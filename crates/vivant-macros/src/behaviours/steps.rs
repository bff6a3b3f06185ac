//! The steps of a behaviour that returns `Step`: an impl of `Stepped`, with the type of its locals.

use super::behaviour::Behaviour;
use crate::shape::{Locals, Steps, names};
use crate::types;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Lifetime, Type, parse_quote};

/// The type that keeps locals, their brand and type, and their codec.
type KeptLocals<'a> = (
    TokenStream,
    Option<(&'a Lifetime, Type)>,
    Option<TokenStream>,
);

impl Behaviour<'_> {
    /// The first step, in `run`: its locals are default ones.
    pub(super) fn first_step(&self) -> TokenStream {
        let (_, at_reply) = self.spans();
        let here = self.block.options.vivant.at(at_reply);
        let default = match &self.shape.steps {
            // Locals without a default are reported at their type.
            Steps::Many(Some(Locals { ty, .. })) => {
                quote_spanned!(ty.span()=> ::core::default::Default::default())
            }
            _ => quote!(()),
        };
        quote_spanned! {at_reply=>
            <Self as #here::Stepped>::step(state, turn, args, #default, resolver);
        }
    }

    /// The impl of `Stepped`, if it is a behaviour in steps.
    pub(super) fn stepped(&self) -> Option<TokenStream> {
        let Steps::Many(locals) = &self.shape.steps else {
            return None;
        };
        let (at_name, at_reply) = self.spans();
        let (vivant, here) = (
            &self.block.options.vivant,
            self.block.options.vivant.at(at_reply),
        );
        let (cfgs, path) = (&self.cfgs, &self.path);
        let (impl_generics, _, where_clause) = self.block.generics.split_for_impl();
        let (kept, branded, codec) = self.locals(locals.as_ref());
        let branded = branded.map(|(brand, ty)| {
            let in_heap = self.block.locals_in_heap_codec(&ty);
            quote! {
                #(#cfgs)*
                #[automatically_derived]
                #[allow(deprecated, unused_qualifications)]
                impl #impl_generics #vivant::BrandedLocals for #path #where_clause {
                    type Of<#brand> = #ty;
                    #in_heap
                }
            }
        });
        let body = self.step(locals.as_ref());
        let locals = Ident::new("locals", at_name);
        let step = quote_spanned! {at_reply=>
            fn step<'gc>(
                state: &mut <Self::Actor as #here::Actor>::State<'gc>,
                turn: &#here::Turn<'gc, Self::Actor>,
                args: Self::Args,
                #locals: #here::LocalsOf<'gc, Self>,
                resolver: #here::Resolver<Self::Reply>,
            ) {
                let _ = turn;
                #body
            }
        };
        Some(quote! {
            #branded
            #(#cfgs)*
            #[automatically_derived]
            #[allow(
                deprecated, unit_bindings, unused_qualifications, clippy::all,
                clippy::pedantic
            )]
            impl #impl_generics #vivant::Stepped for #path #where_clause {
                type Locals = #kept;
                #codec
                #step
            }
        })
    }

    /// How the message of a next step keeps the locals; if they have a brand, that brand and their
    /// type; and how locals without one are saved.
    fn locals(&self, locals: Option<&Locals>) -> KeptLocals<'_> {
        let vivant = &self.block.options.vivant;
        let Some(Locals { ty, .. }) = locals else {
            let codec = self.block.locals_codec(&parse_quote!(()));
            return (quote!(#vivant::LocalsInMessage<()>), None, Some(codec));
        };
        let here = vivant.at(ty.span());
        let ty = types::without_self(ty, self.block.written_type());
        let brand = self.block.brand.as_ref();
        let brand = brand.filter(|brand| brand.ident != "_");
        match brand.filter(|brand| names(&ty, brand)) {
            Some(brand) => (
                quote_spanned!(ty.span()=> #here::LocalsInHeap<Self>),
                Some((brand, ty.clone())),
                Some(self.block.locals_in_heap(&ty)),
            ),
            None => (
                quote_spanned!(ty.span()=> #here::LocalsInMessage<#ty>),
                None,
                Some(self.block.locals_codec(&ty)),
            ),
        }
    }

    /// One step. Its parameters are the message's arguments and the locals; its result has the
    /// values for the next step.
    fn step(&self, locals: Option<&Locals>) -> TokenStream {
        let shape = &self.shape;
        let (at_name, at_reply) = self.spans();
        let here = self.block.options.vivant.at(at_reply);
        let numbers: Vec<Ident> = (0..shape.args.len())
            .map(|number| format_ident!("argument{number}", span = at_name))
            .collect();
        let mut parameters = numbers.clone();
        let left = Ident::new("locals", at_name);
        if let Some(Locals { place, .. }) = locals {
            parameters.insert(*place, left.clone());
        }
        let arguments = || shape.args.iter().zip(&numbers);
        let unpack = arguments().filter(|(arg, _)| !arg.carried.is_plain());
        let unpack: Vec<TokenStream> = unpack
            .map(|(arg, number)| {
                let [value] = &self.unpacked([(arg, quote!(#number))].into_iter())[..] else {
                    return TokenStream::new();
                };
                quote_spanned!(at_name=> let #number = #value;)
            })
            .collect();
        let vivant = &self.block.options.vivant;
        let packed = arguments().map(|(arg, number)| arg.carried.packed(number, vivant));
        let (packed, give): (Vec<TokenStream>, _) = (packed.collect(), self.give());
        let call = self.call(&parameters);
        let values = match &parameters[..] {
            [only] => quote!(#only),
            several => quote!((#(#several),*)),
        };
        quote_spanned! {at_reply=>
            let (#(#numbers,)*) = args;
            #(#unpack)*
            match #call {
                #here::Step::Done(answer) => {
                    #give
                }
                #here::Step::Again(#values) => {
                    turn.__again::<Self>((#(#packed,)*), #left, resolver);
                }
            }
        }
    }
}
