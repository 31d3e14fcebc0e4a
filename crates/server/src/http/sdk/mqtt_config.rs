//! `GET /mqtt_config` (wire facts 4.1)

use confab_wire::message_api::Results;
use confab_wire::sdk_api::config::{MqttConfig, mqtt_config};

use crate::http::answer::{Answer, ok};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;

#[utoipa::path(
    get,
    path = "/mqtt_config",
    operation_id = "sdk_mqtt_config",
    tag = "Clients",
    summary = "What clients connect to realtime with: nothing but their token",
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<MqttConfig>), ClientFailures),
)]
pub(crate) async fn handler(_caller: UserCaller) -> Answer {
    ok(mqtt_config())
}
