//! Support analytics (D-0140).

use axum::http::header;
use axum::response::IntoResponse;
use confab_domain::ids::AppId;
use confab_domain::support::settings::Settings;
use confab_queries::analytics;
use confab_runtime::clock;
use confab_store::Store;
use confab_wire::omnichannel_api::office::analytics::{
    AnalyticsAgents, AnalyticsChannels, AnalyticsFields, AnalyticsInput, AnalyticsSeries,
    AnalyticsSummaryBox, Table, summary as summed_up,
};
use confab_wire::omnichannel_api::office::analytics_csv::{points_csv, rows_csv};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::Office;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Csv, data};
use crate::responses::problem::Problem;

calls! {
    "Office";
    /// Get the statistics of a period
    GET "/api/v2/analytics/summary" analytics_summary = summary [403];
    /// Get the statistics of each day or hour of a period
    GET "/api/v2/analytics/series" analytics_series = series [403];
    /// Get the statistics of each agent
    GET "/api/v2/analytics/agents" analytics_agents = agents [403];
    /// Get the statistics of each channel
    GET "/api/v2/analytics/channels" analytics_channels = channels [403];
    /// Export statistics as CSV
    GET "/api/v2/analytics/export.csv" analytics_export = export [403];
}

async fn summary(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<AnalyticsFields>,
) -> Answer<Data<AnalyticsSummaryBox<'static>>> {
    let wanted = wanted(&store, caller.app.id, &query).await?;
    let app = caller.app.id;
    let counted = analytics::whole(&store, app, &wanted).await?;
    let waiting_now = analytics::waiting_now(&store, app, &wanted).await?;
    data(summed_up(&wanted, &counted, waiting_now))
}

async fn series(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<AnalyticsFields>,
) -> Answer<Data<AnalyticsSeries>> {
    let wanted = wanted(&store, caller.app.id, &query).await?;
    let app = caller.app.id;
    data(analytics::points(&store, app, &wanted).await?)
}

async fn agents(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<AnalyticsFields>,
) -> Answer<Data<AnalyticsAgents>> {
    let wanted = wanted(&store, caller.app.id, &query).await?;
    let app = caller.app.id;
    data(AnalyticsAgents { agents: analytics::agents(&store, app, &wanted).await? })
}

async fn channels(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<AnalyticsFields>,
) -> Answer<Data<AnalyticsChannels>> {
    let wanted = wanted(&store, caller.app.id, &query).await?;
    let app = caller.app.id;
    data(AnalyticsChannels { channels: analytics::channels(&store, app, &wanted).await? })
}

async fn export(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<AnalyticsFields>,
) -> Answer<Csv> {
    let wanted = wanted(&store, caller.app.id, &query).await?;
    let app = caller.app.id;
    let (name, csv) = match wanted.table {
        Table::Series => {
            ("series", points_csv(&analytics::points(&store, app, &wanted).await?.points))
        }
        Table::Agents => ("agents", rows_csv(&analytics::agents(&store, app, &wanted).await?)),
        Table::Channels => {
            ("channels", rows_csv(&analytics::channels(&store, app, &wanted).await?))
        }
    };
    let (from, until) = (wanted.period.from, wanted.period.until);
    let file = format!("attachment; filename=\"{name}-{from}-{until}.csv\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, file),
    ];
    Ok((headers, csv).into_response().into())
}

/// Parses the filter in the query.
async fn wanted(
    store: &Store,
    app: AppId,
    query: &RequestQuery<AnalyticsFields>,
) -> Result<AnalyticsInput, Problem> {
    let settings = store.settings(app).await?;
    let own_zone = settings.get(Settings::TIMEZONE).unwrap_or("UTC");
    Ok(AnalyticsInput::read(&query.fields()?, own_zone, clock::now())?)
}
