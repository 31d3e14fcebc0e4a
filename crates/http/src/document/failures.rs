//! The possible failures of a call, which follow from its request, its credentials and its rules.

use utoipa::openapi::path::Operation;

use crate::api::Api;

/// Whether a call of an API may answer with this error status. `refusals` are those of its rules.
pub(super) fn is_possible(api: &Api, call: &Operation, refusals: &[u16], status: &str) -> bool {
    let has_body = call.request_body.is_some();
    let has_fields = has_body || call.parameters.as_ref().is_some_and(|it| !it.is_empty());
    let has_proof = !api.proofs.is_empty();
    let has_user = api.proofs.iter().any(|proof| proof.contains(&"user_token"));
    let follows = match status {
        "400" => has_fields,
        "401" => has_proof,
        // A wrong token of a user gets this status (wire facts 7).
        "403" => has_user,
        "408" | "413" | "415" => has_body,
        // Authenticated callers are rate-limited, and concurrent bodies are bounded.
        "429" => has_proof || has_body,
        "503" | "504" => true,
        _ => false,
    };
    follows || refusals.iter().any(|it| it.to_string() == status)
}
