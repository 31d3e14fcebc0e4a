//! Public rooms, which clients call channels (wire facts 4.2).

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::{Room, RoomRef};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields;
use crate::message_api::Page;
use crate::raw_json::empty;
use crate::request::request;
use crate::time::to_the_microsecond;

request! {
    /// Query of `GET /channels`.
    pub struct ChannelPageFields {
        /// Page number, from 1. The first page has the newest channels.
        page: fields::PageNumber, or 1;
        /// Channels per page, default and maximum 100.
        limit: fields::PageSize, or limits::PAGE_MAX;
    }
}

/// Parses the page number and size.
pub fn read_channel_page(query: &Body<'_>) -> Result<Page, Refusal> {
    let ChannelPageFields { page: number, limit: size } = query.read()?;
    Ok(Page { number, size })
}

request! {
    /// Body of `POST /channels/info`, `/channels/join` and `/channels/leave`.
    pub struct SomeChannelsFields as "ClientChannels" {
        /// Unique ids of channels, at most 100.
        unique_ids: fields::Rooms<1>, required, also = "unique_ids[]";
    }
}

/// Parses a list of channels. A number counts as a unique id, never as a room id.
pub fn read_channels(body: &Body<'_>) -> Result<Vec<RoomRef>, Refusal> {
    let SomeChannelsFields { unique_ids } = body.read()?;
    let by_name = |room| match room {
        RoomRef::Either(_, unique_id) => RoomRef::Unique(unique_id),
        other => other,
    };
    Ok(unique_ids.into_iter().map(by_name).collect())
}

/// A public channel.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientChannel)]
pub struct ChannelShape<'a> {
    avatar_url: &'a str,
    #[schema(example = "2026-01-31T10:00:00.000000Z")]
    created_at: String,
    /// Options of the channel if they are a JSON object, otherwise `{}`.
    #[schema(value_type = Object)]
    extras: &'a RawValue,
    id: i64,
    id_str: String,
    /// Whether the caller is a participant.
    is_joined: bool,
    name: &'a str,
    unique_id: &'a str,
}

/// The `results` object of calls about channels.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClientChannelList)]
pub struct ChannelList<'a> {
    channels: Vec<ChannelShape<'a>>,
}

/// Returns channels, and whether the caller is a participant of each.
pub fn channel_list<'a>(channels: impl IntoIterator<Item = (&'a Room, bool)>) -> ChannelList<'a> {
    let shown = |(room, is_joined): (&'a Room, bool)| ChannelShape {
        avatar_url: &room.avatar_url,
        created_at: to_the_microsecond(room.created_at),
        extras: extras(&room.options),
        id: room.id.0,
        id_str: room.id.to_string(),
        is_joined,
        name: &room.name,
        unique_id: room.unique_id.as_str(),
    };
    ChannelList { channels: channels.into_iter().map(shown).collect() }
}

/// Returns options as a JSON object, because clients expect one; `{}` for other text.
fn extras(options: &str) -> &RawValue {
    let json: Option<&RawValue> = serde_json::from_str(options).ok();
    json.filter(|json| json.get().starts_with('{')).unwrap_or(empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_shown_as_extras() {
        for (options, shown) in [
            ("", "{}"),
            ("free text", "{}"),
            ("[1]", "{}"),
            ("{\"a\":1.0}", "{\"a\":1.0}"),
            (" {\"a\":1} ", "{\"a\":1}"),
        ] {
            assert_eq!(extras(options).get(), shown, "{options}");
        }
    }
}
