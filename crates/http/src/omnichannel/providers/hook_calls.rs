//! Webhook requests of messaging providers: authentication and answers.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::IntoResponse;
use confab_app::services::Services;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_providers::{self as providers, Credentials, Head, Proof, Provider};
use confab_runtime::admission::peer::Peer;

use crate::responses::answer::{Reply, Text};
use crate::responses::problem::Problem;

/// A webhook request of a provider, with its whole body.
pub(crate) struct HookCall {
    pub(crate) peer: Peer,
    pub(crate) parts: Parts,
    pub(crate) raw: Bytes,
}

impl HookCall {
    /// Whether the request only verifies the webhook's URL, so that it contains no events.
    pub(crate) fn is_handshake(&self) -> bool {
        self.parts.method == Method::GET
    }

    fn prove(&self, provider: Provider, credentials: &Credentials) -> Option<Proof> {
        let headers = texts(&self.parts.headers);
        let query = self.parts.uri.query().unwrap_or_default();
        let head = Head { method: self.parts.method.as_str(), query, headers: &headers };
        let proof = providers::prove(provider, credentials, &head, &self.raw);
        (proof != Proof::Forged).then_some(proof)
    }

    /// Returns the position of the first credentials that prove that the request comes from the
    /// provider, with the proof. Fails if none do. Tries only as many credentials as
    /// `HOOK_HASHED_BYTES_MAX` allows.
    pub(crate) async fn proven(
        self: &Arc<Self>,
        services: &Services,
        provider: Provider,
        mut credentials: Vec<Credentials>,
    ) -> Result<(usize, Proof), Problem> {
        let most = limits::HOOK_HASHED_BYTES_MAX / self.raw.len().max(1);
        credentials.truncate(most.max(1));
        let (call, bytes) = (self.clone(), self.raw.len() * credentials.len());
        let first = move || {
            let mut each = credentials.iter().enumerate();
            each.find_map(|(place, it)| Some((place, call.prove(provider, it)?)))
        };
        let proven = services.admission().hook_proofs.run(self.peer, bytes, first).await?;
        proven.ok_or_else(forged)
    }
}

fn texts(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let text = headers.iter().map(|(name, value)| (name.as_str(), value.to_str()));
    text.filter_map(|(name, value)| Some((name, value.ok()?))).collect()
}

pub(crate) fn plain(text: String) -> Reply<Text> {
    ([(header::CONTENT_TYPE, "text/plain")], text).into_response().into()
}

/// Returns the body exactly as it was received, or nothing if it is not UTF-8.
pub(crate) fn as_it_came(raw: &[u8]) -> Vec<JsonText> {
    let text = std::str::from_utf8(raw).ok().map(str::to_owned);
    text.map(JsonText::from_checked).into_iter().collect()
}

fn forged() -> Problem {
    let message = "The request has no valid proof that it comes from the channel's provider.";
    Problem::new(StatusCode::FORBIDDEN, "forged", message)
}
