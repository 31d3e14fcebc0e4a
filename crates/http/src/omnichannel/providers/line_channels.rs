//! Channels of LINE's Messaging API (channel facts 2 and 4.3).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::line::{
    ChangeLineFields, ConnectLineFields, LineBox, LineList, read_line, read_new_line,
};
use confab_wire::omnichannel_api::channels::provider_channels::ProviderListFields;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::providers::provider_calls::{self, provider_calls};
use crate::requests::access::Admins;
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::responses::answer::{Answer, Reply};

provider_calls! {
    Line as LineBox, LineList;
    connect "/api/v2/line/connect", connect_line, "Connect a LINE account",
        ConnectLineFields, read_new_line;
    change "/api/v2/line/connect/{id}/update", change_line,
        "Change a LINE channel, replace its token, or switch it on or off",
        ChangeLineFields, read_line;
    delete "/api/v2/line/connect/{id}/delete", delete_line,
        "Delete a LINE channel and its token; its rooms are kept";
    load "/api/v2/line/{id}", load_line, "Get a LINE channel";
    list "/api/v3/admin/channel/line", list_line, "List LINE channels";
}
