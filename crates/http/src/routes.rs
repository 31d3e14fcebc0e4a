//! The table of all routes.

use axum::Extension;
use axum::routing::{get, post};

use super::api::Apis;
use super::calls::{Call, Calls, routes};
use super::{api, health, message_api, omnichannel, realtime, sdk, webhooks};

/// Returns all calls of a server with these brands, grouped by the API that documents their
/// credentials and failures. Each function below returns calls with the same credentials.
pub(super) fn apis(brands: &[String]) -> Apis {
    Apis::default()
        .with(&api::REALTIME, one(routes!(realtime::handler)))
        .with(&api::MESSAGE_API, below("/api/v2.1/rest", message_api()))
        .with(&api::OLDER_MESSAGE_API, below("/api/v2/rest", message_api_v2()))
        // Both versions have these calls; the document lists them once.
        .also(&api::MESSAGE_API, below("/api/v2/rest", message_api_of_both()))
        .with(&api::WEBHOOK_API, below("/api/v2/webhooks", webhook_api()))
        .with(&api::CLIENTS_OF_APP, below("/api/v2/sdk", sdk_of_app()))
        .with(&api::CLIENTS_OF_USER, below("/api/v2/sdk", sdk_of_user()))
        // Android clients use another prefix for the same calls (wire facts 4); the document lists
        // them once.
        .also(&api::CLIENTS_OF_APP, below("/api/v2/mobile", sdk_of_app()))
        .also(&api::CLIENTS_OF_USER, below("/api/v2/mobile", sdk_of_user()))
        .with_shape_by_path(&api::FILES, one(routes!(sdk::files::load)))
        .with(&api::OMNI_PUBLIC, signing_in_api())
        .with(
            &api::HOOKS,
            one(routes!(omnichannel::providers::hooks::load, omnichannel::providers::hooks::post)),
        )
        .with(&api::SERVICE_CALLS, whatsapp_calls())
        // Some clients append a slash; the document lists the path without it.
        .also(&api::SERVICE_CALLS, whatsapp_calls_with_slash())
        .with(&api::OMNI_SDK_TOKEN, one(routes!(omnichannel::people::sign_in::exchange_token)))
        .with_shape_by_path(&api::OMNI_PUBLIC, visitors_api(brands))
        .with(&api::OMNI_SIGNED_IN, signed_in_api())
        .with(&api::OMNI_AGENT, agent_api())
        .with(&api::OMNI_APP, own_app_api())
        .with(&api::OMNI, people_api())
        .with(&api::OMNI, settings_api())
        .with(&api::OMNI, office_api())
        .with(&api::OMNI_CHANNELS, channel_api())
        .with_shape_by_path(
            &api::OMNI_BOT,
            one(routes!(omnichannel::support::answers::post_as_bot)),
        )
        .with(&api::OMNI, service_api(brands))
        .with_document_of(operating())
}

/// Sign-in calls: a token for programs, a cookie for pages.
fn signing_in_api() -> Calls {
    use omnichannel::people::*;
    Calls::new().routes(routes!(sign_in::sign_in)).routes(routes!(session::open))
}

/// Calls in the format of WhatsApp's own API (channel facts 2).
fn whatsapp_calls() -> Calls {
    use omnichannel::providers::*;
    Calls::new()
        .routes(routes!(whatsapp_messages::send))
        .routes(routes!(whatsapp_messages::load))
        .routes(routes!(whatsapp_messages::load_media))
}

fn whatsapp_calls_with_slash() -> Calls {
    let path = "/whatsapp/v1/{app_code}/{channel_id}/messages/";
    Calls::new().route(path, post(omnichannel::providers::whatsapp_messages::send))
}

fn one(call: Call) -> Calls {
    Calls::new().routes(call)
}

fn below(base: &str, calls: Calls) -> Calls {
    Calls::new().nest(base, calls)
}

/// Calls for monitoring, without CORS: otherwise any web page that is open on a machine with access
/// to the server could read the server's state.
pub(super) fn operating() -> Calls {
    Calls::new()
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .route("/health/stream", get(health::probe))
}

