//! Joins: methods with `#[join(…)]`, and the messages without a body that they take.

use super::Written;
use super::behaviour::{self, path_of};
use super::block::Block;
use super::guard::Guard;
use super::method::{self, JoinAttrs, Kind, Method};
use crate::errors::Errors;
use crate::shape::{Arg, Carried, OwnLifetimes, Role, Shape, SignatureContext, Steps};
use crate::{names, surface, types};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, Expr, Index, ReturnType, Type, parse_quote};

/// As many messages fit into the envelope of a join.
const MESSAGES_MAX: usize = 8;

/// A message without a body.
struct Joined<'a> {
    method: &'a Method,
    /// `None` if it has an error, which is reported already.
    shape: Option<Shape>,
    /// The joins that take it.
    joins: Vec<TokenStream>,
}

/// Writes the joins of a block and their messages.
pub(super) fn write(
    block: &Block<'_>,
    methods: &[Method],
    written: &mut Written,
    errors: &mut Errors,
) {
    let joins = methods.iter().filter_map(|method| match &method.kind {
        Kind::Join(attrs) => Some((method, attrs)),
        _ => None,
    });
    let without_body = methods
        .iter()
        .filter(|method| matches!(method.kind, Kind::Joined));
    if block.interface.is_some() {
        let first = joins.map(|(_, attrs)| attrs.join.to_token_stream());
        let mut first = first.chain(without_body.map(|method| method.sig.to_token_stream()));
        if let Some(first) = first.next() {
            errors.at(
                first,
                "joins take the actor's own messages: put them into an inherent impl block",
            );
        }
        return;
    }
    let mut messages: Vec<Joined<'_>> = without_body
        .map(|method| Joined {
            method,
            shape: shape_of_message(block, method, errors),
            joins: Vec::new(),
        })
        .collect();
    for (position, (method, attrs)) in joins.clone().enumerate() {
        let Some(taken) = taken(methods, &messages, attrs, errors) else {
            continue;
        };
        let of_all = taken.iter().map(|&at| messages[at].shape.as_ref());
        let Some(shapes) = of_all.collect::<Option<Vec<&Shape>>>() else {
            continue;
        };
        let Some(join) = Join::read(block, (method, attrs), shapes, errors) else {
            continue;
        };
        join.write(position, written, errors);
        for at in taken {
            messages[at].joins.push(path_of(block, &method.sig.ident));
        }
    }
    for Joined {
        method,
        shape,
        joins: in_joins,
    } in messages
    {
        let name = &method.sig.ident;
        let is_named = joins
            .clone()
            .any(|(_, attrs)| attrs.messages.contains(name));
        if !is_named {
            errors.at(
                name,
                format!(
                    "no join takes `{name}`: a message without a body waits for others. Name it in a \
                     `#[join({name}, …)]`, or give it a body"
                ),
            );
        }
        if let Some(shape) = shape {
            behaviour::write_joined(block, method, shape, &in_joins, written);
        }
    }
}

/// How messages of joins are read: a plain actor opens no parcel for the duration of a call.
fn signature_context<'a>(block: &'a Block<'_>) -> SignatureContext<'a> {
    SignatureContext {
        own: OwnLifetimes::Refused,
        ..block.signature_context()
    }
}

fn shape_of_message(block: &Block<'_>, method: &Method, errors: &mut Errors) -> Option<Shape> {
    let is_named = behaviour::check_name(block, &method.sig.ident, errors);
    if let ReturnType::Type(_, output) = &method.sig.output
        && (types::promised(output).is_some() || types::promised_or_error(output).is_some())
    {
        errors.at(
            output,
            "write the reply itself: the join that answers may return a promise of it",
        );
        return None;
    }
    let context = signature_context(block);
    let shape = Shape::of(&method.sig, Role::Behaviour, context, errors)?;
    shape.without_asker("a message without a body has no asker", errors);
    if shape.asker.is_some() {
        return None;
    }
    if shape.takes_turn {
        errors.at(
            &method.sig.inputs,
            "a message without a body has no turn: write `t: &Turn<Self>` at the join that takes it",
        );
        return None;
    }
    if let Steps::Many(_) = shape.steps {
        errors.at(&method.sig.output, STEPPED);
        return None;
    }
    (is_named && method.sig.receiver().is_none()).then_some(shape)
}

