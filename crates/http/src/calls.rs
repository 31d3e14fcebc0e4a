//! Calls: routes with their documentation. Builds without the `document` feature contain only the
//! routes (design/operations).

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};
use utoipa::openapi::HttpMethod;

#[cfg(feature = "document")]
use super::description::Description;
use confab_app::services::Services;

/// The handlers of one path with their documentation, as collected by [`routes!`].
pub(super) struct Call {
    pub(super) path: String,
    pub(super) handlers: MethodRouter<Services>,
    #[cfg(feature = "document")]
    pub(super) description: fn() -> Vec<Description>,
}

/// Collects the handlers of one path into a [`Call`]. Path and methods are those of each handler's
/// `utoipa::path` attribute.
macro_rules! routes {
    ($($($name:ident)::+),+) => {{
        use utoipa::Path as _;
        let handlers = axum::routing::MethodRouter::new();
        let path = String::new();
        $(
            let methods = routes!(@told [] $($name)::+ . methods());
            let handlers = $crate::calls::on(handlers, &methods, $($name)::+);
            let path = path.max(routes!(@told [] $($name)::+ . path()));
        )+
        $crate::calls::Call {
            path,
            handlers,
            #[cfg(feature = "document")]
            description: || {
                use utoipa::__dev::{SchemaReferences as _, Tags as _};
                vec![$({
                    let mut schemas = Vec::new();
                    routes!(@told [] $($name)::+ . schemas(&mut schemas));
                    $crate::description::Description {
                        path: routes!(@told [] $($name)::+ . path()),
                        methods: routes!(@told [] $($name)::+ . methods()),
                        operation: routes!(@told [] $($name)::+ . operation()),
                        tags: routes!(@told [] $($name)::+ . tags()),
                        schemas,
                    }
                }),+]
            },
        }
    }};
    // `utoipa::path` generates the description of a handler as a type whose name is made of the
    // handler's.
    (@told [$($module:tt)*] $name:ident . $what:ident $given:tt) => {
        pastey::paste! { $($module)* [<__path_ $name>]::$what $given }
    };
    (@told [$($module:tt)*] $next:ident :: $($rest:tt)+) => {
        routes!(@told [$($module)* $next ::] $($rest)+)
    };
}
pub(super) use routes;

/// Routes a handler's methods to it.
pub(super) fn on<H, T>(
    handlers: MethodRouter<Services>,
    methods: &[HttpMethod],
    handler: H,
) -> MethodRouter<Services>
where
    H: Handler<T, Services, Future = ResponseFuture> + Sync,
    T: 'static,
{
    on_any(handlers, methods, AnyHandler(Arc::new(move |it, of| handler.clone().call(it, of))))
}

fn on_any(
    handlers: MethodRouter<Services>,
    methods: &[HttpMethod],
    handler: AnyHandler,
) -> MethodRouter<Services> {
    methods.iter().fold(handlers, |it, method| it.on(filter_of(method), handler.clone()))
}

fn filter_of(method: &HttpMethod) -> MethodFilter {
    match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
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

/// A set of routes with their documentation.
pub(super) struct Calls {
    router: Router<Services>,
    #[cfg(feature = "document")]
    described: Vec<CallDescription>,
}

/// Documentation of a call, with the base path below which the call was nested.
#[cfg(feature = "document")]
#[derive(Clone)]
pub(super) struct CallDescription {
    base: String,
    description: fn() -> Vec<Description>,
}

impl Calls {
    pub(super) fn new() -> Self {
        Self {
            router: Router::new(),
            #[cfg(feature = "document")]
            described: Vec::new(),
        }
    }

    pub(super) fn routes(self, call: Call) -> Self {
        let added = self.route(&call.path, call.handlers);
        #[cfg(feature = "document")]
        let added = added
            .described_by(CallDescription { base: String::new(), description: call.description });
        added
    }

    /// Adds a route without documentation.
    pub(super) fn route(mut self, path: &str, handlers: MethodRouter<Services>) -> Self {
        self.router = self.router.route(path, handlers);
        self
    }

    /// Adds calls whose paths continue a base path.
    pub(super) fn nest(self, base: &str, calls: Self) -> Self {
        Self {
            router: self.router.nest(base, calls.router),
            #[cfg(feature = "document")]
            described: both(self.described, calls.described.into_iter().map(|it| it.below(base))),
        }
    }

    pub(super) fn merge(self, calls: Self) -> Self {
        Self {
            router: self.router.merge(calls.router),
            #[cfg(feature = "document")]
            described: both(self.described, calls.described),
        }
    }

    /// Applies a function to the router, such as one that adds a layer.
    pub(super) fn map(mut self, around: impl FnOnce(Router<Services>) -> Router<Services>) -> Self {
        self.router = around(self.router);
        self
    }

    /// Drops the documentation, because the calls are documented under another path.
    pub(super) fn undocumented(self) -> Self {
        Self {
            #[cfg(feature = "document")]
            described: Vec::new(),
            ..self
        }
    }

    pub(super) fn into_router(self) -> Router<Services> {
        self.router
    }
}

#[cfg(feature = "document")]
impl Calls {
    fn described_by(mut self, described: CallDescription) -> Self {
        self.described.push(described);
        self
    }

    /// Returns the documentation of these calls, each with its full path.
    pub(super) fn descriptions(&self) -> Vec<Description> {
        let whole = |it: &CallDescription| {
            let base = it.base.clone();
            (it.description)().into_iter().map(move |one| one.below(&base))
        };
        self.described.iter().flat_map(whole).collect()
    }
}

#[cfg(feature = "document")]
impl CallDescription {
    fn below(self, base: &str) -> Self {
        Self { base: format!("{base}{}", self.base), ..self }
    }
}

#[cfg(feature = "document")]
fn both(
    one: Vec<CallDescription>,
    other: impl IntoIterator<Item = CallDescription>,
) -> Vec<CallDescription> {
    one.into_iter().chain(other).collect()
}
