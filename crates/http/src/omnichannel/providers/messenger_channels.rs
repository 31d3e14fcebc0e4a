//! Messenger channels (channel facts 2 and 4.2).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::messenger::{
    ChangeMessengerFields, ConnectMessengerFields, MessengerBox, MessengerList, read_messenger,
    read_new_messenger,
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
    Messenger as MessengerBox, MessengerList;
    connect "/api/v2/fb/connect", connect_messenger, "Connect a Messenger page",
        ConnectMessengerFields, read_new_messenger;
    change "/api/v2/fb/connect/{id}/update", change_messenger,
        "Change a Messenger channel, replace its token, or switch it on or off",
        ChangeMessengerFields, read_messenger;
    delete "/api/v2/fb/connect/{id}/delete", delete_messenger,
        "Delete a Messenger channel and its token; its rooms are kept";
    load "/api/v2/fb/{id}", load_messenger, "Get a Messenger channel";
    list "/api/v3/admin/channel/fb", list_messenger, "List Messenger channels";
}