const STEPPED: &str = "a join is one turn: take the messages in it, and go on in a behaviour in steps that it sends to `t.me()`";

/// The positions of the messages that a join names.
fn taken(
    methods: &[Method],
    messages: &[Joined<'_>],
    attrs: &JoinAttrs,
    errors: &mut Errors,
) -> Option<Vec<usize>> {
    let before = errors.count();
    let names = &attrs.messages;
    if names.len() < 2 || names.len() > MESSAGES_MAX {
        errors.at(
            &attrs.join,
            "a join takes two to eight messages, as in `#[join(put, get)]`; a behaviour takes one",
        );
    }
    let mut taken = Vec::new();
    for (position, name) in names.iter().enumerate() {
        if names[..position].contains(name) {
            errors.at(
                name,
                format!("`{name}` is in this join already: it takes one message of each kind"),
            );
        }
        let mut all = messages.iter();
        match all.position(|message| message.method.sig.ident == *name) {
            Some(at) => taken.push(at),
            None if methods.iter().any(|method| method.sig.ident == *name) => errors.at(
                name,
                format!(
                    "`{name}` has a body, so it has turns of its own: a join takes messages without one, \
                     `pub fn {name}(…);`"
                ),
            ),
            None => errors.at(
                name,
                format!("there is no message `{name}` in this block: declare it, `pub fn {name}(…);`"),
            ),
        }
    }
    (errors.count() == before).then_some(taken)
}

/// A join.
struct Join<'a> {
    block: &'a Block<'a>,
    method: &'a Method,
    attrs: &'a JoinAttrs,
    /// Of the method, without its replies.
    shape: Shape,
    messages: Vec<&'a Shape>,
    /// How the method's results are carried in the replies: of each message that has one.
    replies: Vec<Shape>,
}

impl<'a> Join<'a> {
    fn read(
        block: &'a Block<'a>,
        (method, attrs): (&'a Method, &'a JoinAttrs),
        messages: Vec<&'a Shape>,
        errors: &mut Errors,
    ) -> Option<Join<'a>> {
        let context = signature_context(block);
        let mut sig = method.sig.clone();
        sig.output = ReturnType::Default;
        let shape = Shape::of(&sig, Role::Behaviour, context, errors)?;
        shape.without_asker("a join has several askers", errors);
        if shape.asker.is_some() {
            return None;
        }
        let before = errors.count();
        check_parameters(&shape, &messages, method, errors);
        let asked = messages.iter().filter(|message| has_reply(message));
        let asked: Vec<&Shape> = asked.copied().collect();
        let mut replies = Vec::new();
        for (ty, message) in outputs(method, &asked, errors)?.iter().zip(asked) {
            sig.inputs.clear();
            sig.output = parse_quote!(-> #ty);
            let reply = Shape::of(&sig, Role::Behaviour, context, errors)?;
            if let Steps::Many(_) = reply.steps {
                errors.at(ty, STEPPED);
            } else if types::promised_or_error(ty).is_none()
                && !types::is_written_alike(&reply.reply, &message.reply)
            {
                let (name, promised) = (&message.ident, text(&message.reply));
                errors.at(
                    ty,
                    format!("`{name}` promises `{promised}`: return that here"),
                );
            }
            replies.push(reply);
        }
        (errors.count() == before).then_some(Join {
            block,
            method,
            attrs,
            shape,
            messages,
            replies,
        })
    }

