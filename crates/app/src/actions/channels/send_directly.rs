//! Sends an app's own request to the provider of its channel, immediately and once (D-0155).

use std::time::Duration;

use bytes::Bytes;
use confab_delivery::channels::calling::{self, StepAnswer};
use confab_domain::channels::channel_message::MessageState;
use confab_domain::channels::direct_send::DirectSend;
use confab_domain::channels::reporting::RecordDirectSend;
use confab_domain::decision::principal::Principal;
use confab_domain::limits;
use confab_providers::{self as providers, Step, Verdict};
use confab_runtime::failures::chain;
use confab_runtime::{clock, ids};
use serde_json::json;

use crate::channels::linked::LinkedChannel;
use crate::decide::Decisions;
use crate::services::Services;

/// The result of a direct send.
pub enum DirectAnswer {
    /// The provider accepted the message. Contains the provider's answer.
    Taken(Bytes),
    /// The provider rejected the message, or failed.
    Refused { status: u16, body: Bytes },
    /// The provider could not be reached, so nothing was sent.
    Unreachable,
    /// The request may have reached the provider, but it is unknown whether the message was
    /// accepted.
    Unknown,
}

/// Sends the request and records the accepted message, so that later statuses can refer to it.
pub async fn send_directly(
    services: &Services,
    by: &Principal,
    linked: &LinkedChannel,
    step: &Step,
) -> DirectAnswer {
    if linked.is_printed() {
        calling::print(linked, step);
        let body = json!({"messaging_product": "whatsapp", "contacts": [],
            "messages": [{"id": format!("printed:{}", ids::page_nonce())}]});
        return DirectAnswer::Taken(body.to_string().into());
    }
    let report = linked.call(step, Duration::from_millis(limits::DIRECT_SEND_MS)).await;
    let answer = StepAnswer::of(&report);
    let Some(status) = answer.status else {
        let class = report.outcome.err().map(|it| it.class);
        return match calling::may_have_arrived(class) {
            true => DirectAnswer::Unknown,
            false => DirectAnswer::Unreachable,
        };
    };
    match providers::verdict(linked.provider, status, &answer.body) {
        Verdict::Sent { ids, .. } => {
            record(services.decisions(), by, linked, ids).await;
            DirectAnswer::Taken(answer.body)
        }
        Verdict::Uncertain => DirectAnswer::Unknown,
        Verdict::BadToken { health, why, .. } => {
            let now = services.store().service_account(linked.channel.id).await;
            // Ignore the refusal of a token that was replaced in the meantime.
            if now.is_ok_and(|now| now.secrets == linked.account.secrets) {
                linked.note(services.decisions(), health, &linked.masked(&why)).await;
            }
            DirectAnswer::Refused { status, body: answer.body }
        }
        _ => DirectAnswer::Refused { status, body: answer.body },
    }
}

/// Records the sent messages. An error is only logged: if the call failed, the app would send the
/// messages again.
async fn record(decisions: &Decisions, by: &Principal, linked: &LinkedChannel, ids: Vec<String>) {
    let channel = linked.channel.id;
    for external_id in ids {
        let (state, code, reason, at) = (MessageState::Sent, None, None, clock::now());
        let sent = DirectSend { channel, external_id, state, code, reason, at };
        if let Err(error) = decisions.decide(by, RecordDirectSend(sent)).await {
            tracing::warn!(
                channel.id = channel.0,
                error = %chain(&error),
                "failed to record a message that the app sent through a provider's API"
            );
        }
    }
}
