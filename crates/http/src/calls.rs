//! The declaration of calls. One row of [`calls!`] has a call's method, path, operation id, handler
//! and refusals. The rest follows from the types of the handler: who may call it, and the path,
//! query, body and response that the OpenAPI document shows (D-0218).

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request};
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::MethodRouter;
use axum::{Extension, Router};
use confab_app::services::Services;

use crate::api::Api;
use crate::declaration::Declaration;
#[cfg(feature = "document")]
use crate::document::description::{Described, Description};
use crate::requests::brands::Brand;
use crate::requests::part::ServerPart;
use crate::responses::error_shape::ErrorShape;
use crate::responses::problem::Problem;

/// The proof of who makes a request: the second argument of a handler.
pub(crate) trait Caller: FromRequestParts<Services> {
    /// The API of the calls that take this caller, unless their declaration names another one.
    const API: &'static Api;
}

/// Declares the calls of a file in a function `calls`:
///
/// ```text
/// calls! {
///     "Tags";
///     /// List the tags of a room
///     GET "/api/v2/room_tags/{room}" room_tags = list [403 404];
/// }
/// ```
///
/// `"Tags" of api::HOOKS;` names the API of calls whose callers do not determine it.
macro_rules! calls {
    ($($tag:literal $(of $api:expr)?; $(
        $(#[doc = $text:literal])+
        $method:ident $path:literal $id:ident = $($handler:ident)::+ $([$($refusal:literal)+])?;
    )+)+) => {
        pub(crate) fn calls() -> $crate::calls::Calls {
            let calls = $crate::calls::Calls::default();
            $(
                let api: Option<&'static $crate::api::Api> = None $(.or(Some(&$api)))?;
                $(
                    let calls = calls.with(
                        $crate::declaration::Declaration {
                            tag: $tag,
                            method: axum::routing::MethodFilter::$method,
                            path: $path,
                            operation_id: stringify!($id),
                            texts: &[$($text),+],
                            refusals: &[$($($refusal),+)?],
                            api,
                        },
                        $($handler)::+,
                    );
                )+
            )+
            calls
        }
    };
}
pub(crate) use calls;

/// A handler's function. One whose second argument proves no caller has no implementation.
pub(crate) trait Signature<Args> {
    type Caller: Caller;
    type Request: Described;
    type Response: Described;
}

/// Implements [`Signature`] for functions with these arguments after server part and caller.
macro_rules! signatures {
    ($(($($part:ident),*))+) => {$(
        impl<F, S, C, R, O, $($part),*> Signature<(S, C, $($part,)*)> for F
        where
            F: Fn(S, C, $($part),*) -> R,
            R: Future<Output = Result<O, Problem>>,
            S: ServerPart,
            C: Caller,
            O: Described,
            $($part: Described),*
        {
            type Caller = C;
            type Request = ($($part,)*);
            type Response = O;
        }
    )+};
}
signatures! { () (P1) (P1, P2) (P1, P2, P3) (P1, P2, P3, P4) }

/// An argument or a response that the OpenAPI document can describe. Only builds that create the
/// document require a description.
#[cfg(not(feature = "document"))]
pub(crate) trait Described {}
#[cfg(not(feature = "document"))]
impl<T> Described for T {}

/// A declared call with its handler.
#[derive(Clone)]
pub(crate) struct Call {
    path: String,
    api: &'static Api,
    handlers: MethodRouter<Services>,
    /// Whether the document lists the call under this path.
    is_documented: bool,
    operation_id: &'static str,
    #[cfg(feature = "document")]
    description: fn(&Declaration, &Api) -> Description,
    #[cfg(feature = "document")]
    declaration: Arc<Declaration>,
}

/// A set of calls.
#[derive(Default)]
pub(crate) struct Calls(Vec<Call>);

impl Calls {
    /// Adds a call.
    pub(crate) fn with<H, T, Args>(mut self, declaration: Declaration, handler: H) -> Self
    where
        H: Handler<T, Services, Future = ResponseFuture> + Signature<Args> + Sync,
        T: 'static,
    {
        let handler = AnyHandler(Arc::new(move |it, of| handler.clone().call(it, of)));
        self.0.push(Call {
            path: declaration.path.to_owned(),
            api: declaration.api.unwrap_or(H::Caller::API),
            handlers: MethodRouter::new().on(declaration.method, handler),
            is_documented: true,
            operation_id: declaration.operation_id,
            #[cfg(feature = "document")]
            description: Description::of::<H::Request, H::Response>,
            #[cfg(feature = "document")]
            declaration: Arc::new(declaration),
        });
        self
    }

    /// Adds the calls of another set.
    pub(crate) fn and(mut self, calls: Self) -> Self {
        self.0.extend(calls.0);
        self
    }

    /// Prefixes all paths with a base path.
    pub(crate) fn below(self, base: &str) -> Self {
        self.each(|call| Call { path: format!("{base}{}", call.path), ..call })
    }

    /// Keeps the calls with these operation ids.
    pub(crate) fn only(mut self, operation_ids: &[&str]) -> Self {
        self.0.retain(|call| operation_ids.contains(&call.operation_id));
        self
    }

    /// Excludes these calls from the document, because it lists them under another path.
    pub(crate) fn undocumented(self) -> Self {
        self.each(|call| Call { is_documented: false, ..call })
    }

    /// Appends a slash to all paths.
    pub(crate) fn with_slash(self) -> Self {
        self.each(|call| Call { path: format!("{}/", call.path), ..call })
    }

    /// Replaces `{brand}` in paths by each brand in lower case, and passes the brand to the handler
    /// as an extension. The document lists the path of the first brand.
    pub(crate) fn for_brands(self, brands: &[String]) -> Self {
        let (of_brand, mut calls): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|call| call.path.contains("{brand}"));
        for (place, brand) in brands.iter().enumerate() {
            let layer = Extension(Brand(brand.to_lowercase().into()));
            calls.extend(of_brand.iter().map(|call| Call {
                path: call.path.replace("{brand}", &brand.to_lowercase()),
                handlers: call.handlers.clone().layer(layer.clone()),
                is_documented: call.is_documented && place == 0,
                ..call.clone()
            }));
        }
        Self(calls)
    }

    fn each(self, change: impl Fn(Call) -> Call) -> Self {
        Self(self.0.into_iter().map(change).collect())
    }

    /// Returns a router for the calls. Calls with the same error format get a common envelope,
    /// which also answers failures before a handler runs.
    pub(crate) fn into_router(
        self,
        envelope: impl Fn(Router<Services>, Option<ErrorShape>) -> Router<Services>,
    ) -> Router<Services> {
        let mut routers: BTreeMap<ErrorShape, Router<Services>> = BTreeMap::new();
        for Call { path, api, handlers, .. } in self.0 {
            let router = routers.remove(&api.errors).unwrap_or_default();
            routers.insert(api.errors, router.route(&path, handlers));
        }
        let enveloped = routers.into_iter().map(|(shape, router)| envelope(router, Some(shape)));
        enveloped.fold(Router::new(), Router::merge)
    }

    /// Returns the descriptions of the documented calls.
    #[cfg(feature = "document")]
    pub(crate) fn descriptions(&self) -> Vec<(String, Description)> {
        let documented = self.0.iter().filter(|call| call.is_documented);
        let described = |it: &Call| (it.path.clone(), (it.description)(&it.declaration, it.api));
        documented.map(described).collect()
    }
}

/// A handler behind a trait object, so that the code around some three hundred handlers is compiled
/// once and not for each of them.
#[derive(Clone)]
struct AnyHandler(Arc<dyn Fn(Request, Services) -> ResponseFuture + Send + Sync>);

/// The future that a handler returns.
type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

impl Handler<(), Services> for AnyHandler {
    type Future = ResponseFuture;

    fn call(self, request: Request, services: Services) -> ResponseFuture {
        (self.0)(request, services)
    }
}
