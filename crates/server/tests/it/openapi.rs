//! The OpenAPI document, generated from the routes, matches the server.

use confab_domain::webhooks::event_kind::EventKind;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{Caller, sent, with_form, with_json, with_multipart};
use crate::support::test_server::TestServer;

/// A documented call.
pub struct DocumentedCall {
    pub method: Method,
    pub path: String,
    pub needs_credentials: bool,
    pub operation: Value,
}

/// Returns every call of the document.
pub async fn documented_calls(server: &Caller) -> Vec<DocumentedCall> {
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let paths = document["paths"].as_object().expect("paths");
    let mut calls = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("methods") {
            calls.push(DocumentedCall {
                method: method.to_uppercase().parse().expect("a method"),
                path: path.clone(),
                needs_credentials: operation["security"][0].is_object(),
                operation: operation.clone(),
            });
        }
    }
    calls
}

#[tokio::test]
async fn the_document_is_openapi_3_1_and_names_the_headers_of_both_apis() {
    let server = TestServer::start().await;
    let answer = sent(server.bare(Method::GET, "/openapi.json")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let document = answer.json();
    let version = document["openapi"].as_str().expect("a version");
    assert!(version.starts_with("3.1."), "{version}");
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["app_id"]["name"], "SERVICE-SDK-APP-ID");
    assert_eq!(schemes["sdk_secret"]["name"], "SERVICE-SDK-SECRET");
    assert_eq!(schemes["app_code"]["name"], "SERVICE-App-Id");
    assert_eq!(schemes["secret_key"]["name"], "SERVICE-Secret-Key");
    for scheme in ["app_id", "sdk_secret", "app_code", "secret_key"] {
        assert_eq!(
            (&schemes[scheme]["in"], &schemes[scheme]["type"]),
            (&"header".into(), &"apiKey".into())
        );
    }
}

