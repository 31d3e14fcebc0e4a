//! Email channels (channel facts 2 and 4.4, D-0160).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::email::{
    ChangeEmailFields, ConnectEmailFields, EmailBox, EmailList, read_email, read_new_email,
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
    Email as EmailBox, EmailList;
    connect "/api/v2/email/connect", connect_email, "Connect a mailbox",
        ConnectEmailFields, read_new_email;
    change "/api/v2/email/connect/{id}/update", change_email,
        "Change an email channel, replace its password, or switch it on or off",
        ChangeEmailFields, read_email;
    delete "/api/v2/email/connect/{id}/delete", delete_email,
        "Delete an email channel and its password; its rooms and emails are kept";
    load "/api/v2/email/{id}", load_email, "Get an email channel";
    list "/api/v3/admin/channel/email", list_email, "List email channels";
}
