//! The hooks of an actor's life: `#[start]` makes its state, `#[stop]` gets the reason of its end.

use super::Written;
use super::block::Block;
use super::method::Method;
use crate::errors::Errors;
use crate::shape::{self, Arg, Role, Shape};
use crate::{surface, types};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{PatType, ReturnType, Type};

/// Writes `spawn`: the actor makes its state in its first turn.
pub(super) fn start(
    block: &Block<'_>,
    method: &Method,
    methods: &[Method],
    attribute: &Ident,
    written: &mut Written,
    errors: &mut Errors,
) {
    if block.interface.is_some() {
        errors.at(
            attribute,
            "an actor begins in an inherent impl block, not in an interface",
        );
        return;
    }
    let Some(begins) = Begins::of(&method.sig.output, block) else {
        errors.at(
            &method.sig,
            "a `#[start]` function returns the actor's state: `-> Self`; or `-> Promise<Self>`, if the state comes \
             later, or `-> (Self, Promise<()>)`, if the actor has started when the promise has settled",
        );
        return;
    };
    if let (Begins::When, true) = (begins, block.brand.is_some()) {
        errors.at(
            &method.sig.output,
            "a state with a graph is made in the actor's first turn: return `(Self, Promise<()>)`; messages wait until \
             the promise has settled",
        );
        return;
    }
    let Some(shape) = Shape::of(&method.sig, Role::Start, block.signature_context(), errors) else {
        return;
    };
    let vivant = &block.options.vivant;
    let (cfgs, deprecations) = (
        surface::named(&method.attrs, "cfg"),
        surface::named(&method.attrs, "deprecated"),
    );
    let (vis, name) = (&method.vis, &method.sig.ident);
    let spawn = Ident::new("spawn", attribute.span());
    let otherwise =
        format!("Makes an actor; its state is what `{name}` makes in the actor's first turn.");
    let docs = surface::docs(&method.attrs, &otherwise);
    let parameters = shape.parameters();
    let (lints, brand) = Block::sender(&shape, &shape.args);
    let spawner = Ident::new("spawner", proc_macro2::Span::mixed_site());
    let turn = Ident::new("turn", proc_macro2::Span::mixed_site());
    let turn_value = shape.takes_turn.then(|| quote!(#turn,));
    // An argument that cannot be sent is reported at its place.
    let here = vivant.at(shape.args_span);
    let state = &block.state;
    let (packed, values) = (packed(block, &shape), unpacked(block, &shape, &turn));
    let made = quote_spanned!(shape.args_span=> <#state>::#name(#turn_value #(#values),*));
    let made = begins.made(&made, &turn);
    let spawns = begins.spawns();
    let started = quote_spanned! {shape.args_span=>
        #packed
        #here::Spawner::#spawns::<Self>(#spawner, move |#turn: &#here::Turn<'_, Self>| {
            let _ = #turn;
            #made
        })
    };
    if !methods.iter().any(|other| other.sig.ident == "child") {
        let child = child(block, method, attribute, &shape, begins);
        written
            .actor
            .extend(quote!(#(#cfgs)* #(#deprecations)* #child));
    }
    written.actor.extend(quote! {
        #(#cfgs)*
        #(#deprecations)*
        #docs
        #lints
        #[track_caller]
        #vis fn #spawn #brand (#spawner: &impl #vivant::Spawner, #parameters) -> #vivant::Address<Self> {
            #started
        }
    });
}

/// Writes `child`, which saves the arguments for a supervisor. Whether they can be cloned is
/// checked where the child is added to a supervisor.
fn child(
    block: &Block<'_>,
    method: &Method,
    attribute: &Ident,
    shape: &Shape,
    begins: Begins,
) -> TokenStream {
    let (vivant, state) = (block.options.vivant.at(shape.args_span), &block.state);
    let (vis, name) = (&method.vis, &method.sig.ident);
    let child = Ident::new("child", attribute.span());
    let turn = Ident::new("turn", proc_macro2::Span::mixed_site());
    let turn_value = shape.takes_turn.then(|| quote!(#turn,));
    let (parameters, types) = (shape.parameters(), shape.args_type());
    let names: Vec<&Ident> = shape.names().collect();
    let (lints, brand) = Block::sender(shape, &shape.args);
    let (packed, values) = (packed(block, shape), unpacked(block, shape, &turn));
    let doc = format!("A child for a supervisor, whose state `{name}` makes, again and again.");
    let made = begins.made(&quote!(<#state>::#name(#turn_value #(#values),*)), &turn);
    let (saves, saved) = begins.saves();
    quote! {
        #[doc = #doc]
        #[allow(dead_code, clippy::allow_attributes)]
        #lints
        #vis fn #child #brand (#parameters) -> #vivant::Child<Self, #vivant::#saved<Self, #types>> {
            #packed
            #vivant::Child::#saves((#(#names,)*), |#turn, (#(#names,)*)| {
                let _ = #turn;
                #made
            })
        }
    }
}

/// Packs the arguments of `spawn` that have its caller's brand.
fn packed(block: &Block<'_>, shape: &Shape) -> TokenStream {
    let vivant = &block.options.vivant;
    let branded = shape.args.iter().filter(|arg| !arg.carried.is_plain());
    let packed = branded.map(|Arg { name, carried, .. }| {
        let value = carried.packed(name, vivant);
        quote!(let #name = #value;)
    });
    packed.collect()
}

/// The arguments as the `#[start]` function takes them.
fn unpacked(block: &Block<'_>, shape: &Shape, turn: &Ident) -> Vec<TokenStream> {
    let vivant = &block.options.vivant;
    let unpacked = |arg: &Arg| arg.carried.unpacked(&arg.name, turn, vivant);
    shape.args.iter().map(unpacked).collect()
}

/// How an actor begins, by the type that its start function returns.
#[derive(Clone, Copy)]
enum Begins {
    /// `Self`
    Now,
    /// `(Self, Promise<()>)`: it has started when the promise has settled.
    NowThen,
    /// `Promise<Self>`: the state comes later.
    When,
}

impl Begins {
    fn of(output: &ReturnType, block: &Block<'_>) -> Option<Begins> {
        let ReturnType::Type(_, ty) = output else {
            return None;
        };
        let is_state = |ty: &Type| {
            let text = ty.to_token_stream().to_string();
            text == "Self" || text == block.written_type().to_token_stream().to_string()
        };
        let is_unit = |ty: &Type| matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty());
        match &**ty {
            ty if is_state(ty) => Some(Begins::Now),
            Type::Tuple(tuple) if tuple.elems.len() == 2 && is_state(&tuple.elems[0]) => {
                types::promised(&tuple.elems[1])
                    .is_some_and(is_unit)
                    .then_some(Begins::NowThen)
            }
            ty => types::promised(ty)
                .is_some_and(is_state)
                .then_some(Begins::When),
        }
    }

    /// What the first turn makes, of what the function returns.
    fn made(self, returned: &TokenStream, turn: &Ident) -> TokenStream {
        match self {
            Begins::Now | Begins::When => returned.clone(),
            Begins::NowThen => quote! {{
                let (state, ready) = #returned;
                #turn.__starts_when(ready);
                state
            }},
        }
    }

    /// The method that spawns it.
    fn spawns(self) -> Ident {
        let name = match self {
            Begins::Now | Begins::NowThen => "spawn_with",
            Begins::When => "spawn_when",
        };
        Ident::new(name, Span::mixed_site())
    }

    /// The method that makes a child of it, and the type of what is saved.
    fn saves(self) -> (Ident, Ident) {
        let (saves, saved) = match self {
            Begins::Now | Begins::NowThen => ("saved", "Saved"),
            Begins::When => ("saved_when", "SavedWhen"),
        };
        let ident = |name| Ident::new(name, Span::mixed_site());
        (ident(saves), ident(saved))
    }
}

/// Writes the hidden method that `#[derive(Actor)]` calls.
pub(super) fn stop(block: &Block<'_>, method: &Method, written: &mut Written, errors: &mut Errors) {
    let vivant = &block.options.vivant;
    let sig = &method.sig;
    if block.interface.is_some() {
        errors.at(
            &sig.ident,
            "an actor's stop hook is in an inherent impl block, not in an interface",
        );
        return;
    }
    let form = "a stop hook is `fn stopping(&mut self, t: &Turn<Self>, reason: &StopReason)`; what it does not use it \
                may leave out; it returns nothing, or a `Promise<()>`: then the actor ends when that has settled";
    let typed = shape::typed(sig);
    let is_turn =
        |argument: &&&PatType| types::takes_turn(&argument.ty) == types::TakesTurn::Shared;
    let takes_turn = typed.first().is_some_and(|first| is_turn(&first));
    let others = typed.len() - usize::from(takes_turn);
    if sig.receiver().is_none()
        || sig.asyncness.is_some()
        || others > 1
        || sig.generics.type_params().next().is_some()
    {
        errors.at(sig, form);
        return;
    }
    let cfgs = surface::named(&method.attrs, "cfg");
    let name = &sig.ident;
    let turn = takes_turn.then(|| quote!(, turn));
    let reason = (others == 1).then(|| quote!(, reason));
    let called = quote!(<Self>::#name(self #turn #reason));
    let called = match &sig.output {
        ReturnType::Type(_, ty) if types::promised(ty).is_some() => {
            quote!(turn.__ends_when(#called))
        }
        _ => called,
    };
    let (actor, brand) = (&block.actor, block.brand_or_any());
    written.state.extend(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        pub const __VIVANT_STOPS: bool = true;

        #(#cfgs)*
        #[doc(hidden)]
        pub fn __vivant_stopping(&mut self, turn: &#vivant::Turn<#brand, #actor>, reason: &#vivant::StopReason) {
            let _ = (turn, reason);
            #called;
        }
    });
    if block.generics.type_params().next().is_none() {
        let (all_cfgs, check) = (&block.cfgs, hook_is_called(block));
        written
            .beside
            .extend(quote!(#(#all_cfgs)* #(#cfgs)* const _: () = { #check };));
    }
}

/// The actor's type may have more parameters than this block is for, or a hand-written
/// `impl Actor`: then the hook would never be called.
pub(super) fn hook_is_called(block: &Block<'_>) -> TokenStream {
    let (vivant, actor) = (&block.options.vivant, &block.actor);
    let text = format!(
        "nobody calls the `#[stop]` method of `{0}`: either this impl block has bounds that the type itself does not \
         have (put them there too), or `Actor` is implemented by hand (call the method in `Actor::stopping`)",
        block.actor_name()
    );
    quote! {
        const { ::core::assert!(<#actor as #vivant::Actor>::HAS_STOP_HOOK, #text) };
    }
}
