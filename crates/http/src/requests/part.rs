//! The part of the server that a handler needs, if it does not need all.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_store::Store;

/// One part of the server: the first argument of a handler.
pub(crate) struct Part<T>(pub(crate) T);

/// The types of a handler's first argument.
pub(crate) trait ServerPart {}

impl ServerPart for State<Services> {}
impl ServerPart for Part<Store> {}
impl ServerPart for Part<Decisions> {}

impl FromRequestParts<Services> for Part<Store> {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, services: &Services) -> Result<Self, Infallible> {
        Ok(Self(services.store().clone()))
    }
}

impl FromRequestParts<Services> for Part<Decisions> {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, services: &Services) -> Result<Self, Infallible> {
        Ok(Self(services.decisions().clone()))
    }
}