/// Calls of an app's servers to the message API (spec 4.1; wire facts 3.1, 3.2).
fn message_api() -> Calls {
    use message_api::*;
    Calls::new()
        .routes(routes!(messages::post))
        .routes(routes!(messages::load))
        .routes(routes!(messages::load_range))
        .routes(routes!(messages::post_system_event))
        .routes(routes!(messages::delete))
        .routes(routes!(messages::broadcast))
        .routes(routes!(users::register))
        .routes(routes!(users::load))
        .routes(routes!(users::load_token))
        .routes(routes!(users::reset_token))
        .routes(routes!(users::list))
        .routes(routes!(users::deactivate))
        .routes(routes!(users::reactivate))
        .routes(routes!(users::count_unread))
        .routes(routes!(users::list_unread))
        .routes(routes!(users::average_reply_time))
        .routes(routes!(rooms::create))
        .routes(routes!(rooms::change))
        .routes(routes!(rooms::open_pair))
        .routes(routes!(rooms::open_channel, rooms::open_channel_by_query))
        .routes(routes!(rooms::load))
        .routes(routes!(participants::list))
        .routes(routes!(participants::add))
        .routes(routes!(participants::remove))
        .routes(routes!(rooms::list_of_user))
        .routes(routes!(rooms::count_unread))
        .routes(routes!(webhook_logs::list))
}

/// Calls of the older message API (wire facts 3.9).
fn message_api_v2() -> Calls {
    use message_api::v2::*;
    Calls::new()
        .routes(routes!(users::register))
        .routes(routes!(users::load))
        .routes(routes!(users::reset_token))
        .routes(routes!(rooms::create))
        .routes(routes!(rooms::change))
        .routes(routes!(rooms::open_pair, rooms::open_pair_by_query))
        .routes(routes!(rooms::load))
        .routes(routes!(rooms::list_of_user))
        .routes(routes!(participants::list))
        .routes(routes!(participants::add))
        .routes(routes!(participants::remove))
        .routes(routes!(messages::post))
        .routes(routes!(messages::load))
        .routes(routes!(messages::post_system_event))
        .routes(routes!(messages::search))
}

fn message_api_of_both() -> Calls {
    use message_api::*;
    Calls::new()
        .routes(routes!(messages::delete))
        .routes(routes!(users::list))
        .routes(routes!(users::deactivate))
        .routes(routes!(users::reactivate))
}

/// Calls to manage webhook endpoints and deliveries.
fn webhook_api() -> Calls {
    use webhooks::*;
    Calls::new()
        .routes(routes!(endpoints::list))
        .routes(routes!(endpoints::put, endpoints::delete))
        .routes(routes!(endpoints::pause))
        .routes(routes!(endpoints::resume))
        .routes(routes!(trying::test))
        .routes(routes!(trying::trigger))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::load))
        .routes(routes!(deliveries::replay))
        .routes(routes!(deliveries::replay_many))
        .routes(routes!(listening::listen))
        .routes(routes!(verifying::verify))
}

/// Calls of clients before sign-in (wire facts 4.1).
fn sdk_of_app() -> Calls {
    use sdk::*;
    Calls::new()
        .routes(routes!(configuration::load))
        .routes(routes!(identity::make_nonce))
        .routes(routes!(identity::verify_token))
        .routes(routes!(identity::login))
}

/// Calls of the published SDKs on behalf of a user (wire facts 4).
fn sdk_of_user() -> Calls {
    sdk_people_and_rooms().merge(streamed()).merge(sdk_messages())
}

/// Calls for users, their tokens and their rooms (wire facts 4.1, 4.2).
fn sdk_people_and_rooms() -> Calls {
    use sdk::*;
    Calls::new()
        .routes(routes!(profile::load, profile::change))
        .routes(routes!(identity::refresh_token))
        .routes(routes!(identity::expire_token))
        .routes(routes!(identity::logout))
        .routes(routes!(configuration::load_mqtt))
        .routes(routes!(configuration::report_event))
        .routes(routes!(configuration::check_topic))
        .routes(routes!(configuration::make_ticket))
        .routes(routes!(rooms::list))
        .routes(routes!(rooms::load_several))
        .routes(routes!(rooms::load))
        .routes(routes!(rooms::open_pair))
        .routes(routes!(rooms::open_named))
        .routes(routes!(rooms::create))
        .routes(routes!(rooms::change))
        .routes(routes!(channels::list))
        .routes(routes!(channels::load))
        .routes(routes!(channels::join))
        .routes(routes!(channels::leave))
        .routes(routes!(participants::list))
        .routes(routes!(participants::add))
        .routes(routes!(participants::remove))
        .routes(routes!(unread::count_messages))
        .routes(routes!(unread::count_rooms))
        .routes(routes!(users::list))
        .routes(routes!(users::block))
        .routes(routes!(users::unblock))
        .routes(routes!(users::list_blocked))
        .routes(routes!(users::load_status))
        .routes(routes!(devices::put))
        .routes(routes!(devices::remove))
}

