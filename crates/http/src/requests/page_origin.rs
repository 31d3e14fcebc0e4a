//! The origin of the page that shows the widget.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use confab_app::services::Services;
use confab_domain::support::settings::Settings;

use crate::responses::problem::Problem;

/// Origin of the page from which the browser sent the request; `None` if no browser sent it.
pub(crate) struct PageOrigin(Option<String>);

impl PageOrigin {
    /// Fails if the app's settings do not allow the page to show the widget. This server's own
    /// pages may always show it.
    pub(crate) fn check(&self, services: &Services, settings: &Settings) -> Result<(), Problem> {
        let Some(origin) = &self.0 else { return Ok(()) };
        if *origin == services.config().public_url || settings.is_widget_open_to(origin) {
            return Ok(());
        }
        let message = "This site may not show the chat. An admin can allow it.";
        Err(Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", message))
    }
}

impl FromRequestParts<Services> for PageOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Infallible> {
        let origin = parts.headers.get(header::ORIGIN);
        Ok(Self(origin.map(|it| it.to_str().unwrap_or_default().to_owned())))
    }
}
