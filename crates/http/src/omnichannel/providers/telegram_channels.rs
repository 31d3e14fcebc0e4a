//! Channels of Telegram bots (channel facts 2).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::provider_channels::{
    ChangeTelegramFields, ConnectTelegramFields, ProviderListFields, TelegramBox, TelegramList,
    read_new_telegram, read_telegram,
};
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::providers::provider_calls::{self, provider_calls};
use crate::requests::access::Admins;
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::responses::answer::{Answer, Reply};

provider_calls! {
    Telegram as TelegramBox, TelegramList;
    connect "/api/v2/telegram/connect", connect_telegram, "Connect a Telegram bot",
        ConnectTelegramFields, read_new_telegram;
    change "/api/v2/telegram/connect/{id}/update", change_telegram,
        "Change a Telegram channel, replace its token, or switch it on or off",
        ChangeTelegramFields, read_telegram;
    delete "/api/v2/telegram/connect/{id}/delete", delete_telegram,
        "Delete a Telegram channel and its token; its rooms are kept";
    load "/api/v2/telegram/{id}", load_telegram, "Get a Telegram channel";
    list "/api/v3/admin/channel/telegram", list_telegram, "List Telegram channels";
}
