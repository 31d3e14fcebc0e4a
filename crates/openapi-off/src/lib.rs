//! The words of utoipa for a program that makes no document: derives that add nothing, and an
//! attribute of which only the path and the method are left. `confab-openapi` offers them under
//! utoipa's name. They take whatever utoipa takes, because the tests are built with utoipa and
//! would find what it does not.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Describes nothing.
#[proc_macro_derive(ToSchema, attributes(schema, serde))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Describes nothing.
#[proc_macro_derive(IntoParams, attributes(into_params, param, serde))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Leaves the function as it is and says beside it, as utoipa does, at which path and by which
/// method it is called.
#[proc_macro_attribute]
pub fn path(description: TokenStream, function: TokenStream) -> TokenStream {
    let said = match (Said::read(description), name_of(function.clone())) {
        (Some(Said { method, path }), Some(name)) => beside(&name, &method, &path),
        _ => r#"::core::compile_error!("a method, `path = \"…\"` and a function are needed");"#
            .to_owned(),
    };
    let said: TokenStream = said.parse().unwrap_or_default();
    function.into_iter().chain(said).collect()
}

/// What is kept of a description.
struct Said {
    method: String,
    path: String,
}

impl Said {
    /// Of `get, path = "/…", …`.
    fn read(description: TokenStream) -> Option<Self> {
        let mut tokens = description.into_iter();
        let method = tokens.next()?.to_string();
        while let Some(token) = tokens.next() {
            if token.to_string() == "path" {
                // After the sign of equality.
                let path = plain(tokens.nth(1)?).to_string();
                return Some(Self { method, path });
            }
        }
        None
    }
}

/// A token out of what a macro handed on as one.
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

/// The name that stands after `fn`.
fn name_of(function: TokenStream) -> Option<Ident> {
    let mut tokens = function.into_iter().map(plain);
    tokens.find(|it| it.to_string() == "fn")?;
    match tokens.next()? {
        TokenTree::Ident(name) => Some(Ident::new(&name.to_string(), Span::call_site())),
        _ => None,
    }
}

fn beside(name: &Ident, method: &str, path: &str) -> String {
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
