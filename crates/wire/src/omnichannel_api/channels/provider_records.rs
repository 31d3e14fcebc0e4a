//! Response data with channels of any provider, under a key named after the kind of channel
//! (channel facts 2).

use std::collections::BTreeMap;

use confab_domain::channels::channel::ChannelKind;
use serde::Serialize;

use super::administering::AnyRecord;
use super::provider_channels::ProviderPage;
use crate::omnichannel_api::support::{DataPage, PageMeta, page};

/// Response data with one channel, as `{<kind>_channel}`.
#[derive(Serialize)]
pub struct ProviderBox<'a>(BTreeMap<String, AnyRecord<'a>>);

/// Response data with a list of channels, as `{<kind>_channels}`.
#[derive(Serialize)]
pub struct ProviderList<'a>(BTreeMap<String, Vec<AnyRecord<'a>>>);

/// Returns response data with one channel.
pub fn service_box(kind: ChannelKind, record: AnyRecord<'_>) -> ProviderBox<'_> {
    ProviderBox(BTreeMap::from([(format!("{}_channel", kind.as_str()), record)]))
}

/// Returns one page of a list of channels.
pub fn service_page(
    kind: ChannelKind,
    records: Vec<AnyRecord<'_>>,
    wanted: ProviderPage,
) -> DataPage<ProviderList<'_>> {
    let total_count = Some(records.len() as u64);
    let skipped = usize::try_from(wanted.number - 1).unwrap_or(usize::MAX);
    let skipped = skipped.saturating_mul(wanted.size);
    let records: Vec<_> = records.into_iter().skip(skipped).take(wanted.size).collect();
    let meta = PageMeta { after: None, before: None, per_page: wanted.size, total_count };
    page(ProviderList(BTreeMap::from([(format!("{}_channels", kind.as_str()), records)])), meta)
}
