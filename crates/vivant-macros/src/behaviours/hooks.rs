//! The hooks of an actor's life: `#[start]` makes its state, `#[stop]` gets the reason of its end.

use super::Written;
use super::block::Block;
use super::method::Method;
use crate::errors::Errors;
use crate::shape::{self, Arg, Role, Shape};
use crate::{names, surface, types};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, PatType, ReturnType, Type};

/// Writes the start function as a type, `spawn` and `child`.
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
    let start = Start {
        block,
        method,
        shape,
        begins,
        attribute,
    };
    written.start.extend(start.marker());
    written.impls.extend(start.function());
    let (cfgs, path) = (start.cfgs(), start.path());
    written
        .kinds
        .starts
        .extend(quote!(#(#cfgs)* list.start::<#path>();));
    written.actor.extend(start.spawn());
    if !methods.iter().any(|other| other.sig.ident == "child") {
        written.actor.extend(start.child());
    }
}

/// The start of an actor.
struct Start<'a> {
    block: &'a Block<'a>,
    method: &'a Method,
    shape: Shape,
    begins: Begins,
    attribute: &'a Ident,
}

impl Start<'_> {
    fn cfgs(&self) -> Vec<&Attribute> {
        surface::named(&self.method.attrs, "cfg")
    }

    /// The marker as a type, with its path from beside the block.
    fn path(&self) -> TokenStream {
        let (module, actor) = (names::starts(&self.block.module), &self.block.actor);
        let marker = names::marker(&self.shape.ident);
        quote!(#module::#marker<#actor>)
    }

    /// The type of the start function. Generic over the actor, as the markers of behaviours are.
    fn marker(&self) -> TokenStream {
        let (cfgs, vis) = (self.cfgs(), surface::from_inside(&self.method.vis));
        let marker = names::marker(&self.shape.ident);
        let doc = format!("The start of `{}`.", self.block.actor_name());
        quote_spanned! {marker.span()=>
            #(#cfgs)*
            #[doc = #doc]
            #vis struct #marker<A>(::core::marker::PhantomData<fn(A)>);
        }
    }

    /// Its impl of vivant's trait.
    fn function(&self) -> TokenStream {
        let Start { block, shape, .. } = self;
        let (cfgs, path) = (self.cfgs(), self.path());
        let block_cfgs = &block.cfgs;
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let (vivant, name) = (&block.options.vivant, block.name_of(&shape.ident));
        let (actor, args) = (&block.actor, shape.args_type());
        let [turn, first] = ["turn", "first"].map(|name| Ident::new(name, Span::mixed_site()));
        let names: Vec<&Ident> = shape.names().collect();
        let made = self.made(&turn);
        let begin = self.begins.begin();
        let stable = quote!(<Self as #vivant::StartFunction>::NAME);
        let codec = quote!(<Self as #vivant::StartFunction>::CODEC);
        let codec = block.codec(&shape.args, &stable, &codec);
        quote! {
            #(#block_cfgs)*
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated, unused_qualifications, clippy::all, clippy::pedantic)]
            impl #impl_generics #vivant::StartFunction for #path #where_clause {
                type Actor = #actor;
                type Args = #args;
                const NAME: &'static str = #name;
                const CODEC: ::core::option::Option<#vivant::Codec<Self::Args>> = #codec;
                fn begin(
                    #first: #vivant::FirstTurn<'_, '_, Self::Actor>,
                    (#(#names,)*): Self::Args,
                ) -> #vivant::Begun {
                    #first.#begin(|#turn| {
                        let _ = #turn;
                        #made
                    })
                }
            }
        }
    }

    /// What the first turn makes, of the arguments.
    fn made(&self, turn: &Ident) -> TokenStream {
        let Start { block, shape, .. } = self;
        let (state, name) = (&block.state, &shape.ident);
        let turn_value = shape.takes_turn.then(|| quote!(#turn,));
        let vivant = &block.options.vivant;
        let values = shape
            .args
            .iter()
            .map(|arg| arg.carried.unpacked(&arg.name, turn, vivant));
        let returned = quote_spanned!(shape.args_span=> <#state>::#name(#turn_value #(#values),*));
        self.begins.made(&returned, turn)
    }

    /// Writes `spawn`: the actor makes its state in its first turn.
    fn spawn(&self) -> TokenStream {
        let Start { block, shape, .. } = self;
        let (cfgs, vis, vivant) = (self.cfgs(), &self.method.vis, &block.options.vivant);
        let deprecations = surface::named(&self.method.attrs, "deprecated");
        let spawn = Ident::new("spawn", self.attribute.span());
        let otherwise = format!(
            "Makes an actor; its state is what `{}` makes in the actor's first turn.",
            shape.ident
        );
        let docs = surface::docs(&self.method.attrs, &otherwise);
        let (parameters, packed) = (shape.parameters(), packed(block, shape));
        let (lints, brand) = Block::sender(shape, &shape.args);
        let spawner = Ident::new("spawner", Span::mixed_site());
        // An argument that cannot be sent is reported at its place.
        let here = vivant.at(shape.args_span);
        let (path, names) = (self.path(), shape.names());
        let started = quote_spanned! {shape.args_span=>
            #packed
            #here::Spawner::spawn_start::<#path>(#spawner, (#(#names,)*))
        };
        quote_spanned! {self.attribute.span()=>
            #(#cfgs)*
            #(#deprecations)*
            #docs
            #[allow(dead_code, clippy::allow_attributes)]
            #lints
            #[track_caller]
            #vis fn #spawn #brand (#spawner: &impl #vivant::Spawner, #parameters) -> #vivant::Address<Self> {
                #started
            }
        }
    }

    /// Writes `child`, which keeps the arguments for a supervisor. Whether they can be cloned is
    /// checked where the child is added to a supervisor.
    fn child(&self) -> TokenStream {
        let Start { block, shape, .. } = self;
        let (cfgs, vis) = (self.cfgs(), &self.method.vis);
        let deprecations = surface::named(&self.method.attrs, "deprecated");
        let vivant = block.options.vivant.at(shape.args_span);
        let child = Ident::new("child", self.attribute.span());
        let (parameters, packed) = (shape.parameters(), packed(block, shape));
        let (path, names) = (self.path(), shape.names());
        let (lints, brand) = Block::sender(shape, &shape.args);
        let doc = format!(
            "A child for a supervisor, whose state `{}` makes, again and again.",
            shape.ident
        );
        quote_spanned! {self.attribute.span()=>
            #(#cfgs)*
            #(#deprecations)*
            #[doc = #doc]
            #[allow(dead_code, clippy::allow_attributes)]
            #lints
            #vis fn #child #brand (#parameters) -> #vivant::Child<Self, #vivant::StartCall<#path>> {
                #packed
                #vivant::Child::start((#(#names,)*))
            }
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

    /// The method of the first turn.
    fn begin(self) -> Ident {
        let name = match self {
            Begins::Now | Begins::NowThen => "begin",
            Begins::When => "begin_when",
        };
        Ident::new(name, Span::mixed_site())
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
