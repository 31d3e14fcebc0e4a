//! Tries an endpoint: one attempt with an example, that is stored nowhere and not repeated.

use std::sync::Arc;
use std::time::Duration;

use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::limits;
use confab_domain::webhooks::delivery::Attempt;
use confab_domain::webhooks::fan_out::{self, Place};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_domain::webhooks::subscribing;
use confab_store::WriteError;
use confab_wire::webhooks;

use super::example;
use crate::delivery::carriers::webhook::{Keys, Letter, send};
use crate::services::Services;

/// What became of the attempt. The endpoint may be paused or switched off.
pub(crate) async fn try_endpoint(
    services: &Services,
    app: &Arc<App>,
    kind: NoticeKind,
    depth_before: u32,
) -> Result<Attempt, WriteError> {
    let place = Place { app: app.id, lane: example::lane(app, kind, None), depth_before };
    let its_app = app.clone();
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        let endpoint = subscribing::registered(facts, kind)?;
        let notice = example::notice(&its_app, kind, None, stamp)?;
        let told = fan_out::tell(facts, stamp, place, &[notice], webhooks::body)?;
        Ok(Decision::nothing((endpoint, told.heard)))
    };
    let question = subscribing::question(app, kind);
    let (endpoint, heard) = services.store().decide(app.id, question, rule).await?;
    let delivery = heard.first().expect("one notice is heard once");
    let timeout_ms = endpoint.policy.timeout_ms.min(limits::ENDPOINT_TRY_MAX_MS);
    let letter = Letter {
        delivery,
        number: 1,
        url: &endpoint.url,
        timeout: Duration::from_millis(timeout_ms.into()),
        keys: Keys { current: &app.secret_key, other: None },
        brands: &services.config().brands,
        sent_at: delivery.created_at,
        is_after_gap: false,
    };
    Ok(send(&services.outbound(), letter).await.1)
}
