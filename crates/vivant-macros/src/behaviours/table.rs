//! What an interface's impl adds: the table by which the interface reaches this actor's behaviours.

use super::Written;
use super::block::Block;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// A behaviour that stands for a message of the interface.
pub(super) struct Row {
    pub(super) method: String,
    pub(super) path: TokenStream,
}

/// The table's rows go by name: the trait may have the methods in another order.
pub(super) fn write(
    block: &Block<'_>,
    interface: &Path,
    mut rows: Vec<Row>,
    written: &mut Written,
) {
    rows.sort_by(|a, b| a.method.cmp(&b.method));
    let (vivant, cfgs, actor) = (&block.options.vivant, &block.cfgs, block.actor);
    let (impl_generics, _, where_clause) = block.generics.split_for_impl();
    let rows = rows.iter().map(|row| &row.path);
    written.impls.extend(quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #impl_generics #vivant::Implements<dyn #interface> for #actor #where_clause {
            const TABLE: <dyn #interface as #vivant::Target>::Table =
                &<dyn #interface>::__vivant_table(#(#vivant::Entry::of::<#rows>()),*);
        }
    });
}
