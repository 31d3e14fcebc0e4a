//! Channels of WhatsApp's Cloud API (channel facts 2 and 3).

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::channels::channel::ChannelKind;
use confab_wire::omnichannel_api::channels::provider_channels::ProviderListFields;
use confab_wire::omnichannel_api::channels::whatsapp::{
    ChangeWhatsappFields, ConnectWhatsappFields, WhatsappBox, WhatsappList, read_new_whatsapp,
    read_whatsapp,
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
    WhatsApp as WhatsappBox, WhatsappList;
    connect "/api/v2/wa/connect", connect_whatsapp, "Connect a WhatsApp number",
        ConnectWhatsappFields, read_new_whatsapp;
    change "/api/v2/wa/connect/{id}/update", change_whatsapp,
        "Change a WhatsApp channel, replace its token, or switch it on or off",
        ChangeWhatsappFields, read_whatsapp;
    delete "/api/v2/wa/connect/{id}/delete", delete_whatsapp,
        "Delete a WhatsApp channel and its token; its rooms are kept";
    load "/api/v2/wa/{id}", load_whatsapp, "Get a WhatsApp channel";
    list "/api/v3/admin/channel/wa", list_whatsapp, "List WhatsApp channels";
}
