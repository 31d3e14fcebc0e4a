//! Every route, on one screen.

use std::time::Duration;

use axum::Router;
use axum::http::HeaderName;
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{docs, envelope, health, message_api, mqtt, omnichannel, realtime, sdk, webhooks};
use crate::config::Config;
use crate::services::Services;

/// The whole server.
pub fn router(services: Services) -> Router {
    let (router, openapi) = documented(services.config());
    let (operating, _) = operating().split_for_parts();
    let router = docs::with_docs(router, openapi).with_state(services.clone());
    layered(router, services.clone())
        .merge(enveloped(operating.with_state(services.clone()), services))
}

/// The OpenAPI document of the server.
pub fn openapi(config: &Config) -> OpenApi {
    documented(config).1
}

/// Puts the layers around a router that every request goes through.
pub fn layered(router: Router, services: Services) -> Router {
    enveloped(router, services).layer(any_origin())
}

/// The same without what pages of others may read.
fn enveloped(router: Router, services: Services) -> Router {
    router.layer(axum::middleware::from_fn_with_state(services, envelope::envelope))
}

/// Clients run in browsers, on pages of anybody. Nothing here is proven by a cookie, so a page can
/// do no more than whoever holds the same token (D-0050).
fn any_origin() -> CorsLayer {
    let shown = ["x-request-id", "retry-after"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(shown)
        .max_age(Duration::from_secs(86_400))
}

fn documented(config: &Config) -> (Router<Services>, OpenApi) {
    let (router, mut openapi) = OpenApiRouter::with_openapi(docs::front_page(config))
        .routes(routes!(realtime::handler))
        .route("/mqtt", axum::routing::get(mqtt::handler))
        .nest("/api/v2.1/rest", message_api())
        .nest("/api/v2/webhooks", webhook_api())
        .nest("/api/v2/sdk", sdk_api())
        .routes(routes!(sdk::files::handler))
        .merge(people_api())
        .merge(channel_api(config))
        .merge(service_api(config))
        .split_for_parts();
    openapi.merge(operating().split_for_parts().1);
    // Android calls the same by another name (wire facts 4); the document has it once.
    (router.nest("/api/v2/mobile", sdk_api().split_for_parts().0), openapi)
}

/// For those who watch the server. Pages in browsers do not: they would tell anybody whose page is
/// open on a machine that reaches it how it is doing (D-0050).
fn operating() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(health::health))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
}

/// What the published SDKs call (wire facts 4).
fn sdk_api() -> OpenApiRouter<Services> {
    sdk_people_and_rooms().merge(sdk_messages())
}

/// Who somebody is, and where they are (wire facts 4.1, 4.2).
fn sdk_people_and_rooms() -> OpenApiRouter<Services> {
    use sdk::*;
    OpenApiRouter::new()
        .routes(routes!(config::handler))
        .routes(routes!(nonce::handler))
        .routes(routes!(verify_identity_token::handler))
        .routes(routes!(login_or_register::handler))
        .routes(routes!(my_profile::handler, update_my_profile::handler))
        .routes(routes!(refresh_user_token::handler))
        .routes(routes!(expire_user_token::handler))
        .routes(routes!(logout::handler))
        .routes(routes!(mqtt_config::handler))
        .routes(routes!(event_report::handler))
        .routes(routes!(realtime::handler))
        .routes(routes!(realtime_ticket::handler))
        .routes(routes!(user_rooms::handler))
        .routes(routes!(rooms_info::handler))
        .routes(routes!(get_room_by_id::handler))
        .routes(routes!(get_or_create_room_with_target::handler))
        .routes(routes!(get_or_create_room_with_unique_id::handler))
        .routes(routes!(create_room::handler))
        .routes(routes!(update_room::handler))
        .routes(routes!(room_participants::handler))
        .routes(routes!(add_room_participants::handler))
        .routes(routes!(remove_room_participants::handler))
        .routes(routes!(total_unread_count::handler))
        .routes(routes!(get_room_unread_count::handler))
        .routes(routes!(get_user_list::handler))
        .routes(routes!(block_user::handler))
        .routes(routes!(unblock_user::handler))
        .routes(routes!(get_blocked_users::handler))
        .routes(routes!(users_status::handler))
        .routes(routes!(set_user_device_token::handler))
        .routes(routes!(remove_user_device_token::handler))
        .merge(streamed())
}