    fn write(&self, position: usize, written: &mut Written, errors: &mut Errors) {
        let Join {
            block,
            method,
            shape,
            ..
        } = self;
        let vivant = &block.options.vivant;
        let name = &shape.ident;
        let (path, marker) = (path_of(block, name), names::marker(name));
        let cfgs = surface::named(&method.attrs, "cfg");
        let cfgs: Vec<&Attribute> = block.cfgs.iter().copied().chain(cfgs).collect();
        let otherwise = format!("The join `{name}` of `{}`.", block.actor_name());
        let docs = surface::docs(&method.attrs, &otherwise);
        let vis = surface::from_inside(&method.vis);
        written.markers.extend(quote_spanned! {marker.span()=>
            #(#cfgs)* #docs #vis struct #marker<A>(::core::marker::PhantomData<fn(A)>);
        });
        let guard = self.attrs.guard.as_deref();
        let ready = guard.map(|expr| {
            let places: Vec<_> = self.places().collect();
            let guard = Guard::at(block, method, (shape, &places), expr, errors);
            written.state.extend(guard.method);
            self.ready(expr, &guard.call)
        });
        let stable_name = block.name_of(name);
        let messages = self.paths();
        let (actor, run) = (&block.actor, self.run());
        let (impl_generics, _, where_clause) = block.generics.split_for_impl();
        let own_cfgs = surface::named(&method.attrs, "cfg");
        written
            .kinds
            .messages
            .extend(quote!(#(#own_cfgs)* list.join::<#path>();));
        written.impls.extend(quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(deprecated, unit_bindings, unused_qualifications, clippy::all, clippy::pedantic)]
            impl #impl_generics #vivant::Join for #path #where_clause {
                type Actor = #actor;
                const NAME: &'static str = #stable_name;
                const MESSAGES: &'static [#vivant::JoinedMessage] =
                    &[#(#vivant::JoinedMessage::of::<#messages>()),*];
                const POSITION: usize = #position;
                #ready
                #run
            }
        });
    }

    /// The markers of its messages, as types.
    fn paths(&self) -> Vec<TokenStream> {
        let messages = self.messages.iter();
        messages
            .map(|message| path_of(self.block, &message.ident))
            .collect()
    }

