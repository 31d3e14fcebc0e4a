//! Support analytics (D-0140).
//!
//! - `GET /api/v2/analytics/summary`, `…/series`, `…/agents`, `…/channels`
//! - `GET /api/v2/analytics/export.csv`

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use confab_app::clock;
use confab_app::queries::analytics;
use confab_app::services::Services;
use confab_domain::support::settings::Settings;
use confab_wire::omnichannel_api::office::analytics::{
    AnalyticsAgents, AnalyticsChannels, AnalyticsFields, AnalyticsInput, AnalyticsSeries,
    AnalyticsSummaryBox, Table, summary as summed_up,
};
use confab_wire::omnichannel_api::office::analytics_csv::{points_csv, rows_csv};
use confab_wire::webhook_api::Data;

use crate::omnichannel::OFFICE;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/api/v2/analytics/summary",
    operation_id = "analytics_summary",
    tag = "Office",
    summary = "Get the statistics of a period",
    params(AnalyticsFields),
    responses((status = 200, description = "Done", body = Data<AnalyticsSummaryBox<'static>>)),
)]
pub(crate) async fn summary(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = wanted(&services, &caller, &query).await?;
    let (store, app) = (services.store(), caller.app.id);
    let counted = analytics::whole(store, app, &wanted).await?;
    let waiting_now = analytics::waiting_now(store, app, &wanted).await?;
    data(summed_up(&wanted, &counted, waiting_now))
}

#[utoipa::path(
    get,
    path = "/api/v2/analytics/series",
    operation_id = "analytics_series",
    tag = "Office",
    summary = "Get the statistics of each day or hour of a period",
    params(AnalyticsFields),
    responses((status = 200, description = "Done", body = Data<AnalyticsSeries>)),
)]
pub(crate) async fn series(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = wanted(&services, &caller, &query).await?;
    let (store, app) = (services.store(), caller.app.id);
    data(analytics::points(store, app, &wanted).await?)
}

#[utoipa::path(
    get,
    path = "/api/v2/analytics/agents",
    operation_id = "analytics_agents",
    tag = "Office",
    summary = "Get the statistics of each agent",
    params(AnalyticsFields),
    responses((status = 200, description = "Done", body = Data<AnalyticsAgents>)),
)]
pub(crate) async fn agents(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = wanted(&services, &caller, &query).await?;
    let (store, app) = (services.store(), caller.app.id);
    data(AnalyticsAgents { agents: analytics::agents(store, app, &wanted).await? })
}

#[utoipa::path(
    get,
    path = "/api/v2/analytics/channels",
    operation_id = "analytics_channels",
    tag = "Office",
    summary = "Get the statistics of each channel",
    params(AnalyticsFields),
    responses((status = 200, description = "Done", body = Data<AnalyticsChannels>)),
)]
pub(crate) async fn channels(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = wanted(&services, &caller, &query).await?;
    let (store, app) = (services.store(), caller.app.id);
    data(AnalyticsChannels { channels: analytics::channels(store, app, &wanted).await? })
}

#[utoipa::path(
    get,
    path = "/api/v2/analytics/export.csv",
    operation_id = "analytics_export",
    tag = "Office",
    summary = "Export statistics as CSV",
    params(AnalyticsFields),
    responses((status = 200, description = "Done", body = String, content_type = "text/csv")),
)]
pub(crate) async fn export(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    let wanted = wanted(&services, &caller, &query).await?;
    let (store, app) = (services.store(), caller.app.id);
    let (name, csv) = match wanted.table {
        Table::Series => {
            ("series", points_csv(&analytics::points(store, app, &wanted).await?.points))
        }
        Table::Agents => ("agents", rows_csv(&analytics::agents(store, app, &wanted).await?)),
        Table::Channels => ("channels", rows_csv(&analytics::channels(store, app, &wanted).await?)),
    };
    let (from, until) = (wanted.period.from, wanted.period.until);
    let file = format!("attachment; filename=\"{name}-{from}-{until}.csv\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, file),
    ];
    Ok((headers, csv).into_response())
}

/// Parses the filter in the query. Fails unless the caller is an admin, a supervisor or the app
/// itself.
async fn wanted(
    services: &Services,
    caller: &OmnichannelCaller,
    query: &RequestQuery,
) -> Result<AnalyticsInput, Problem> {
    caller.must_be(&OFFICE)?;
    let settings = services.store().settings(caller.app.id).await?;
    let own_zone = settings.get(Settings::TIMEZONE).unwrap_or("UTC");
    Ok(AnalyticsInput::read(&query.fields()?, own_zone, clock::now())?)
}