/// Uploads, whose handlers stream the body and limit its size. No layer may read the body before
/// the handler, because the token may arrive only after a large file.
fn streamed() -> Calls {
    Calls::new().routes(routes!(sdk::upload::post))
}

/// Calls of the published SDKs for messages (wire facts 4.3).
fn sdk_messages() -> Calls {
    use sdk::*;
    Calls::new()
        .routes(routes!(messages::post))
        .routes(routes!(messages::change))
        .routes(routes!(messages::load))
        .routes(routes!(sync::load_messages))
        .routes(routes!(sync::load_events))
        .routes(routes!(receipts::acknowledge))
        .routes(routes!(receipts::load))
        .routes(routes!(messages::delete))
        .routes(routes!(messages::clear))
        .routes(routes!(search::search))
        .routes(routes!(search::search_messages))
        .routes(routes!(search::list_files))
}

/// Calls that contain the app's code or a key in the path or body: those of customers and channels,
/// and sign-in to one app (wire facts 5.1, 5.5).
fn visitors_api(brands: &[String]) -> Calls {
    use omnichannel::{people::*, *};
    let mut router = Calls::new()
        .routes(routes!(sign_in::sign_in_to_app))
        .routes(routes!(custom_channel_messages::post))
        .routes(routes!(custom_channel_messages::post_old))
        .routes(routes!(widget::load_session))
        .routes(routes!(widget_settings::load_public));
    // The path contains the brand in lower case; the document lists the first one.
    for (place, brand) in brands.iter().map(|brand| brand.to_lowercase()).enumerate() {
        let (v1, v2) = (format!("/api/v1/{brand}"), format!("/api/v2/{brand}"));
        let layer = Extension(widget::WidgetBrand(brand.into()));
        router = match place {
            0 => {
                let chat = Calls::new().routes(routes!(widget::initiate_chat));
                let chat_v1 = Calls::new().routes(routes!(widget::initiate_chat_v1));
                let chat = chat.map(|it| it.layer(layer.clone()));
                router.nest(&v2, chat).nest(&v1, chat_v1.map(|it| it.layer(layer)))
            }
            _ => {
                let (chat, chat_v1) = (post(widget::initiate_chat), post(widget::initiate_chat_v1));
                router
                    .route(&format!("{v2}/initiate_chat"), chat.layer(layer.clone()))
                    .route(&format!("{v1}/initiate_chat"), chat_v1.layer(layer))
            }
        };
    }
    router
}

/// Calls of signed-in agents for their own account and conversations (wire facts 5.1, 5.3).
fn signed_in_api() -> Calls {
    use omnichannel::{people::*, support::*};
    Calls::new()
        .routes(routes!(sign_in::sign_out))
        .routes(routes!(session::close))
        .routes(routes!(session::load, session::change))
        .routes(routes!(sign_ins::list_own, sign_ins::end_others))
        .routes(routes!(sign_ins::end_own))
        .routes(routes!(audit::list))
        .routes(routes!(keys::load))
        .routes(routes!(keys::take_step))
        .routes(routes!(inbox_live::handler))
        .routes(routes!(live_check::check))
        .routes(routes!(marks::read))
        .routes(routes!(marks::unread))
        .routes(routes!(sign_in::change_password))
        .routes(routes!(webhook_settings::register_logout))
        .routes(routes!(answers::post_as_agent))
        .routes(routes!(conversation_life::leave))
        .routes(routes!(corrections::change, corrections::delete))
        .routes(routes!(notes::list, notes::create))
        .routes(routes!(notes::change, notes::delete))
        // Its body is streamed, like that of the client's upload.
        .routes(routes!(files::post))
}