#[tokio::test]
async fn every_call_of_both_apis_is_documented() {
    let server = TestServer::start().await;
    let mut found: Vec<_> = documented_calls(&server)
        .await
        .into_iter()
        .map(|call| {
            let path = call.path.replace("/api/v2.1/rest/", "").replace("/api/v2/webhooks/", "v2 ");
            format!("{} {path}", call.method)
        })
        .collect();
    found.sort();
    let mut expected = vec![
        "POST post_comment",
        "GET load_comments",
        "GET load_comments_with_range",
        "POST post_system_event_message",
        "DELETE delete_messages",
        "POST broadcast",
        "POST login_or_register",
        "GET user_profile",
        "GET get_user_token",
        "POST reset_user_token",
        "GET get_user_list",
        "DELETE deactivate_users",
        "POST reactivate_users",
        "GET get_user_unread_count",
        "GET get_unread_users",
        "GET get_average_reply_time_user",
        "POST create_room",
        "POST update_room",
        "POST get_or_create_room_with_target",
        "POST get_or_create_channel",
        "GET get_or_create_channel",
        "GET get_rooms_info",
        "GET get_room_participants",
        "POST add_room_participants",
        "POST remove_room_participants",
        "GET get_user_rooms",
        "GET get_unread_count",
        "GET webhook_logs",
        "POST /api/v2/rest/login_or_register",
        "GET /api/v2/rest/user_profile",
        "POST /api/v2/rest/reset_user_token",
        "POST /api/v2/rest/create_room",
        "POST /api/v2/rest/update_room",
        "GET /api/v2/rest/get_or_create_room_with_target",
        "POST /api/v2/rest/get_or_create_room_with_target",
        "POST /api/v2/rest/get_rooms_info",
        "GET /api/v2/rest/get_user_rooms",
        "GET /api/v2/rest/get_room_participants",
        "POST /api/v2/rest/add_room_participants",
        "POST /api/v2/rest/remove_room_participants",
        "POST /api/v2/rest/post_comment",
        "GET /api/v2/rest/load_comments",
        "POST /api/v2/rest/post_system_event_message",
        "POST /api/v2/rest/search_messages",
        "GET v2 endpoints",
        "PUT v2 endpoints/{kind}",
        "POST v2 endpoints/{kind}/pause",
        "POST v2 endpoints/{kind}/resume",
        "POST v2 endpoints/{kind}/test",
        "POST v2 trigger",
        "GET v2 deliveries",
        "GET v2 deliveries/{id}",
        "POST v2 deliveries/{id}/replay",
        "POST v2 replay",
        "GET v2 listen",
        "DELETE v2 endpoints/{kind}",
        "POST v2 verify",
        "POST /api/v1/auth",
        "POST /{app_code}/api/v1/auth",
        "POST /api/v1/auth/logout",
        "POST /api/v1/auth/change_password",
        "POST /whatsapp/v1/{app_code}/{channel_id}/messages",
        "GET /whatsapp/v1/{app_code}/{channel_id}/messages/{message_id}",
        "GET /whatsapp/v1/{app_code}/{channel_id}/media/{media_id}",
        "GET /api/v2/audit",
        "GET /api/v2/app/keys",
        "POST /api/v2/app/keys/{step}",
        "GET /api/v2/settings",
        "PATCH /api/v2/settings",
        "GET /api/v2/me/sign_ins",
        "DELETE /api/v2/me/sign_ins",
        "DELETE /api/v2/me/sign_ins/{id}",
        "GET /api/v2/admin/agent/{id}/sign_ins",
        "DELETE /api/v2/admin/agent/{id}/sign_ins",
        "DELETE /api/v2/admin/agent/{id}/sign_ins/{sign_in}",
        "POST /api/v2/admin/agent/{id}/sign_in_link",
        "POST /api/v2/admin/create_agent",
        "POST /api/v2/admin/agent/{id}/update",
        "POST /api/v1/admin/agent/{id}/delete",
        "GET /api/v2/admin/agent/{id}",
        "GET /api/v1/admin/agents",
        "GET /api/v2/admin/agents",
        "GET /api/v1/admin/agents/get_by_ids",
        "GET /api/v2/admin/agents/by_division",
        "GET /api/v2/divisions",
        "GET /api/v2/admin/agent/{id}/channels",
        "GET /api/v1/admin/get_profile",
        "POST /api/v1/agent/set_availability",
        "POST /api/v2/admin/agent/{id}/set_force_offline",
        "POST /api/v1/app/webhook/mark_as_resolved",
        "POST /api/v1/app/webhook/agent_allocation",
        "POST /api/v2/app/config/new_session_webhook",
        "POST /api/v2/app/config/auth_webhook",
        "GET /api/v2/app/configs",
        "POST /api/v1/app/bot/integrate",
        "GET /api/v1/app/bot",
        "POST /api/v1/app/bot/activation",
        "POST /api/v2/app/bot/force_send",
        "GET /api/v2/admin/webhook_config",
        "POST /api/v1/admin/service/set_sessional",
        "GET /api/v1/admin/service/get_sessional",
        "GET /api/v1/app/config/agent_takeover",
        "POST /api/v1/app/config/agent_takeover",
        "POST /api/v2/app/config/agent_allocation",
        "POST /api/v2/app/config/security",
        "POST /api/v1/auth/get_token_by_qismo_key",
        "POST /api/v2/divisions",
        "GET /api/v2/divisions/{id}",
        "POST /api/v2/divisions/{id}/update",
        "POST /api/v2/divisions/{id}/set_default",
        "POST /api/v2/divisions/{id}/delete",
        "GET /api/v1/agent/get_profile",
        "POST /api/v1/agent/update_profile",
        "POST /api/v1/set_availability",
        "GET /api/v1/admin/office_hours",
        "POST /api/v1/admin/office_hours",
        "GET /api/v2/app/details",
        "GET /api/v2/features",
        "GET /api/v2/channels/{id}/configs",
        "POST /api/v2/channels/{id}/configs",
        "POST /api/v2/room_tags/{room}",
        "GET /api/v2/tags",
        "GET /api/v2/contacts/{contact_id}",
        "GET /api/v2/contacts/properties/{contact_id}",
        "GET /api/v2/contacts/{contact_id}/conversations/{room_id}",
        "POST /api/v1/customer/block",
        "POST /api/v2/customer_rooms",
        "GET /api/v1/admin/service/get_unresolved_count",
        "POST /api/v1/agent/service/takeover_unresolved_room",
        "GET /api/v1/chat_templates",
        "GET /api/v2/canned_replies",
        "POST /api/v2/canned_replies",
        "PUT /api/v2/canned_replies/{id}",
        "DELETE /api/v2/canned_replies/{id}",
        "GET /api/v1/export/conversations",
        "GET /api/v2/custom_channels",
        "POST /api/v2/custom_channels",
        "PUT /api/v2/custom_channels/{id}",
        "DELETE /api/v2/custom_channels/{id}",
        "GET /api/v2/channels",
        "POST /{app_code}/api/v2/custom_channel/send",
        "POST /{app_code}/custom_channel",
        "GET /{app_code}/get_session",
        "GET /api/v2/widget/{app_code}",
        "GET /api/v2/widget_settings",
        "PUT /api/v2/widget_settings",
        "POST /api/v1/service/initiate_chat",
        "POST /api/v2/service/initiate_chat",
        "POST /api/v2/sdk/auth/nonce",
        "POST /api/v2/sdk/auth/verify_identity_token",
        "GET /api/v2/sdk/config",
        "POST /api/v2/sdk/login_or_register",
        "GET /api/v2/sdk/my_profile",
        "PATCH /api/v2/sdk/my_profile",
        "POST /api/v2/sdk/refresh_user_token",
        "POST /api/v2/sdk/expire_user_token",
        "POST /api/v2/sdk/logout",
        "GET /api/v2/sdk/mqtt_config",
        "POST /api/v2/sdk/event_report",
        "POST /api/v2/sdk/realtime",
        "POST /api/v2/sdk/realtime_ticket",
        "GET /api/v2/sdk/user_rooms",
        "POST /api/v2/sdk/rooms_info",
        "GET /api/v2/sdk/get_room_by_id",
        "POST /api/v2/sdk/get_or_create_room_with_target",
        "POST /api/v2/sdk/get_or_create_room_with_unique_id",
        "POST /api/v2/sdk/create_room",
        "POST /api/v2/sdk/update_room",
        "GET /api/v2/sdk/channels",
        "POST /api/v2/sdk/channels/info",
        "POST /api/v2/sdk/channels/join",
        "POST /api/v2/sdk/channels/leave",
        "GET /api/v2/sdk/room_participants",
        "POST /api/v2/sdk/add_room_participants",
        "POST /api/v2/sdk/remove_room_participants",
        "GET /api/v2/sdk/total_unread_count",
        "GET /api/v2/sdk/get_room_unread_count",
        "GET /api/v2/sdk/get_user_list",
        "POST /api/v2/sdk/block_user",
        "POST /api/v2/sdk/unblock_user",
        "GET /api/v2/sdk/get_blocked_users",
        "POST /api/v2/sdk/users/status",
        "POST /api/v2/sdk/set_user_device_token",
        "POST /api/v2/sdk/remove_user_device_token",
        "POST /api/v2/sdk/upload",
        "GET /files/{app_code}/{hash}/{name}",
        "POST /api/v2/sdk/post_comment",
        "POST /api/v2/sdk/update_message",
        "GET /api/v2/sdk/load_comments",
        "GET /api/v2/sdk/sync",
        "GET /api/v2/sdk/sync_event",
        "POST /api/v2/sdk/update_comment_status",
        "GET /api/v2/sdk/comment_receipt",
        "DELETE /api/v2/sdk/delete_messages",
        "DELETE /api/v2/sdk/clear_room_messages",
        "POST /api/v2/sdk/search",
        "POST /api/v2/sdk/search_messages",
        "POST /api/v2/sdk/file_list",
        "POST /{app_code}/bot",
        "POST /bot/{room_id}/activate",
        "POST /api/v2/customer_rooms/{room_id}/messages",
        "POST /api/v1/admin/service/assign_agent",
        "POST /api/v1/admin/service/allocate_agent",
        "POST /api/v1/admin/service/allocate_assign_agent",
        "POST /api/v1/admin/service/remove_agent",
        "POST /api/v1/admin/service/mark_as_resolved",
        "GET /api/v2/admin/service/available_agents",
        "POST /api/v2/admin/service/available_agents",
        "GET /api/v1/admin/service/available_agents",
        "GET /api/v2/admin/service/other_agents",
        "GET /api/v2/admin/service/total_unserved",
        "POST /api/v1/agent/service/assign_agent",
        "POST /api/v1/agent/service/mark_as_resolved",
        "POST /api/v2/agent/service/add_agent",
        "POST /api/v2/agent/service/takeover_unserved",
        "GET /api/v2/agent/service/available_agents",
        "GET /api/v2/agent/service/other_agents",
        "GET /api/v2/agent/service/total_unserved",
        "GET /api/v2/custom_buttons",
        "POST /api/v2/custom_buttons",
        "PUT /api/v2/custom_buttons/{id}",
        "DELETE /api/v2/custom_buttons/{id}",
        "POST /api/v2/custom_buttons/{id}/press",
        "GET /api/v1/room_tag/{room}",
        "POST /api/v1/room_tag/create",
        "DELETE /api/v1/room_tag/{room}/{tag_id}",
        "GET /api/v2/room_tags/{room}",
        "GET /api/v1/service/room/{room}/user_info",
        "POST /api/v1/service/room/{room}/user_info",
        "POST /api/v2/contacts/properties/{contact_id}",
        "GET /api/v2/customer_rooms",
        "GET /api/v2/customer_rooms/{room_id}",
        "GET /api/v2/customer_rooms/{room_id}/messages",
        "GET /api/v2/customer_rooms/{room_id}/trail",
        "GET /api/v2/customer_rooms/{room_id}/conversations",
        "POST /api/v2/customer_rooms/{room_id}/transfer",
        "POST /api/v2/customer_rooms/{room_id}/leave",
        "POST /api/v2/customer_rooms/{room_id}/reopen",
        "POST /api/v2/customer_rooms/{room_id}/bot",
        "GET /api/v2/customer_rooms/counts",
        "GET /api/v2/channel_names",
        "POST /api/v2/customer_rooms/{room_id}/read",
        "POST /api/v2/customer_rooms/{room_id}/unread",
        "GET /api/v2/inbox/live",
        "POST /api/v2/sign_in",
        "POST /api/v2/sign_out",
        "GET /api/v2/me",
        "PATCH /api/v2/me",
        "POST /api/v2/files",
        "GET /api/v2/customer_rooms/{room_id}/infos",
        "PUT /api/v2/customer_rooms/{room_id}/infos/{key}",
        "DELETE /api/v2/customer_rooms/{room_id}/infos/{key}",
        "GET /api/v2/search",
        "GET /api/v2/contacts/{contact_id}/export",
        "POST /api/v2/contacts/{contact_id}/erase",
        "GET /api/v2/contacts",
        "PATCH /api/v2/contacts/{contact_id}",
        "GET /api/v2/contacts/{contact_id}/rooms",
        "GET /api/v2/contacts/{contact_id}/properties",
        "DELETE /api/v2/contacts/{contact_id}/properties/{property_id}",
        "PUT /api/v2/tags/{id}",
        "DELETE /api/v2/tags/{id}",
        "DELETE /api/v2/room_tags/{room}/{tag_id}",
        "GET /api/v2/custom_buttons/presses/{delivery_id}",
        "PATCH /api/v2/customer_rooms/{room_id}/messages/{unique_id}",
        "DELETE /api/v2/customer_rooms/{room_id}/messages/{unique_id}",
        "GET /api/v2/customer_rooms/{room_id}/notes",
        "POST /api/v2/customer_rooms/{room_id}/notes",
        "PATCH /api/v2/customer_rooms/{room_id}/notes/{id}",
        "DELETE /api/v2/customer_rooms/{room_id}/notes/{id}",
        "GET /api/v2/board",
        "GET /api/v2/analytics/summary",
        "GET /api/v2/analytics/series",
        "GET /api/v2/analytics/agents",
        "GET /api/v2/analytics/channels",
        "GET /api/v2/analytics/export.csv",
        "POST /api/v2/custom_channels/{id}/test",
        "GET /api/v2/hooks/{kind}/{channel_id}",
        "POST /api/v2/hooks/{kind}/{channel_id}",
        "POST /api/v2/telegram/connect",
        "POST /api/v2/telegram/connect/{id}/update",
        "POST /api/v2/telegram/connect/{id}/delete",
        "GET /api/v2/telegram/{id}",
        "GET /api/v3/admin/channel/telegram",
        "POST /api/v2/email/connect",
        "POST /api/v2/email/connect/{id}/update",
        "POST /api/v2/email/connect/{id}/delete",
        "GET /api/v2/email/{id}",
        "GET /api/v3/admin/channel/email",
        "POST /api/v2/wa/connect",
        "POST /api/v2/wa/connect/{id}/update",
        "POST /api/v2/wa/connect/{id}/delete",
        "GET /api/v2/wa/{id}",
        "GET /api/v3/admin/channel/wa",
        "GET /api/v2/channels/{id}/templates",
        "POST /api/v2/customer_rooms/{room_id}/templates",
        "POST /api/v2/customer_rooms/start",
        "POST /api/v3/admin/broadcast/client",
        "POST /api/v2/line/connect",
        "POST /api/v2/line/connect/{id}/update",
        "POST /api/v2/line/connect/{id}/delete",
        "GET /api/v2/line/{id}",
        "GET /api/v3/admin/channel/line",
        "POST /api/v2/fb/connect",
        "POST /api/v2/fb/connect/{id}/update",
        "POST /api/v2/fb/connect/{id}/delete",
        "GET /api/v2/fb/{id}",
        "GET /api/v3/admin/channel/fb",
        "POST /api/v2/ig/connect",
        "POST /api/v2/ig/connect/{id}/update",
        "POST /api/v2/ig/connect/{id}/delete",
        "GET /api/v2/ig/{id}",
        "GET /api/v3/admin/channel/ig",
        "GET /api/v2/channels/{id}/health",
        "POST /api/v2/channels/{id}/check",
        "POST /api/v2/channels/{id}/events",
        "GET /api/v2/live/check",
        "POST /api/v2/customer_rooms/bulk",
        "GET /health",
        "GET /ready",
        "GET /realtime",
        "GET /metrics",
    ];
    expected.sort();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn every_documented_call_exists_and_responds_with_a_documented_status() {
    let server = TestServer::with_support_room().await;
    for call in documented_calls(&server).await {
        let answer = sent(server.request(call.method.clone(), &call.path)).await;
        assert_ne!(answer.status, 405, "{}", call.path);
        assert!(!answer.text.contains("route_not_found"), "{}", call.path);
        let documented = &call.operation["responses"][answer.status.to_string()];
        assert!(documented.is_object(), "{} answers {}", call.path, answer.status);
        let content = documented["content"].as_object().expect("a documented body");
        let kind = answer.header("content-type").split(';').next().expect("a type");
        assert!(content.contains_key(kind), "{} answers {kind}", call.path);
        assert!(call.operation["summary"].is_string() || !call.needs_credentials, "{}", call.path);
        assert!(call.operation["operationId"].is_string(), "{}", call.path);
    }
}

#[tokio::test]
async fn failures_have_the_documented_form_even_before_the_handler_runs() {
    let server = TestServer::start().await;
    let mut failed = 0;
    for call in documented_calls(&server).await {
        let bare = || server.bare(call.method.clone(), &call.path);
        for request in [bare(), bare().body("x".repeat(300_000))] {
            let answer = sent(request).await;
            let documented = &call.operation["responses"][answer.status.to_string()];
            let schema = &documented["content"]["application/json"]["schema"]["$ref"];
            let name = match schema.as_str().and_then(|it| it.rsplit('/').next()) {
                Some("ErrorBody" | "ServiceErrorBody") => "error",
                Some("ErrorsBody") => "errors",
                _ => continue,
            };
            assert!(answer.json()[name].is_object(), "{}: {}", call.path, answer.text);
            failed += 1;
        }
    }
    assert!(failed > 200, "{failed}");
}

#[tokio::test]
async fn every_reference_in_the_document_resolves() {
    let server = TestServer::start().await;
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let mut open = vec![&document];
    let mut followed = 0;
    while let Some(value) = open.pop() {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            let pointer = target.strip_prefix('#').expect("a reference inside the document");
            assert!(document.pointer(pointer).is_some(), "{target}");
            followed += 1;
        }
        match value {
            Value::Object(object) => open.extend(object.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    assert!(followed > 20, "{followed}");
}

#[tokio::test]
async fn the_document_uses_the_first_brand_of_the_server() {
    let server = TestServer::start_with(&[("brands", "acme, SERVICE")]).await;
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["app_id"]["name"], "ACME-SDK-APP-ID");
}

#[tokio::test]
async fn operation_ids_are_unique_with_several_brands() {
    let server = TestServer::start_with(&[("brands", "SERVICE, OTHER")]).await;
    let mut ids: Vec<String> = Vec::new();
    for call in documented_calls(&server).await {
        ids.push(call.operation["operationId"].as_str().expect("an id").to_owned());
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    // The document names the first brand only; the server accepts the other one as well.
    let path = "/api/v1/other/room/55/user_info";
    let answer = sent(server.keyed(Method::GET, path)).await;
    answer.errors(404, "room_not_found");
}

#[tokio::test]
async fn bodies_are_documented_in_every_accepted_media_type() {
    let server = TestServer::start().await;
    let forms = |call: &DocumentedCall| -> Vec<String> {
        let content = call.operation["requestBody"]["content"].as_object();
        content.map(|it| it.keys().cloned().collect()).unwrap_or_default()
    };
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let multipart = "multipart/form-data";
    let mut offered = 0;
    for call in documented_calls(&server).await {
        let forms = forms(&call);
        let taken: &[&str] = match call.path.as_str() {
            _ if forms.is_empty() => continue,
            "/api/v2/sdk/upload" | "/api/v2/files" => &[multipart],
            path if path.starts_with("/api/v2.1/") || path.starts_with("/api/v2/sdk/") => {
                &[json, form]
            }
            path if path.starts_with("/api/v2/webhooks/") => &[json, form],
            path if path.starts_with("/api/v2/hooks/") => &[json],
            path if path.starts_with("/whatsapp/") => &[json],
            _ => &[json, form, multipart],
        };
        assert_eq!(forms, taken, "{}", call.path);
        offered += 1;
    }
    assert!(offered > 60, "{offered}");
}

#[tokio::test]
async fn an_omnichannel_call_accepts_json_form_and_multipart_bodies() {
    let server = TestServer::start().await;
    let fields = [("url", "https://hook.example/"), ("enabled", "true")];
    let request = || server.keyed(Method::POST, "/api/v2/app/config/new_session_webhook");
    let body = json!({"url": "https://hook.example/", "enabled": true});
    for request in [
        with_multipart(request(), &fields),
        with_form(request(), &fields),
        with_json(request(), &body),
    ] {
        let data = sent(request).await.data();
        assert_eq!(data["configs"]["new_session_webhook_url"], "https://hook.example/");
    }
}

#[tokio::test]
async fn realtime_frames_have_a_schema() {
    let server = TestServer::start().await;
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let answers = &document["paths"]["/realtime"]["get"]["responses"];
    for (status, kind) in [("200", "text/event-stream"), ("101", "application/json")] {
        let schema = &answers[status]["content"][kind]["schema"]["$ref"];
        assert_eq!(schema, "#/components/schemas/RealtimeFrame", "{status}");
    }
    for (name, count) in [("RealtimeFrame", 13), ("RealtimeClientFrame", 7)] {
        let schema = &document["components"]["schemas"][name];
        let kinds = schema["oneOf"].as_array().expect("kinds of frames");
        assert_eq!(kinds.len(), count, "{name}");
    }
}

#[tokio::test]
async fn every_webhook_is_documented_with_an_example_that_matches_its_schema() {
    let server = TestServer::start().await;
    let document = sent(server.bare(Method::GET, "/openapi.json")).await.json();
    let webhooks = document["webhooks"].as_object().expect("webhooks");
    let documented: Vec<_> = webhooks.keys().map(String::as_str).collect();
    let mut kinds: Vec<_> = EventKind::webhooks().map(EventKind::as_str).collect();
    kinds.sort_unstable();
    assert_eq!(documented, kinds);
    for (name, webhook) in webhooks {
        let header = &webhook["post"]["parameters"][0]["name"];
        assert_eq!(header, "service-signature-key");
        let body = &webhook["post"]["requestBody"]["content"]["application/json"];
        fits(&document, &body["schema"], &body["example"], name);
    }
}

/// Asserts that an example has the keys and types of its schema.
fn fits(document: &Value, schema: &Value, example: &Value, place: &str) {
    let schema = match schema["$ref"].as_str() {
        Some(name) => document.pointer(&name[1..]).expect("a schema"),
        None => schema,
    };
    if let Some(variants) = schema["oneOf"].as_array() {
        let other = variants.iter().find(|it| it["type"] != "null").expect("a variant");
        if !example.is_null() {
            fits(document, other, example, place);
        }
        return;
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        assert!(example.get(name).is_some(), "{place} lacks {name}");
    }
    if let (Some(properties), Some(fields)) =
        (schema["properties"].as_object(), example.as_object())
    {
        for (name, value) in fields {
            let property = properties.get(name).unwrap_or_else(|| panic!("{place}: {name}"));
            fits(document, property, value, &format!("{place}.{name}"));
        }
    }
    for item in example.as_array().into_iter().flatten() {
        fits(document, &schema["items"], item, &format!("{place}[]"));
    }
    let is_of_type = |kind: &Value| match kind.as_str() {
        Some("string") => example.is_string(),
        Some("integer") => example.is_i64(),
        Some("boolean") => example.is_boolean(),
        Some("object") => example.is_object(),
        Some("array") => example.is_array(),
        Some("null") => example.is_null(),
        _ => true,
    };
    let types = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), |it| it);
    assert!(types.iter().any(is_of_type), "{place}: {example} is not {}", schema["type"]);
}

#[tokio::test]
async fn a_call_documents_exactly_the_failures_that_it_can_have() {
    let server = TestServer::start().await;
    let calls = documented_calls(&server).await;
    let failures = |method: Method, path: &str| {
        let call = calls.iter().find(|call| call.method == method && call.path.ends_with(path));
        let responses = call.expect("a call").operation["responses"].as_object().cloned();
        let statuses = responses.expect("responses").into_iter().map(|(status, _)| status);
        statuses.filter(|it| it.starts_with(['4', '5'])).collect::<Vec<_>>().join(" ")
    };
    for (method, path, expected) in [
        (Method::POST, "/v2.1/rest/post_comment", "400 401 403 404 408 409 413 415 429 503"),
        (Method::GET, "/v2.1/rest/load_comments", "400 401 404 429 503"),
        (Method::DELETE, "/v2.1/rest/delete_messages", "400 401 404 408 413 415 429 503"),
        (Method::GET, "/v2.1/rest/get_rooms_info", "400 401 429 503"),
        (Method::GET, "/v2/sdk/my_profile", "403 429 503"),
        (Method::POST, "/api/v2/sign_in", "400 401 408 413 415 429 503"),
        (Method::GET, "/api/v2/me", "401 429 503"),
    ] {
        assert_eq!(failures(method, path), expected, "{path}");
    }
}

#[tokio::test]
async fn idempotency_keys_and_ids_in_queries_are_documented() {
    let server = TestServer::start().await;
    let mut found = Vec::new();
    for call in documented_calls(&server).await {
        for it in call.operation["parameters"].as_array().into_iter().flatten() {
            let name = it["name"].as_str().expect("a name");
            if name == "Idempotency-Key" || name == "unique_ids[]" {
                assert_eq!(it["required"], false);
                found.push(format!(
                    "{} {name}",
                    call.operation["operationId"].as_str().expect("an id")
                ));
            }
        }
    }
    for name in ["post_comment", "broadcast", "post_system_event_message", "rest_v2_post_comment"] {
        assert!(found.contains(&format!("{name} Idempotency-Key")), "{name}");
    }
    for name in ["delete_messages", "client_delete_messages"] {
        assert!(found.contains(&format!("{name} unique_ids[]")), "{name}");
    }
    assert_eq!(found.len(), 14, "{found:?}");
}
