//! Types, read by their tokens: a macro sees nothing else.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Data, Expr, Field, GenericArgument, Lifetime, ParenthesizedGenericArguments, Path,
    PathArguments, PathSegment, QSelf, Token, Type, TypeFnPtr, TypeImplTrait, TypePath,
    TypeReference,
};

/// The fields of a struct, or of all variants of an enum. A union has none that safe code may read.
pub(crate) fn fields(data: &Data) -> Vec<&Field> {
    match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => {
            let variants = data.variants.iter();
            variants.flat_map(|variant| &variant.fields).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

/// The last segment of a path type, looking through parentheses and the invisible groups of
/// `macro_rules!`.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}

/// How an argument takes the turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakesTurn {
    /// `&Turn<…>`
    Shared,
    /// `Turn<…>` or `&mut Turn<…>`, which no behaviour can have.
    Otherwise,
    /// It is not the turn.
    No,
}

pub(crate) fn takes_turn(ty: &Type) -> TakesTurn {
    match ty {
        Type::Group(group) => takes_turn(&group.elem),
        Type::Reference(reference) if is_named(&reference.elem, "Turn") => {
            match reference.mutability {
                None => TakesTurn::Shared,
                Some(_) => TakesTurn::Otherwise,
            }
        }
        _ if is_named(ty, "Turn") => TakesTurn::Otherwise,
        _ => TakesTurn::No,
    }
}

/// Returns true for `&Asker`.
pub(crate) fn takes_asker(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => takes_asker(&group.elem),
        Type::Reference(reference) => is_named(&reference.elem, "Asker"),
        _ => false,
    }
}

/// `X` of `Promise<X>`.
pub(crate) fn promised(ty: &Type) -> Option<&Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == "Promise")?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(value)) if arguments.args.len() == 1 => Some(value),
        _ => None,
    }
}

/// `X` and `E` of `Result<Promise<X>, E>`.
pub(crate) fn promised_or_error(ty: &Type) -> Option<(&Type, &Type)> {
    let (promise, error) = result_of(ty)?;
    Some((promised(promise)?, error))
}

/// `R` of `Step<V, R>`.
pub(crate) fn stepped(ty: &Type) -> Option<&Type> {
    two_of(ty, "Step").map(|(_, reply)| reply)
}

/// `T` and `E` of `Result<T, E>`.
pub(crate) fn result_of(ty: &Type) -> Option<(&Type, &Type)> {
    two_of(ty, "Result")
}

/// Returns true if both types have the same tokens.
pub(crate) fn is_written_alike(one: &Type, other: &Type) -> bool {
    let text = |ty: &Type| ty.to_token_stream().to_string();
    text(one) == text(other)
}

/// The two type arguments of a type with this name.
fn two_of<'ty>(ty: &'ty Type, name: &str) -> Option<(&'ty Type, &'ty Type)> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let mut types = arguments.args.iter();
    match (types.next(), types.next(), types.next()) {
        (Some(GenericArgument::Type(one)), Some(GenericArgument::Type(other)), None) => {
            Some((one, other))
        }
        _ => None,
    }
}

/// Where `ty` mentions vivant's `Promise<…>`: by that name alone, or as `vivant::Promise`.
pub(crate) fn promise_in(ty: &Type) -> Option<Span> {
    struct Find(Option<Span>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_path(&mut self, path: &'ast Path) {
            let count = path.segments.len();
            let ours = count == 1 || (count == 2 && path.segments[0].ident == "vivant");
            if let Some(last) = path.segments.last()
                && ours
                && last.ident == "Promise"
                && !last.arguments.is_empty()
            {
                self.0.get_or_insert(last.ident.span());
            }
            visit::visit_path(self, path);
        }
    }
    let mut find = Find(None);
    find.visit_type(ty);
    find.0
}

/// A part of a type that no message can have: a borrowed value, or a type left open.
pub(crate) enum Unowned {
    Reference(TypeReference),
    Lifetime(Lifetime),
    ImplTrait(TypeImplTrait),
}

/// The first part of `ty` that cannot be in a message. Values of `brand` travel in parcels.
pub(crate) fn unowned_in(ty: &Type, brand: Option<&Lifetime>) -> Option<Unowned> {
    struct Find<'a>(Option<Unowned>, Option<&'a Lifetime>);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            match &reference.lifetime {
                Some(lifetime) if lifetime.ident == "static" => {
                    visit::visit_type_reference(self, reference);
                }
                _ => {
                    self.0
                        .get_or_insert_with(|| Unowned::Reference(reference.clone()));
                }
            }
        }

        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            if lifetime.ident != "static" && self.1 != Some(lifetime) {
                self.0
                    .get_or_insert_with(|| Unowned::Lifetime(lifetime.clone()));
            }
        }

        fn visit_type_impl_trait(&mut self, open: &'ast TypeImplTrait) {
            self.0
                .get_or_insert_with(|| Unowned::ImplTrait(open.clone()));
        }

        // Arguments and results of a function type may be borrowed: the function itself is owned.
        fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}
        fn visit_parenthesized_generic_arguments(
            &mut self,
            _: &'ast ParenthesizedGenericArguments,
        ) {
        }
    }
    let mut find = Find(None, brand);
    find.visit_type(ty);
    find.0
}

/// The span of `Self` in the type, if it occurs.
pub(crate) fn self_in(ty: &Type) -> Option<Span> {
    struct Find(Option<Span>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_path(&mut self, path: &'ast Path) {
            if let Some(first) = path.segments.first()
                && first.ident == "Self"
            {
                self.0.get_or_insert(first.ident.span());
            }
            visit::visit_path(self, path);
        }
    }
    let mut find = Find(None);
    find.visit_type(ty);
    find.0
}

/// `ty` with `this` in the place of `Self`: for impls of other types.
pub(crate) fn without_self(ty: &Type, this: &Type) -> Type {
    struct Replace<'a>(&'a Type);

    impl Replace<'_> {
        /// `Self::X` as `<This>::X`.
        fn qualified(&self, qself: &mut Option<QSelf>, path: &mut Path) {
            if qself.is_none()
                && path.segments.len() > 1
                && let Some(first) = path.segments.first()
                && first.ident == "Self"
            {
                let span = first.ident.span();
                path.segments = path.segments.iter().skip(1).cloned().collect();
                path.leading_colon = Some(Token![::](span));
                *qself = Some(QSelf {
                    lt_token: Token![<](span),
                    ty: Box::new(self.0.clone()),
                    position: 0,
                    as_token: None,
                    gt_token: Token![>](span),
                });
            }
        }
    }

    impl VisitMut for Replace<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if let Type::Path(TypePath { qself, path, .. }) = ty {
                if qself.is_none() && path.is_ident("Self") {
                    *ty = self.0.clone();
                    return;
                }
                self.qualified(qself, path);
            }
            visit_mut::visit_type_mut(self, ty);
        }

        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            if let Expr::Path(path) = expr {
                self.qualified(&mut path.qself, &mut path.path);
            }
            visit_mut::visit_expr_mut(self, expr);
        }
    }

    let mut ty = ty.clone();
    Replace(this).visit_type_mut(&mut ty);
    ty
}
