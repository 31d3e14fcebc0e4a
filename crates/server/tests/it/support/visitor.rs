//! Widget calls that a visitor's browser makes before it has a token.

use reqwest::Method;
use serde_json::{Value, json};

use super::answer::{Answer, text};
use super::caller::{Caller, sent, with_json};

impl Caller {
    /// Requests a nonce, which opens the widget once.
    pub async fn ask_for_nonce(&self) -> Answer {
        let request = self.bare(Method::POST, "/api/v2/sdk/auth/nonce");
        sent(request.header("SERVICE-SDK-APP-ID", &self.code)).await
    }

    pub async fn nonce(&self) -> String {
        text(&self.ask_for_nonce().await.results()["nonce"]).to_owned()
    }

    /// Opens the widget.
    pub async fn initiate_chat(&self, body: &Value) -> Answer {
        sent(with_json(self.bare(Method::POST, "/api/v2/service/initiate_chat"), body)).await
    }

    /// Exchanges an identity token for the user's access token.
    pub async fn verify_identity(&self, token: &str) -> Answer {
        let path = "/api/v2/sdk/auth/verify_identity_token";
        let request = self.bare(Method::POST, path).header("SERVICE-SDK-APP-ID", &self.code);
        sent(with_json(request, &json!({"identity_token": token}))).await
    }
}
