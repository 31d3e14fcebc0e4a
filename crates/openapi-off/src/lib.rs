//! Replacements for utoipa's macros in programs that do not create the OpenAPI document: derives
//! that add nothing, and an attribute that keeps only path and method. `confab-openapi` exports
//! them under utoipa's names. They accept any input, because the tests are built with utoipa and
//! would detect invalid input.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

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

/// Leaves the function unchanged and adds a type with its path and method, as utoipa does.
#[proc_macro_attribute]
pub fn path(description: TokenStream, function: TokenStream) -> TokenStream {
    let route = match (Route::read(description), name_of(function.clone())) {
        (Some(Route { method, path }), Some(name)) => route_impl(&name, &method, &path),
        _ => r#"::core::compile_error!("a method, `path = \"…\"` and a function are needed");"#
            .to_owned(),
    };
    let route: TokenStream = route.parse().unwrap_or_default();
    function.into_iter().chain(route).collect()
}

/// Path and method of a call: the only part of `#[utoipa::path]` that is used.
struct Route {
    method: String,
    path: String,
}

impl Route {
    /// Parses `get, path = "/…", …`.
    fn read(description: TokenStream) -> Option<Self> {
        let mut tokens = description.into_iter();
        let method = tokens.next()?.to_string();
        while let Some(token) = tokens.next() {
            if token.to_string() == "path" {
                // Skip the equals sign.
                let path = plain(tokens.nth(1)?).to_string();
                return Some(Self { method, path });
            }
        }
        None
    }
}

/// Returns the token inside invisible groups, which macros add when they pass a token on.
fn plain(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let first = group.stream().into_iter().next();
            first.map_or_else(|| TokenTree::Group(empty()), plain)
        }
        other => other,
    }
}

fn empty() -> Group {
    Group::new(Delimiter::None, TokenStream::new())
}

/// Returns the name of a function: the token after `fn`.
fn name_of(function: TokenStream) -> Option<Ident> {
    let mut tokens = function.into_iter().map(plain);
    tokens.find(|it| it.to_string() == "fn")?;
    match tokens.next()? {
        TokenTree::Ident(name) => Some(Ident::new(&name.to_string(), Span::call_site())),
        _ => None,
    }
}

fn route_impl(name: &Ident, method: &str, path: &str) -> String {
    let variant: String = match method.split_at_checked(1) {
        Some((first, rest)) => first.to_uppercase() + rest,
        None => String::new(),
    };
    format!(
        "#[allow(non_camel_case_types)] #[doc(hidden)] pub struct __path_{name};
        impl utoipa::Path for __path_{name} {{
            fn methods() -> ::std::vec::Vec<utoipa::HttpMethod> {{
                ::std::vec![utoipa::HttpMethod::{variant}]
            }}
            fn path() -> ::std::string::String {{ {path}.to_owned() }}
        }}"
    )
}