/// Routes whose body is streamed and bounded by their handler, and whose caller may be proven only
/// by what comes after a large file: nothing may read the body before them (D-0078).
fn streamed() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(sdk::upload::handler))
}

/// Spec 4.1, and the calls beside it (wire facts 3.1, 3.2).
fn message_api() -> OpenApiRouter<Services> {
    use message_api::*;
    OpenApiRouter::new()
        .routes(routes!(post_comment::handler))
        .routes(routes!(load_comments::handler))
        .routes(routes!(load_comments_with_range::handler))
        .routes(routes!(post_system_event_message::handler))
        .routes(routes!(delete_messages::handler))
        .routes(routes!(broadcast::handler))
        .routes(routes!(login_or_register::handler))
        .routes(routes!(user_profile::handler))
        .routes(routes!(get_user_token::handler))
        .routes(routes!(reset_user_token::handler))
        .routes(routes!(get_user_list::handler))
        .routes(routes!(deactivate_users::handler))
        .routes(routes!(reactivate_users::handler))
        .routes(routes!(get_user_unread_count::handler))
        .routes(routes!(create_room::handler))
        .routes(routes!(update_room::handler))
        .routes(routes!(get_or_create_room_with_target::handler))
        .routes(routes!(get_or_create_channel::handler))
        .routes(routes!(get_rooms_info::handler))
        .routes(routes!(get_room_participants::handler))
        .routes(routes!(add_room_participants::handler))
        .routes(routes!(remove_room_participants::handler))
        .routes(routes!(get_user_rooms::handler))
        .routes(routes!(get_unread_count::handler))
        .routes(routes!(webhook_logs::handler))
}

/// Who works in an app, and what it is set to (spec 4.2, wire facts 5.1, 5.2, 5.4).
fn people_api() -> OpenApiRouter<Services> {
    use omnichannel::people::*;
    OpenApiRouter::new()
        .routes(routes!(auth::handler))
        .routes(routes!(auth::of_app))
        .routes(routes!(logout::handler))
        .routes(routes!(change_password::handler))
        .routes(routes!(create_agent::handler))
        .routes(routes!(update_agent::handler))
        .routes(routes!(delete_agent::handler))
        .routes(routes!(agent::handler))
        .routes(routes!(agents_v1::handler))
        .routes(routes!(agents::handler))
        .routes(routes!(get_by_ids::handler))
        .routes(routes!(by_division::handler))
        .routes(routes!(divisions::handler))
        .routes(routes!(agent_channels::handler))
        .routes(routes!(get_profile::handler))
        .routes(routes!(set_availability::handler))
        .routes(routes!(set_force_offline::handler))
        .routes(routes!(mark_as_resolved_webhook::handler))
        .routes(routes!(agent_allocation_webhook::handler))
        .routes(routes!(new_session_webhook::handler))
        .routes(routes!(auth_webhook::handler))
        .routes(routes!(configs::handler))
        .routes(routes!(integrate_bot::handler))
        .routes(routes!(bot::handler))
        .routes(routes!(bot_activation::handler))
        .routes(routes!(force_send::handler))
        .routes(routes!(webhook_config::handler))
        .routes(routes!(set_sessional::handler))
        .routes(routes!(get_sessional::handler))
        .routes(routes!(agent_takeover::handler, set_agent_takeover::handler))
        .routes(routes!(agent_allocation::handler))
        .routes(routes!(security::handler))
}

