//! APNs attempts: the push request and the judged answer (design/webhooks).

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use confab_domain::decision::change::{Change, UserChange};
use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::push::pushing::recipient;
use confab_domain::webhooks::delivery::{Attempt, Delivery, ErrorClass};
use confab_domain::webhooks::retry_schedule::Outcome;
use confab_outbound::{BadHeader, OutboundClient, OutboundRequest};
use confab_runtime::apns::{Apns, TokenRefused};
use confab_store::Store;
use confab_wire::push::Envelope;
use serde::Deserialize;

use super::webhook::{attempt_record, never_sent};
use super::{AttemptInput, AttemptResult, Carrier};
use crate::persistence::until_answered;

/// The APNs client, and the connected users.
pub struct PushContext {
    pub apns: Apns,
    pub connected: Box<dyn ConnectedUsers>,
}

/// Knows who has an open connection, by which messages arrive without a push.
pub trait ConnectedUsers: Send + Sync {
    fn is_connected(&self, user: UserKey) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// Pushes deliveries to phones.
pub(crate) struct ApnsCarrier<'a> {
    pub(crate) store: &'a Store,
    pub(crate) client: &'a OutboundClient,
    pub(crate) pushing: &'a PushContext,
}

impl Carrier for ApnsCarrier<'_> {
    type Loaded = ();

    async fn load(&self, input: &AttemptInput<'_>) -> ControlFlow<AttemptResult> {
        let skip = |class, why| ControlFlow::Break(input.unsent(class, why));
        if input.is_expired {
            return skip(ErrorClass::Expired, "The push is too old to be shown.");
        }
        let Some(user) = recipient(input.delivery) else { return ControlFlow::Continue(()) };
        if self.pushing.connected.is_connected(user).await {
            return skip(ErrorClass::Superseded, "The user is connected.");
        }
        match self.is_blocked(user, input.delivery).await {
            true => skip(ErrorClass::Superseded, "The user blocked the sender."),
            false => ControlFlow::Continue(()),
        }
    }

    async fn carry(&self, input: &AttemptInput<'_>, (): ()) -> AttemptResult {
        self.pushing.send(self.client, input).await
    }
}

impl ApnsCarrier<'_> {
    /// Whether the recipient has blocked the message's sender, possibly after the push was created.
    async fn is_blocked(&self, user: UserKey, push: &Delivery) -> bool {
        let sender = Envelope::open(&push.body).and_then(|envelope| envelope.sender);
        let Some(sender) = sender.map(UserKey) else { return false };
        let read = || self.store.has_blocked(user, sender);
        until_answered("read blocked users", read).await
    }
}

/// Meaning of an error response of APNs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The HTTP status alone determines whether the push is retried.
    ByStatus,
    /// The device is no longer registered for pushes of the app.
    Gone,
    /// APNs rejected this server's authentication token.
    BadToken(TokenRefused),
    /// APNs would reject every retry of this push, too.
    Refused,
}

/// The body of an APNs error answer.
#[derive(Default, Deserialize)]
struct ApnsRefusal {
    #[serde(default)]
    reason: String,
}

impl PushContext {
    /// Sends the push and judges the answer.
    async fn send(&self, client: &OutboundClient, input: &AttemptInput<'_>) -> AttemptResult {
        let AttemptInput { delivery, number, sent_at, .. } = *input;
        let refused = |why: &str| input.unsent(ErrorClass::Refused, why);
        let Some(envelope) = Envelope::open(&delivery.body) else {
            return refused("The body is not a valid push.");
        };
        if !is_token(&envelope.device_token) {
            let changes = gone(delivery, &envelope);
            return AttemptResult { changes, ..refused("The device token is not an APNs token.") };
        }
        let token = match self.apns.token(sent_at) {
            Ok(token) => token,
            Err(error) => return refused(&format!("Failed to sign the APNs token: {error}")),
        };
        let attempted = match self.request(input, &envelope, &token) {
            Ok(request) => client.post_http2(request).await,
            Err(bad) => never_sent(&bad),
        };
        let (outcome, attempt) = attempt_record(number, sent_at, self.apns.url(), attempted);
        self.judged(outcome, attempt, delivery, &envelope, &token)
    }

    fn request(
        &self,
        input: &AttemptInput<'_>,
        envelope: &Envelope<'_>,
        token: &Arc<str>,
    ) -> Result<OutboundRequest, BadHeader> {
        let host = self.apns.host(envelope.is_development);
        let url = format!("{host}/3/device/{}", envelope.device_token);
        let body = Bytes::copy_from_slice(envelope.notification.get().as_bytes());
        let expires_s = input.since.unix_seconds() + limits::PUSH_AGE_MAX_S as i64;
        // APNs requires that a push without an alert has the type `background` and low priority.
        let (kind, priority) = match envelope.is_silent() {
            true => ("background", "5"),
            false => ("alert", "10"),
        };
        OutboundRequest::new(url, body, input.timeout())
            .header("authorization", &format!("bearer {token}"))?
            .header("apns-topic", self.apns.topic())?
            .header("apns-push-type", kind)?
            .header("apns-priority", priority)?
            .header("apns-id", &apns_id(input.delivery))?
            .header("apns-expiration", &expires_s.to_string())
    }

