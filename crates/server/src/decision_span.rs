//! The span of a decision, for traces: from the moment that a request asks for it until it is on
//! disk, and which deliveries it led to (D-0168).

use confab_domain::app::App;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_store::{Store, WriteError};

use crate::origin;
use crate::services::Services;
use crate::traces::{Span, SpanKind, TraceContext, Tracer};

/// Begins it, if what runs is a part of a trace that is recorded.
pub(crate) fn begin(services: &Services, app: &App, rule: &'static str) -> Option<Span> {
    let mut span = services.tracer()?.part_of(origin::trace()?, SpanKind::Internal);
    span.name(format!("decide {}", inmost_name(rule)));
    span.set("confab.app.id", app.code.as_str());
    let engine = match services.store() {
        Store::Sqlite(_) => "sqlite",
        Store::Postgres(_) => "postgresql",
    };
    span.set("db.system.name", engine);
    Some(span)
}

/// Ends it with what became of the decision. Why a rule refuses is told to the caller only.
pub(crate) fn end(mut span: Span, problem: Option<&WriteError>) {
    match problem {
        None => span.set("confab.decision", "committed"),
        Some(WriteError::Refused(_)) => span.set("confab.decision", "refused"),
        Some(WriteError::Failed(_)) => span.fail("store"),
    }
    span.end();
}

/// The name of a rule's type, without those of what is around it.
fn inmost_name(name: &'static str) -> &'static str {
    let inmost = name.rsplit('<').next().unwrap_or(name);
    inmost.rsplit("::").next().unwrap_or(inmost).trim_end_matches('>')
}

/// What deliveries come from, and who remembers it.
pub(crate) type Cause = (TraceContext, Tracer);

/// Remembers which deliveries a decision led to, as parts of its trace.
pub(crate) fn remember(cause: Option<&Cause>, changes: &[Change]) {
    let Some((trace, tracer)) = cause else { return };
    for change in changes {
        if let Change::Webhook(WebhookChange::InsertDelivery(delivery)) = change {
            tracer.remember(delivery.id, *trace);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::any::type_name;

    use confab_domain::decision::rule::OnRight;

    use super::*;

    struct Post;

    #[test]
    fn a_rule_is_called_as_it_is_whatever_is_around_it() {
        assert_eq!(inmost_name(type_name::<Post>()), "Post");
        assert_eq!(inmost_name(type_name::<OnRight<Post>>()), "Post");
    }
}
