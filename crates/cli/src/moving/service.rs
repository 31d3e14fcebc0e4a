//! A client for the message API of another running server, from which an app is imported
//! (design/moving).

use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use hyper::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Method, StatusCode};
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::api_client::{ApiResponse, Call, NoResponse, exchange};

const CALL_LIMIT: Duration = Duration::from_secs(60);
const PAUSE_FIRST: Duration = Duration::from_millis(500);
/// Maximum pause between attempts, even if the other server requests a longer one.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Maximum number of characters of an error response that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// One app of another server. No `Debug`: it has a secret.
pub(super) struct Service {
    base: String,
    credentials: HeaderMap,
}

impl Service {
    pub(super) fn new(
        base: Url,
        brand: &str,
        app_id: &str,
        secret: &str,
    ) -> Result<Self, CommandError> {
        let mut credentials = HeaderMap::new();
        for (name, value) in [("SDK-APP-ID", app_id), ("SDK-SECRET", secret)] {
            let name = HeaderName::try_from(format!("{brand}-{name}"))
                .map_err(|_| "--brand contains a character that is not allowed in a header name")?;
            // Omit the value from the message: it may be the secret.
            let mut value = HeaderValue::from_str(value).map_err(
                |_| "--app-id or the secret contains a character that is not allowed in a header",
            )?;
            value.set_sensitive(true);
            credentials.insert(name, value);
        }
        let base = base.as_str().trim_end_matches('/');
        Ok(Self { base: format!("{base}/api/v2.1/rest"), credentials })
    }

    /// Calls the API and returns the response body. Waits and retries if the server limits the rate
    /// (429), and retries failures that may be temporary.
    pub(super) async fn get(
        &self,
        call: &str,
        query: &[(&str, &str)],
    ) -> Result<Bytes, CommandError> {
        let mut url = Url::parse(&format!("{}/{call}", self.base))?;
        url.query_pairs_mut().extend_pairs(query);
        let (mut pause, mut tries) = (PAUSE_FIRST, 0);
        loop {
            let (wait, why) = match self.asked(&url).await {
                Ok(answer) if answer.status == StatusCode::OK => return Ok(answer.body),
                Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                    // The server is working and names the pause, so this does not count as a
                    // failure.
                    (asked_pause(&answer).unwrap_or(pause), None)
                }
                Ok(answer) if answer.status.is_server_error() => {
                    let wait = asked_pause(&answer).unwrap_or(pause);
                    (wait, Some(format!("the server responded with {}", answer.status)))
                }
                Ok(answer) => {
                    let said = String::from_utf8_lossy(&answer.body);
                    let said: String = inert_line(&said).chars().take(SHOWN_CHARS_MAX).collect();
                    return Err(format!("{call} was refused ({}): {said}", answer.status).into());
                }
                Err(why) => (pause, Some(why.to_string())),
            };
            if let Some(why) = why {
                tries += 1;
                if tries >= limits::FETCH_TRIES_MAX {
                    return Err(format!("{call} failed {tries} times: {why}").into());
                }
                pause = (pause * 2).min(PAUSE_MAX);
            }
            sleep_until(Instant::now() + wait.min(PAUSE_MAX)).await;
        }
    }

    async fn asked(&self, url: &Url) -> Result<ApiResponse, NoResponse> {
        let (method, headers) = (Method::GET, self.credentials.clone());
        let (url, body) = (url.clone(), Bytes::new());
        exchange(Call { method, url, headers, body, limit: CALL_LIMIT }).await
    }
}

/// Returns the pause that the `Retry-After` header requests.
fn asked_pause(answer: &ApiResponse) -> Option<Duration> {
    let seconds = answer.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).max(PAUSE_FIRST))
}
