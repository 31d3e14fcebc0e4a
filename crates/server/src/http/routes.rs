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
        .routes(routes!(sdk::files::load))
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
        .routes(routes!(configuration::load))
        .routes(routes!(identity::make_nonce))
        .routes(routes!(identity::verify_token))
        .routes(routes!(identity::login))
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
        .merge(streamed())
}

/// Routes whose body is streamed and bounded by their handler, and whose caller may be proven only
/// by what comes after a large file: nothing may read the body before them (D-0078).
fn streamed() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(sdk::upload::post))
}

/// Spec 4.1, and the calls beside it (wire facts 3.1, 3.2).
fn message_api() -> OpenApiRouter<Services> {
    use message_api::*;
    OpenApiRouter::new()
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
        .routes(routes!(rooms::create))
        .routes(routes!(rooms::change))
        .routes(routes!(rooms::open_pair))
        .routes(routes!(rooms::open_channel))
        .routes(routes!(rooms::load))
        .routes(routes!(participants::list))
        .routes(routes!(participants::add))
        .routes(routes!(participants::remove))
        .routes(routes!(rooms::list_of_user))
        .routes(routes!(rooms::count_unread))
        .routes(routes!(webhook_logs::list))
}

/// Who works in an app, and what it is set to (spec 4.2, wire facts 5.1, 5.2, 5.4).
fn people_api() -> OpenApiRouter<Services> {
    use omnichannel::*;
    OpenApiRouter::new()
        .routes(routes!(sign_in::sign_in))
        .routes(routes!(sign_in::sign_in_to_app))
        .routes(routes!(sign_in::sign_out))
        .routes(routes!(sign_in::change_password))
        .routes(routes!(agents::create))
        .routes(routes!(agents::change))
        .routes(routes!(agents::delete))
        .routes(routes!(agents::load))
        .routes(routes!(agents::list_v1))
        .routes(routes!(agents::list))
        .routes(routes!(agents::list_by_ids))
        .routes(routes!(divisions::list_agents))
        .routes(routes!(divisions::list))
        .routes(routes!(agents::list_channels))
        .routes(routes!(sign_in::load_profile))
        .routes(routes!(availability::set))
        .routes(routes!(availability::force_offline))
        .routes(routes!(webhook_settings::register_resolved))
        .routes(routes!(webhook_settings::register_allocation))
        .routes(routes!(webhook_settings::register_new_session))
        .routes(routes!(webhook_settings::register_logout))
        .routes(routes!(settings::load))
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
}

/// Where customers write from, and the bot (wire facts 5.3, 5.5).
fn channel_api(config: &Config) -> OpenApiRouter<Services> {
    use omnichannel::*;
    let mut router = OpenApiRouter::new()
        .routes(routes!(channels::list, channels::create))
        .routes(routes!(channels::change, channels::delete))
        .routes(routes!(channels::list_by_kind))
        .routes(routes!(custom_channel_messages::post))
        .routes(routes!(custom_channel_messages::post_old))
        .routes(routes!(widget::load_session))
        .routes(routes!(answers::post_as_bot))
        .routes(routes!(answers::activate_bot))
        .routes(routes!(answers::post_as_agent));
    // The path has the brand in it, in lower case (D-0001); the document has the first one.
    for (place, brand) in config.brands.iter().map(|brand| brand.to_lowercase()).enumerate() {
        let base = format!("/api/v2/{brand}");
        router = match place {
            0 => router.nest(&base, OpenApiRouter::new().routes(routes!(widget::initiate_chat))),
            _ => router.route(
                &format!("{base}/initiate_chat"),
                axum::routing::post(widget::initiate_chat),
            ),
        };
    }
    router
}

/// Who serves whom, and how that ends (wire facts 5.4, 5.5).
fn service_api(config: &Config) -> OpenApiRouter<Services> {
    use omnichannel::*;
    let mut router = OpenApiRouter::new()
        .routes(routes!(assigning::assign_agent))
        .routes(routes!(assigning::allocate_agent))
        .routes(routes!(assigning::allocate_and_assign))
        .routes(routes!(assigning::remove_agent))
        .routes(routes!(resolving::resolve))
        .routes(routes!(agents_of_room::list_available))
        .routes(routes!(agents_of_room::list_others))
        .routes(routes!(inbox::count_unserved))
        .routes(routes!(assigning::assign_colleague))
        .routes(routes!(assigning::add_colleague))
        .routes(routes!(resolving::resolve_as_agent))
        .routes(routes!(assigning::take_over))
        .routes(routes!(agents_of_room::list_available_as_agent))
        .routes(routes!(agents_of_room::list_others_as_agent))
        .routes(routes!(inbox::count_unserved_as_agent))
        .routes(routes!(buttons::list, buttons::create))
        .routes(routes!(buttons::change, buttons::delete))
        .routes(routes!(buttons::press))
        .routes(routes!(tags::list))
        .routes(routes!(tags::list_v2))
        .routes(routes!(tags::create))
        .routes(routes!(tags::delete))
        .routes(routes!(customer_info::set_property))
        .routes(routes!(inbox::list))
        .routes(routes!(inbox::load));
    for brand in &config.brands {
        let path = format!("/api/v1/{}", brand.to_lowercase());
        let infos = OpenApiRouter::new().routes(routes!(customer_info::load, customer_info::add));
        router = router.nest(&path, infos);
    }
    router
}

/// Messages, as the published SDKs ask for them (wire facts 4.3).
fn sdk_messages() -> OpenApiRouter<Services> {
    use sdk::*;
    OpenApiRouter::new()
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

/// Where an app is told of what happens, and what was told (D-0032).
fn webhook_api() -> OpenApiRouter<Services> {
    use webhooks::*;
    OpenApiRouter::new()
        .routes(routes!(endpoints::list))
        .routes(routes!(endpoints::put))
        .routes(routes!(endpoints::pause))
        .routes(routes!(endpoints::resume))
        .routes(routes!(trying::test))
        .routes(routes!(trying::trigger))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::load))
        .routes(routes!(deliveries::replay))
        .routes(routes!(deliveries::replay_many))
        .routes(routes!(listening::listen))
}
