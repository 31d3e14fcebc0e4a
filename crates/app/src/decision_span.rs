//! The trace span of a decision, from its request until its commit, with the deliveries that it
//! created (D-0167).

use confab_domain::app::App;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_runtime::origin;
use confab_runtime::traces::{Span, SpanKind, TraceContext, Tracer};
use confab_store::{Store, WriteError};

/// Starts the span if the current trace is recorded.
pub(crate) fn begin(
    tracer: Option<&Tracer>,
    store: &Store,
    app: &App,
    rule: &'static str,
) -> Option<Span> {
    let mut span = tracer?.part_of(origin::trace()?, SpanKind::Internal);
    span.name(format!("decide {}", short_name(rule)));
    span.set("confab.app.id", app.code.as_str());
    let engine = match store {
        Store::Sqlite(_) => "sqlite",
        Store::Postgres(_) => "postgresql",
    };
    span.set("db.system.name", engine);
    Some(span)
}

/// Ends the span with the result: committed, refused or failed. The reason for a refusal is not
/// recorded.
pub(crate) fn end(mut span: Span, problem: Option<&WriteError>) {
    match problem {
        None => span.set("confab.decision", "committed"),
        Some(WriteError::Refused(_)) => span.set("confab.decision", "refused"),
        Some(WriteError::Failed(_)) => span.fail("store"),
    }
    span.end();
}

/// Returns the type name of a rule without module paths.
fn short_name(name: &'static str) -> &'static str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The span in which deliveries are created, and the tracer that records this.
pub(crate) type Cause = (TraceContext, Tracer);

/// Records which deliveries a decision created, so that their attempts become part of its trace.
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

    use super::*;

    struct Post;

    #[test]
    fn the_name_of_a_rule_omits_its_modules() {
        assert_eq!(short_name(type_name::<Post>()), "Post");
    }
}