/// Calls of agents (wire facts 5.4, 5.7).
fn agent_api() -> Calls {
    use omnichannel::{people::*, support::*};
    Calls::new()
        .routes(routes!(availability::set))
        .routes(routes!(availability::set_by_older_path))
        .routes(routes!(sign_in::load_own_profile))
        .routes(routes!(sign_in::change_own_profile))
        .routes(routes!(assigning::take_over_any))
        .routes(routes!(assigning::assign_colleague))
        .routes(routes!(assigning::add_colleague))
        .routes(routes!(resolving::resolve_as_agent))
        .routes(routes!(assigning::take_over))
        .routes(routes!(agents_of_room::list_available_as_agent))
        .routes(routes!(agents_of_room::list_others_as_agent))
        .routes(routes!(inbox::count_unserved_as_agent))
}

/// Calls that only the app itself may make (spec 4.2).
fn own_app_api() -> Calls {
    use omnichannel::people::*;
    Calls::new()
        .routes(routes!(webhook_settings::register_new_session))
        .routes(routes!(settings::load))
}

/// Calls to manage agents and divisions (wire facts 5.4).
fn people_api() -> Calls {
    use omnichannel::people::*;
    Calls::new()
        .routes(routes!(sign_in::load_profile))
        .routes(routes!(agents::create))
        .routes(routes!(agents::change))
        .routes(routes!(agents::delete))
        .routes(routes!(agents::load))
        .routes(routes!(agents::list_v1))
        .routes(routes!(agents::list))
        .routes(routes!(agents::list_by_ids))
        .routes(routes!(divisions::list_agents))
        .routes(routes!(divisions::list, divisions::create))
        .routes(routes!(divisions::load))
        .routes(routes!(divisions::change))
        .routes(routes!(divisions::set_default))
        .routes(routes!(divisions::delete))
        .routes(routes!(agents::list_channels))
        .routes(routes!(sign_ins::list, sign_ins::end_all))
        .routes(routes!(sign_ins::end_one))
        .routes(routes!(sign_ins::make_link))
        .routes(routes!(availability::force_offline))
}

/// Calls to manage the app's settings (spec 4.2, wire facts 5.2, 5.4).
fn settings_api() -> Calls {
    use omnichannel::people::*;
    Calls::new()
        .routes(routes!(webhook_settings::register_resolved))
        .routes(routes!(webhook_settings::register_allocation))
        .routes(routes!(bot_settings::integrate))
        .routes(routes!(bot_settings::load))
        .routes(routes!(bot_settings::activate))
        .routes(routes!(bot_settings::force_send))
        .routes(routes!(webhook_settings::list))
        .routes(routes!(settings::set_sessional))
        .routes(routes!(settings::load_sessional))
        .routes(routes!(settings::load_takeover, settings::set_takeover))
        .routes(routes!(settings::set_allocation))
        .routes(routes!(settings::set_security))
        .routes(routes!(app_settings::load, app_settings::change))
        .routes(routes!(office_hours::load, office_hours::set))
        .routes(routes!(widget_settings::load, widget_settings::set))
        .routes(routes!(app_overview::load_details))
        .routes(routes!(app_overview::list_features))
}

/// Calls of the dashboard for supervision: board and analytics.
fn office_api() -> Calls {
    use omnichannel::office::*;
    Calls::new()
        .routes(routes!(board::load))
        .routes(routes!(analytics::summary))
        .routes(routes!(analytics::series))
        .routes(routes!(analytics::agents))
        .routes(routes!(analytics::channels))
        .routes(routes!(analytics::export))
}

/// Calls to manage channels (wire facts 5.3, 5.4).
fn channel_api() -> Calls {
    use omnichannel::{providers::*, support::*, *};
    Calls::new()
        .routes(routes!(channels::list, channels::create))
        .routes(routes!(channels::change, channels::delete))
        .routes(routes!(channel_tests::test))
        .routes(routes!(channels::list_by_kind))
        .routes(routes!(channel_configs::load, channel_configs::set))
        .routes(routes!(telegram_channels::connect))
        .routes(routes!(telegram_channels::change))
        .routes(routes!(telegram_channels::delete))
        .routes(routes!(telegram_channels::load))
        .routes(routes!(telegram_channels::list))
        .routes(routes!(whatsapp_channels::connect))
        .routes(routes!(whatsapp_channels::change))
        .routes(routes!(whatsapp_channels::delete))
        .routes(routes!(whatsapp_channels::load))
        .routes(routes!(whatsapp_channels::list))
        .routes(routes!(line_channels::connect))
        .routes(routes!(line_channels::change))
        .routes(routes!(line_channels::delete))
        .routes(routes!(line_channels::load))
        .routes(routes!(line_channels::list))
        .routes(routes!(messenger_channels::connect))
        .routes(routes!(messenger_channels::change))
        .routes(routes!(messenger_channels::delete))
        .routes(routes!(messenger_channels::load))
        .routes(routes!(messenger_channels::list))
        .routes(routes!(instagram_channels::connect))
        .routes(routes!(instagram_channels::change))
        .routes(routes!(instagram_channels::delete))
        .routes(routes!(instagram_channels::load))
        .routes(routes!(instagram_channels::list))
        .routes(routes!(email_channels::connect))
        .routes(routes!(email_channels::change))
        .routes(routes!(email_channels::delete))
        .routes(routes!(email_channels::load))
        .routes(routes!(email_channels::list))
        .routes(routes!(provider_channels::load_health))
        .routes(routes!(provider_channels::check))
        .routes(routes!(provider_channels::play))
        .routes(routes!(templates::list))
        .routes(routes!(answers::activate_bot))
}

