//! The calls of the server, file by file.

use crate::calls::Calls;
use crate::{health, message_api, omnichannel, realtime, sdk, webhooks};

/// Calls of the newer message API that the older one also has.
const OF_BOTH: [&str; 4] =
    ["delete_messages", "get_user_list", "deactivate_users", "reactivate_users"];

/// Returns all calls of a server with these brands, except those for monitoring.
pub(crate) fn calls(brands: &[String]) -> Calls {
    realtime::calls()
        .and(message_api().below("/api/v2.1/rest"))
        .and(message_api_v2().below("/api/v2/rest"))
        .and(message_api().only(&OF_BOTH).below("/api/v2/rest").undocumented())
        .and(webhook_api().below("/api/v2/webhooks"))
        .and(sdk().below("/api/v2/sdk"))
        // Android clients use another prefix for the same calls (wire facts 4).
        .and(sdk().below("/api/v2/mobile").undocumented())
        .and(sdk::files::calls())
        .and(people())
        .and(office())
        .and(channels())
        .and(support())
        .and(customers())
        .for_brands(brands)
}

/// Calls for monitoring, without CORS: otherwise any web page that is open on a machine with access
/// to the server could read the server's state.
pub(crate) fn operating() -> Calls {
    health::calls()
}

/// The message API, for an app's servers (spec 4.1; wire facts 3.1, 3.2).
fn message_api() -> Calls {
    use message_api::*;
    messages::calls()
        .and(users::calls())
        .and(rooms::calls())
        .and(participants::calls())
        .and(webhook_logs::calls())
}

/// The older message API (wire facts 3.9).
fn message_api_v2() -> Calls {
    use message_api::v2::*;
    users::calls().and(rooms::calls()).and(participants::calls()).and(messages::calls())
}

/// Calls to manage webhook endpoints and deliveries.
fn webhook_api() -> Calls {
    use webhooks::*;
    endpoints::calls()
        .and(trying::calls())
        .and(deliveries::calls())
        .and(listening::calls())
        .and(verifying::calls())
}

/// Calls of the published SDKs (wire facts 4).
fn sdk() -> Calls {
    use sdk::*;
    configuration::calls()
        .and(identity::calls())
        .and(profile::calls())
        .and(rooms::calls())
        .and(channels::calls())
        .and(participants::calls())
        .and(unread::calls())
        .and(users::calls())
        .and(devices::calls())
        .and(upload::calls())
        .and(messages::calls())
        .and(sync::calls())
        .and(receipts::calls())
        .and(search::calls())
}

/// Agents, their sign-ins, and the settings of the app (spec 4.2; wire facts 5.1, 5.2, 5.4).
fn people() -> Calls {
    use omnichannel::people::*;
    sign_in::calls()
        .and(session::calls())
        .and(sign_ins::calls())
        .and(audit::calls())
        .and(keys::calls())
        .and(agents::calls())
        .and(divisions::calls())
        .and(availability::calls())
        .and(webhook_settings::calls())
        .and(bot_settings::calls())
        .and(settings::calls())
        .and(app_settings::calls())
        .and(office_hours::calls())
        .and(widget_settings::calls())
        .and(app_overview::calls())
}

/// The dashboard's board and analytics.
fn office() -> Calls {
    use omnichannel::office::*;
    board::calls().and(analytics::calls())
}

/// Channels, and what customers and providers call (wire facts 5.1, 5.3, 5.4).
fn channels() -> Calls {
    use omnichannel::{providers::*, *};
    channels::calls()
        .and(channel_tests::calls())
        .and(channel_configs::calls())
        .and(custom_channel_messages::calls())
        .and(widget::calls())
        .and(hooks::calls())
        .and(telegram_channels::calls())
        .and(whatsapp_channels::calls())
        .and(line_channels::calls())
        .and(messenger_channels::calls())
        .and(instagram_channels::calls())
        .and(email_channels::calls())
        .and(provider_channels::calls())
        .and(templates::calls())
        .and(whatsapp_messages::calls())
        // Some clients append a slash.
        .and(
            whatsapp_messages::calls().only(&["send_whatsapp_message"]).with_slash().undocumented(),
        )
}

/// Conversations with customers (wire facts 5.3, 5.4, 5.5).
fn support() -> Calls {
    use omnichannel::people::{agents_of_room, live_check};
    use omnichannel::support::*;
    answers::calls()
        .and(inbox_live::calls())
        .and(live_check::calls())
        .and(marks::calls())
        .and(conversation_life::calls())
        .and(corrections::calls())
        .and(notes::calls())
        .and(files::calls())
        .and(assigning::calls())
        .and(resolving::calls())
        .and(agents_of_room::calls())
        .and(inbox::calls())
        .and(starting::calls())
        .and(buttons::calls())
        .and(tags::calls())
        .and(search::calls())
        .and(canned_replies::calls())
        .and(conversations::calls())
        .and(conversation::calls())
        .and(room_history::calls())
        .and(bulk::calls())
}

/// Customers and their data (wire facts 5.4, 5.5).
fn customers() -> Calls {
    use omnichannel::customers::*;
    contacts::calls()
        .and(contact_cards::calls())
        .and(contact_data::calls())
        .and(customer_info::calls())
        .and(infos::calls())
}