    fn judged(
        &self,
        outcome: Outcome,
        mut attempt: Attempt,
        delivery: &Delivery,
        envelope: &Envelope<'_>,
        token: &Arc<str>,
    ) -> AttemptResult {
        let Some(status) = attempt.status.filter(|_| outcome != Outcome::Delivered) else {
            return AttemptResult::of(outcome, attempt, Vec::new());
        };
        let reason = reason(&attempt.answer);
        let verdict = verdict(status, &reason);
        if let Verdict::BadToken(why) = verdict {
            self.apns.refused(token, why);
        }
        if verdict != Verdict::ByStatus {
            tracing::warn!(delivery.id = delivery.id.0, status, reason, "APNs rejected a push");
        }
        let changes = match verdict {
            Verdict::Gone => gone(delivery, envelope),
            _ => Vec::new(),
        };
        if matches!(verdict, Verdict::Gone | Verdict::Refused) {
            let class = ErrorClass::Refused;
            attempt.error = Some(class);
            let outcome = Outcome::Failed { class, retry_after_s: None };
            return AttemptResult::of(outcome, attempt, changes);
        }
        AttemptResult::of(outcome, attempt, changes)
    }
}

fn gone(delivery: &Delivery, envelope: &Envelope<'_>) -> Vec<Change> {
    let token = envelope.device_token.clone().into_owned();
    let user = recipient(delivery);
    user.map(|user| UserChange::RemoveDevice { user, token }.into()).into_iter().collect()
}

/// Whether the device token is safe as a part of a URL: ASCII letters and digits only.
fn is_token(token: &str) -> bool {
    (1..=512).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the `apns-id` of a push. It is the same in each attempt, so that a phone shows the push
/// once.
fn apns_id(delivery: &Delivery) -> String {
    let (id, app) = (delivery.id.0 as u64, delivery.app.0 as u64);
    let (high, middle) = (id >> 32, (id >> 16) & 0xffff);
    let (low, last) = ((id >> 4) & 0xfff, id & 0xf);
    format!("{high:08x}-{middle:04x}-8{low:03x}-8{last:03x}-{:012x}", app & 0xffff_ffff_ffff)
}

/// Returns the reason from an APNs answer, reduced to letters and digits so that it is safe to log.
fn reason(answer: &str) -> String {
    let refusal: ApnsRefusal = serde_json::from_str(answer).unwrap_or_default();
    refusal.reason.chars().filter(char::is_ascii_alphanumeric).take(64).collect()
}

fn verdict(status: u16, reason: &str) -> Verdict {
    match (status, reason) {
        (410, _) | (400, "BadDeviceToken" | "DeviceTokenNotForTopic") => Verdict::Gone,
        (403, "ExpiredProviderToken") => Verdict::BadToken(TokenRefused::Expired),
        (403, "InvalidProviderToken") => Verdict::BadToken(TokenRefused::Invalid),
        (429 | 500..=599, _) => Verdict::ByStatus,
        _ => Verdict::Refused,
    }
}

#[cfg(test)]
mod tests {
    use confab_domain::ids::{AppId, DeliveryId, EndpointId};
    use confab_domain::time::Timestamp;
    use confab_domain::webhooks::delivery::Lane;
    use confab_domain::webhooks::event_kind::EventKind;

    use super::*;

    fn delivery(id: i64) -> Delivery {
        Delivery {
            id: DeliveryId(id),
            app: AppId(7),
            endpoint: EndpointId(7),
            kind: EventKind::Push,
            lane: Lane(3),
            sequence: 1,
            created_at: Timestamp(0),
            depth: 1,
            body: "{}".into(),
        }
    }

    #[test]
    fn deliveries_have_distinct_apns_ids() {
        let id = |id: i64| apns_id(&delivery(id));
        assert_eq!(id(0x1234_5678_9abc_def1), "12345678-9abc-8def-8001-000000000007");
        assert_ne!(id(1), id(2));
        assert_ne!(id(1), id(1 << 32));
    }

    #[test]
    fn answers_map_to_verdicts() {
        let gone = [(410, "Unregistered"), (410, ""), (400, "BadDeviceToken")];
        for (status, reason) in gone.into_iter().chain([(400, "DeviceTokenNotForTopic")]) {
            assert_eq!(verdict(status, reason), Verdict::Gone, "{status} {reason}");
        }
        let again = [(429, "TooManyRequests"), (500, "InternalServerError"), (503, "Shutdown")];
        for (status, reason) in again {
            assert_eq!(verdict(status, reason), Verdict::ByStatus, "{status} {reason}");
        }
        let never = [(400, "BadTopic"), (403, "Forbidden"), (413, "PayloadTooLarge"), (302, "")];
        for (status, reason) in never {
            assert_eq!(verdict(status, reason), Verdict::Refused, "{status} {reason}");
        }
    }

    #[test]
    fn a_logged_reason_has_letters_and_digits_only() {
        assert_eq!(reason(r#"{"reason":"BadTopic"}"#), "BadTopic");
        assert_eq!(reason("{\"reason\":\"Bad\\nTopic\"}"), "BadTopic");
        for odd in ["", "null", "[]", r#"{"reason":1}"#, "<html>"] {
            assert_eq!(reason(odd), "");
        }
    }

    #[test]
    fn a_token_that_could_change_the_url_is_rejected() {
        assert!(is_token("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"));
        for odd in ["", "../x", "a/b", "a?b", "a b", "ü", &"a".repeat(513)] {
            assert!(!is_token(odd), "{odd}");
        }
    }
}
