//! Instagram channels (channel facts 2 and 4.2).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::instagram::{
    ChangeInstagramFields, ConnectInstagramFields, InstagramBox, InstagramList, read_instagram,
    read_new_instagram,
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
    Instagram as InstagramBox, InstagramList;
    connect "/api/v2/ig/connect", connect_instagram, "Connect an Instagram account",
        ConnectInstagramFields, read_new_instagram;
    change "/api/v2/ig/connect/{id}/update", change_instagram,
        "Change an Instagram channel, replace its token, or switch it on or off",
        ChangeInstagramFields, read_instagram;
    delete "/api/v2/ig/connect/{id}/delete", delete_instagram,
        "Delete an Instagram channel and its token; its rooms are kept";
    load "/api/v2/ig/{id}", load_instagram, "Get an Instagram channel";
    list "/api/v3/admin/channel/ig", list_instagram, "List Instagram channels";
}