/// Calls for conversations with customers: assignment, resolution, tags, contacts and the inbox
/// (wire facts 5.4, 5.5).
fn service_api(brands: &[String]) -> Calls {
    use omnichannel::{customers::*, people::*, providers::*, support::*, *};
    let mut router = Calls::new()
        .routes(routes!(assigning::assign_agent))
        .routes(routes!(assigning::allocate_agent))
        .routes(routes!(assigning::allocate_and_assign))
        .routes(routes!(assigning::remove_agent))
        .routes(routes!(resolving::resolve))
        .routes(routes!(templates::send))
        .routes(routes!(starting::start))
        .routes(routes!(starting::send_to_many))
        .routes(routes!(agents_of_room::list_available, agents_of_room::post_available))
        .routes(routes!(agents_of_room::list_available_v1))
        .routes(routes!(agents_of_room::list_others))
        .routes(routes!(inbox::count_unserved))
        .routes(routes!(buttons::list, buttons::create))
        .routes(routes!(buttons::change, buttons::delete))
        .routes(routes!(buttons::press))
        .routes(routes!(buttons::load_press))
        .routes(routes!(tags::list))
        .routes(routes!(tags::list_v2, tags::add))
        .routes(routes!(tags::list_all))
        .routes(routes!(tags::create))
        .routes(routes!(tags::delete))
        .routes(routes!(tags::delete_v2))
        .routes(routes!(tags::change, tags::delete_of_app))
        .routes(routes!(customer_info::set_property, contacts::list_properties))
        .routes(routes!(search::search))
        .routes(routes!(contact_cards::list))
        .routes(routes!(contacts::load, contact_cards::rename))
        .routes(routes!(contact_data::export))
        .routes(routes!(contact_data::erase))
        .routes(routes!(contact_cards::list_rooms))
        .routes(routes!(contact_cards::list_properties))
        .routes(routes!(contact_cards::delete_property))
        .routes(routes!(infos::list))
        .routes(routes!(infos::set, infos::delete))
        .routes(routes!(contacts::load_conversation))
        .routes(routes!(contacts::block))
        .routes(routes!(inbox::count_unresolved))
        .routes(routes!(canned_replies::list_templates))
        .routes(routes!(canned_replies::list, canned_replies::create))
        .routes(routes!(canned_replies::change, canned_replies::delete))
        .routes(routes!(conversations::export))
        .routes(routes!(inbox::list, inbox::find_by_post))
        .routes(routes!(inbox::load))
        .routes(routes!(conversation::load))
        .routes(routes!(room_history::list_trail))
        .routes(routes!(room_history::list_conversations))
        .routes(routes!(conversation_life::transfer))
        .routes(routes!(conversation_life::reopen))
        .routes(routes!(conversation_life::switch_bot))
        .routes(routes!(inbox::count))
        .routes(routes!(bulk::act))
        .routes(routes!(channels::list_names));
    // The path contains the brand in lower case; the document lists the first one.
    for (place, brand) in brands.iter().map(|brand| brand.to_lowercase()).enumerate() {
        let base = format!("/api/v1/{brand}");
        let infos = Calls::new().routes(routes!(customer_info::load, customer_info::add));
        router = match place {
            0 => router.nest(&base, infos),
            _ => router.merge(below(&base, infos).undocumented()),
        };
    }
    router
}