    /// The places of all arguments: fields of `args0`, `args1` and so on.
    fn places(&self) -> impl Iterator<Item = TokenStream> {
        let at_name = self.shape.ident.span();
        self.messages
            .iter()
            .enumerate()
            .flat_map(move |(number, message)| {
                let args = format_ident!("args{number}", span = at_name);
                let fields = (0..message.args.len()).map(Index::from);
                fields.map(move |field| quote!(#args.#field))
            })
    }

    fn ready(&self, expr: &Expr, call: &TokenStream) -> TokenStream {
        let vivant = &self.block.options.vivant;
        let named = method::idents(expr.to_token_stream());
        let reads_arguments = self.shape.names().any(|name| named.contains(name));
        let reads = match (named.iter().any(|name| name == "self"), reads_arguments) {
            (true, true) => quote!(StateAndArguments),
            (false, true) => quote!(Arguments),
            (_, false) => quote!(State),
        };
        let at_name = self.shape.ident.span();
        let args = self.paths().into_iter().enumerate().map(|(number, path)| {
            let args = format_ident!("args{number}", span = at_name);
            quote!(let #args = #vivant::Waiting::args::<#path>(waiting, #number);)
        });
        quote! {
            const GUARD: #vivant::JoinGuard = #vivant::JoinGuard::#reads;
            fn ready(
                state: &<Self::Actor as #vivant::Actor>::State<'_>,
                waiting: &#vivant::Waiting<'_>,
            ) -> bool {
                #(#args)*
                #call
            }
        }
    }

    fn run(&self) -> TokenStream {
        let Join { block, shape, .. } = self;
        let at_name = shape.ident.span();
        let (here, state) = (block.options.vivant.at(at_name), &block.state);
        let (name, turn) = (&shape.ident, Ident::new("turn", at_name));
        let hook = block.check_in_each();
        let taken = self.paths().into_iter().enumerate().map(|(number, path)| {
            let args = format_ident!("args{number}", span = at_name);
            let resolver = format_ident!("resolver{number}", span = at_name);
            quote_spanned! {at_name=>
                let (#args, #resolver) = matched.take::<#path>(#number);
                let _ = &#args;
            }
        });
        let values = shape.args.iter().zip(self.places());
        let values =
            values.map(|(arg, place)| arg.carried.unpacked(&place, &turn, &block.options.vivant));
        let takes_turn = shape.takes_turn.then(|| quote_spanned!(at_name=> , #turn));
        let answers: Vec<Ident> = (0..self.replies.len())
            .map(|number| format_ident!("answer{number}", span = at_name))
            .collect();
        let answer = match &answers[..] {
            [] => quote!(()),
            [only] => quote!(#only),
            several => quote!((#(#several),*)),
        };
        let mut replies = self.replies.iter().zip(&answers);
        let given = self.messages.iter().enumerate().map(|(number, message)| {
            let resolver = format_ident!("resolver{number}", span = at_name);
            let reply = has_reply(message).then(|| replies.next()).flatten();
            let Some((reply, answer)) = reply else {
                return quote_spanned!(at_name=> #resolver.resolve(()););
            };
            let at_reply = reply.reply_span.resolved_at(at_name);
            let here = block.options.vivant.at(at_reply);
            match &reply.answer {
                Carried::Packed(ty) => quote_spanned! {at_reply=>
                    #here::__private::answer::<#ty>(#turn, #answer, #resolver);
                },
                _ => {
                    let promised = &message.reply;
                    quote_spanned!(at_reply=> #here::Answer::<#promised>::give(#answer, #resolver);)
                }
            }
        });
        quote_spanned! {at_name=>
            fn run<'gc>(
                state: &mut <Self::Actor as #here::Actor>::State<'gc>,
                #turn: &#here::Turn<'gc, Self::Actor>,
                mut matched: #here::Matched,
            ) {
                #hook
                let _ = #turn;
                #(#taken)*
                let #answer = <#state>::#name(state #takes_turn #(, #values)*);
                #(#given)*
            }
        }
    }
}

fn has_reply(message: &Shape) -> bool {
    !matches!(&message.reply, Type::Tuple(unit) if unit.elems.is_empty())
}

/// Checks that the join takes the parameters of its messages, in their order.
fn check_parameters(shape: &Shape, messages: &[&Shape], method: &Method, errors: &mut Errors) {
    let wanted: Vec<(&Shape, &Arg)> = messages
        .iter()
        .flat_map(|message| message.args.iter().map(|arg| (*message, arg)))
        .collect();
    for (arg, (message, wanted)) in shape.args.iter().zip(&wanted) {
        if !types::is_written_alike(&arg.ty, &wanted.ty) {
            let (of, name, ty) = (&message.ident, &wanted.name, text(&wanted.ty));
            errors.at(
                &arg.ty,
                format!("a join takes the parameters of its messages in their order: here `{name}: {ty}` of `{of}`"),
            );
        }
    }
    if shape.args.len() != wanted.len() {
        let all = wanted
            .iter()
            .map(|(_, arg)| format!("{}: {}", arg.name, text(&arg.ty)));
        let all: Vec<String> = all.collect();
        let message = format!(
            "a join takes the parameters of its messages in their order: `{}`",
            all.join(", ")
        );
        errors.at(&method.sig.inputs, message);
    }
}

/// The types that the join returns, one for each message with a reply.
fn outputs(method: &Method, asked: &[&Shape], errors: &mut Errors) -> Option<Vec<Type>> {
    let output = match &method.sig.output {
        ReturnType::Type(_, ty) => Some(&**ty),
        ReturnType::Default => None,
    };
    let outputs: Vec<Type> = match (asked, output) {
        ([], None) => Vec::new(),
        ([], Some(Type::Tuple(unit))) if unit.elems.is_empty() => Vec::new(),
        ([_], Some(reply)) => vec![reply.clone()],
        ([_, _, ..], Some(Type::Tuple(replies))) if replies.elems.len() == asked.len() => {
            replies.elems.iter().cloned().collect()
        }
        _ => {
            let replies: Vec<String> = asked
                .iter()
                .map(|message| format!("`{}` of `{}`", text(&message.reply), message.ident))
                .collect();
            let message = match asked {
                [] => "no message of this join has a reply: return nothing, or write `-> …` at the message".to_owned(),
                [_] => format!("a join returns the reply of its message: {}", replies.join(", ")),
                _ => format!("a join returns the replies of its messages, in their order, as a tuple: {}", replies.join(", ")),
            };
            match output {
                Some(output) => errors.at(output, message),
                None => errors.at(&method.sig, message),
            }
            return None;
        }
    };
    Some(outputs)
}

/// The type as a person writes it.
fn text(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (written, usual) in [
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" :: ", "::"),
    ] {
        text = text.replace(written, usual);
    }
    text
}
