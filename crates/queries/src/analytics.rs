//! Support analytics. Each query adds the names of agents or channels to the stored counts.

use std::collections::{BTreeMap, BTreeSet};

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, AppId, ChannelId};
use confab_domain::limits;
use confab_domain::support::assignment::tally::CountedEvents;
use confab_store::{Store, StoreError, TalliesBy, TallyFilter};
use confab_wire::omnichannel_api::office::analytics::{
    AnalyticsInput, AnalyticsRow, AnalyticsSeries, Numbers, series,
};

use super::people;

/// Returns the total counts of a period.
pub async fn whole(
    store: &Store,
    app: AppId,
    wanted: &AnalyticsInput,
) -> Result<CountedEvents, StoreError> {
    let mut found = store.tallies(app, &tallies(wanted), TalliesBy::All).await?;
    Ok(found.remove(&0).unwrap_or_default())
}

/// Counts the customers who are waiting for an agent now, in the requested channel or in all
/// channels.
pub async fn waiting_now(
    store: &Store,
    app: AppId,
    wanted: &AnalyticsInput,
) -> Result<usize, StoreError> {
    let waiting = store.count_waiting(app, limits::ROOMS_COUNTED_MAX).await?;
    let waiting = waiting.iter().filter(|it| !it.is_handled_by_bot);
    let here = waiting.filter(|it| wanted.channel.is_none_or(|channel| channel == it.channel));
    Ok(here.map(|it| it.count).sum())
}

/// Returns the counts of each day or hour of a period.
pub async fn points(
    store: &Store,
    app: AppId,
    wanted: &AnalyticsInput,
) -> Result<AnalyticsSeries, StoreError> {
    let points = wanted.period.points(wanted.step);
    let quarters: Vec<_> = points.iter().map(|point| point.quarters).collect();
    let counted = store.tallies_of_points(app, &tallies(wanted), &quarters).await?;
    Ok(series(&points, &counted))
}

/// Returns one row for each agent of the app, and for each former agent with activity in the
/// period.
pub async fn agents(
    store: &Store,
    app: AppId,
    wanted: &AnalyticsInput,
) -> Result<Vec<AnalyticsRow>, StoreError> {
    let counted = store.tallies(app, &tallies(wanted), TalliesBy::Agent).await?;
    let working = store.agents(app).await?;
    let mut all: Vec<_> = working.iter().map(|it| Person::from(&it.profile.user)).collect();
    let known: BTreeSet<_> = all.iter().map(|it| it.id).collect();
    let former = counted.keys().map(|id| AgentId(*id)).filter(|id| id.0 != 0);
    let former = former.filter(|id| !known.contains(id)).collect();
    all.extend(people::named(store, app, former).await?);
    let is_wanted = |it: &Person| wanted.agent.is_none_or(|agent| agent == it.id);
    let rows = all.into_iter().filter(is_wanted).map(|it| row(it.id.0, it.name, &counted));
    Ok(rows.collect())
}

/// Returns one row for each channel of the app, and for each deleted channel with activity in the
/// period.
pub async fn channels(
    store: &Store,
    app: AppId,
    wanted: &AnalyticsInput,
) -> Result<Vec<AnalyticsRow>, StoreError> {
    let counted = store.tallies(app, &tallies(wanted), TalliesBy::Channel).await?;
    let there = store.channels(app).await?;
    let mut all: Vec<_> = there.into_iter().map(|it| (it.id, it.name)).collect();
    for id in counted.keys().map(|id| ChannelId(*id)) {
        if !all.iter().any(|it| it.0 == id) {
            all.extend(store.channel_name(app, id).await?.map(|name| (id, name)));
        }
    }
    let is_wanted = |id: ChannelId| wanted.channel.is_none_or(|channel| channel == id);
    let rows = all.into_iter().filter(|it| is_wanted(it.0));
    Ok(rows.map(|(id, name)| row(id.0, name, &counted)).collect())
}

fn tallies(wanted: &AnalyticsInput) -> TallyFilter {
    let AnalyticsInput { ref period, channel, agent, .. } = *wanted;
    TallyFilter { quarters: period.quarters(), channel, agent }
}

fn row(id: i64, name: String, counted: &BTreeMap<i64, CountedEvents>) -> AnalyticsRow {
    let nothing = CountedEvents::default();
    AnalyticsRow { id, name, numbers: Numbers::from(counted.get(&id).unwrap_or(&nothing)) }
}
