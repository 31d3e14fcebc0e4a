//! Calls with what documents them. A server needs the routes at once; what documents them is made
//! when somebody asks for the document, because that takes many times as much.

use axum::Router;
use axum::handler::Handler;
use axum::routing::MethodRouter;
use utoipa::openapi::{HttpMethod, OpenApi};
use utoipa_axum::PathItemExt;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::services::Services;

/// Handlers of one path, as [`routes!`] finds them.
pub(super) struct Call {
    pub(super) path: String,
    pub(super) handlers: MethodRouter<Services>,
    pub(super) describe: fn() -> UtoipaMethodRouter<Services>,
}

/// Handlers of one path, each with the path and the method that it names itself.
macro_rules! routes {
    ($($($name:ident)::+),+) => {{
        use utoipa::Path as _;
        let handlers = axum::routing::MethodRouter::new();
        let path = String::new();
        $(
            let methods = routes!(@told [] $($name)::+ . methods);
            let handlers = $crate::http::calls::on(handlers, &methods, $($name)::+);
            let path = path.max(routes!(@told [] $($name)::+ . path));
        )+
        let describe = || utoipa_axum::routes!($($($name)::+),+);
        $crate::http::calls::Call { path, handlers, describe }
    }};
    // What a handler tells of itself stands beside it, under a name that is made of its own.
    (@told [$($module:tt)*] $name:ident . $what:ident) => {
        utoipa_axum::paste! { $($module)* [<__path_ $name>]::$what() }
    };
    (@told [$($module:tt)*] $next:ident :: $($rest:tt)+) => {
        routes!(@told [$($module)* $next ::] $($rest)+)
    };
}
pub(super) use routes;

/// Adds a handler for its methods.
pub(super) fn on<H, T>(
    handlers: MethodRouter<Services>,
    methods: &[HttpMethod],
    handler: H,
) -> MethodRouter<Services>
where
    H: Handler<T, Services>,
    T: 'static,
{
    methods.iter().fold(handlers, |it, method| it.on(method.to_method_filter(), handler.clone()))
}

/// Some calls: their routes, and what will document them.
pub(super) struct Calls {
    router: Router<Services>,
    described: Vec<Described>,
}

/// What documents the call of a path below a base.
struct Described {
    base: String,
    describe: fn() -> UtoipaMethodRouter<Services>,
}

impl Calls {
    pub(super) fn new() -> Self {
        Self { router: Router::new(), described: Vec::new() }
    }

    pub(super) fn routes(mut self, Call { path, handlers, describe }: Call) -> Self {
        self.described.push(Described { base: String::new(), describe });
        self.route(&path, handlers)
    }

    /// Adds what the document says nothing of.
    pub(super) fn route(self, path: &str, handlers: MethodRouter<Services>) -> Self {
        Self { router: self.router.route(path, handlers), ..self }
    }

    /// Adds calls below a base.
    pub(super) fn nest(self, base: &str, calls: Self) -> Self {
        let below = |it: Described| Described { base: format!("{base}{}", it.base), ..it };
        let described = calls.described.into_iter().map(below);
        let described = self.described.into_iter().chain(described).collect();
        Self { router: self.router.nest(base, calls.router), described }
    }

    pub(super) fn merge(self, calls: Self) -> Self {
        let described = self.described.into_iter().chain(calls.described).collect();
        Self { router: self.router.merge(calls.router), described }
    }

    /// Puts something around the routes.
    pub(super) fn map(self, around: impl FnOnce(Router<Services>) -> Router<Services>) -> Self {
        Self { router: around(self.router), ..self }
    }

    /// The same calls, of which the document says nothing: it has them under another path.
    pub(super) fn undocumented(self) -> Self {
        Self { described: Vec::new(), ..self }
    }

    pub(super) fn into_router(self) -> Router<Services> {
        self.router
    }

    /// The document of these calls alone.
    pub(super) fn document(&self) -> OpenApi {
        let mut document = OpenApiRouter::<Services>::new().into_openapi();
        for Described { base, describe } in &self.described {
            let call = OpenApiRouter::new().routes(describe());
            let call = match base.as_str() {
                "" => call,
                base => OpenApiRouter::new().nest(base, call),
            };
            add(&mut document, call.into_openapi());
        }
        document
    }
}

/// Adds a document to another. What one of them calls by a name the other must not call something
/// else: readers would be shown one of them for both.
pub(super) fn add(document: &mut OpenApi, other: OpenApi) {
    let schemas = |it: &OpenApi| it.components.clone().unwrap_or_default().schemas;
    if cfg!(debug_assertions) {
        let (known, added) = (schemas(document), schemas(&other));
        let is_clash =
            |(name, schema): &(&String, &_)| known.get(*name).is_some_and(|it| it != *schema);
        let clash = added.iter().find(is_clash).map(|(name, _)| name);
        assert_eq!(clash, None, "two schemas have this name");
    }
    document.merge(other);
}