/// Where customers write from, and the bot (wire facts 5.3, 5.5).
fn channel_api(config: &Config) -> OpenApiRouter<Services> {
    use omnichannel::channels::*;
    let mut router = OpenApiRouter::new()
        .routes(routes!(custom_channels::list, custom_channels::create))
        .routes(routes!(custom_channel::change, custom_channel::delete))
        .routes(routes!(channels_by_kind::handler))
        .routes(routes!(custom_channel_send::handler))
        .routes(routes!(custom_channel_send::old_handler))
        .routes(routes!(get_session::handler))
        .routes(routes!(bot::handler))
        .routes(routes!(activate::handler))
        .routes(routes!(messages::handler));
    // The path has the brand in it, in lower case (D-0001); the document has the first one.
    for (place, brand) in config.brands.iter().map(|brand| brand.to_lowercase()).enumerate() {
        let base = format!("/api/v2/{brand}");
        router = match place {
            0 => router.nest(&base, OpenApiRouter::new().routes(routes!(initiate_chat::handler))),
            _ => router.route(
                &format!("{base}/initiate_chat"),
                axum::routing::post(initiate_chat::handler),
            ),
        };
    }
    router
}

/// Who serves whom, and how that ends (wire facts 5.4, 5.5).
fn service_api(config: &Config) -> OpenApiRouter<Services> {
    use omnichannel::service::*;
    let mut router = OpenApiRouter::new()
        .routes(routes!(admin::assign_agent::handler))
        .routes(routes!(admin::allocate_agent::handler))
        .routes(routes!(admin::allocate_assign_agent::handler))
        .routes(routes!(admin::remove_agent::handler))
        .routes(routes!(admin::mark_as_resolved::handler))
        .routes(routes!(admin::available_agents::handler))
        .routes(routes!(admin::other_agents::handler))
        .routes(routes!(admin::total_unserved::handler))
        .routes(routes!(agent::assign_agent::handler))
        .routes(routes!(agent::assign_agent::add))
        .routes(routes!(agent::mark_as_resolved::handler))
        .routes(routes!(agent::takeover_unserved::handler))
        .routes(routes!(agent::available_agents::handler))
        .routes(routes!(agent::other_agents::handler))
        .routes(routes!(agent::total_unserved::handler))
        .routes(routes!(custom_buttons::list, custom_buttons::create))
        .routes(routes!(custom_button::update, custom_button::delete))
        .routes(routes!(press::handler))
        .routes(routes!(room_tag::list))
        .routes(routes!(room_tag::list_v2))
        .routes(routes!(room_tag::create))
        .routes(routes!(room_tag::delete))
        .routes(routes!(contact_properties::handler))
        .routes(routes!(customer_rooms::handler))
        .routes(routes!(customer_room::handler));
    for brand in &config.brands {
        let path = format!("/api/v1/{}", brand.to_lowercase());
        let infos = OpenApiRouter::new().routes(routes!(user_info::show, user_info::add));
        router = router.nest(&path, infos);
    }
    router
}

/// Messages, as the published SDKs ask for them (wire facts 4.3).
fn sdk_messages() -> OpenApiRouter<Services> {
    use sdk::*;
    OpenApiRouter::new()
        .routes(routes!(post_comment::handler))
        .routes(routes!(update_message::handler))
        .routes(routes!(load_comments::handler))
        .routes(routes!(sync::handler))
        .routes(routes!(sync_event::handler))
        .routes(routes!(update_comment_status::handler))
        .routes(routes!(comment_receipt::handler))
        .routes(routes!(delete_messages::handler))
        .routes(routes!(clear_room_messages::handler))
        .routes(routes!(search::handler))
        .routes(routes!(search_messages::handler))
        .routes(routes!(file_list::handler))
}

/// Where an app is told of what happens, and what was told (D-0032).
fn webhook_api() -> OpenApiRouter<Services> {
    use webhooks::*;
    OpenApiRouter::new()
        .routes(routes!(endpoints::handler))
        .routes(routes!(endpoint::handler))
        .routes(routes!(pause::handler))
        .routes(routes!(resume::handler))
        .routes(routes!(test::handler))
        .routes(routes!(trigger::handler))
        .routes(routes!(deliveries::handler))
        .routes(routes!(delivery::handler))
        .routes(routes!(replay_delivery::handler))
        .routes(routes!(replay::handler))
        .routes(routes!(listen::handler))
}
