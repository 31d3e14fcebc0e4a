//! Replacements for utoipa's derives in programs that do not create the OpenAPI document: they
//! generate nothing. `confab-openapi` exports them under utoipa's names. They accept any input,
//! because the tests are built with utoipa and would detect invalid input.

use proc_macro::TokenStream;

/// Accepts `#[derive(ToSchema)]` and generates nothing.
#[proc_macro_derive(ToSchema, attributes(schema, serde))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Accepts `#[derive(IntoParams)]` and generates nothing.
#[proc_macro_derive(IntoParams, attributes(into_params, param, serde))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
