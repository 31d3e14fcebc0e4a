//! `POST /upload` (wire facts 4.3, D-0046)

use axum::body::{Body, Bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::refusal::{FieldProblem, Refusal};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::upload::{FileBox, UploadFields, uploaded};
use http_body_util::BodyExt;
use url::Url;

use crate::actions;
use crate::failures::chain;
use crate::files::{Kept, ending, has_no_room, media_type};
use crate::http::answer::{Answer, ok};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/upload",
    operation_id = "sdk_upload",
    tag = "Clients",
    summary = "Keep a file, and say where it is served",
    request_body(content = UploadFields, content_type = "multipart/form-data"),
    security(("app_id" = [], "user_token" = [])),
    responses(
        (status = 200, description = "Done", body = Results<FileBox<'static>>),
        ClientFailures,
    ),
)]
pub(crate) async fn handler(State(services): State<Services>, request: HttpRequest) -> Answer {
    let (mut parts, body) = request.into_parts();
    let mut caller = match UserCaller::shows_token(&parts, &services) {
        true => Some(UserCaller::from_request_parts(&mut parts, &services).await?),
        false => None,
    };
    let running = Request::of(&parts);
    let request = HttpRequest::from_parts(parts.clone(), gaining_time(body, running.clone()));
    let mut form = Multipart::from_request(request, &services).await.map_err(|rejection| {
        let status = if caller.is_some() { rejection.status() } else { StatusCode::FORBIDDEN };
        if status == StatusCode::FORBIDDEN { Problem::wrong_token() } else { no_form() }
    })?;
    while let Some(field) = form.next_field().await.map_err(|error| broken(&services, &error))? {
        match field.name() {
            Some("token") if caller.is_none() => {
                caller = Some(shown_by(&services, &parts, field).await?);
            }
            Some("file") => {
                let caller = caller.ok_or_else(Problem::wrong_token)?;
                return keep(&services, &caller, field, &running).await;
            }
            _ => {}
        }
    }
    caller.ok_or_else(Problem::wrong_token)?;
    Err(Refusal::from(FieldProblem::new("file", "is required")).into())
}

/// Who shows the token of a field.
async fn shown_by(
    services: &Services,
    parts: &Parts,
    mut field: Field<'_>,
) -> Result<UserCaller, Problem> {
    let mut token = Vec::new();
    while let Some(bytes) = field.chunk().await.map_err(|error| broken(services, &error))? {
        if token.len() + bytes.len() > limits::UPLOAD_EXTRA_BYTES_MAX {
            return Err(Problem::wrong_token());
        }
        token.extend_from_slice(&bytes);
    }
    let token = String::from_utf8(token).map_err(|_| Problem::wrong_token())?;
    UserCaller::with_token(parts, services, token).await
}

/// The body: while enough of it arrives, its request goes on (D-0059).
fn gaining_time(body: Body, running: Request) -> Body {
    let mut arrived = 0;
    Body::new(body.map_frame(move |frame| {
        arrived += frame.data_ref().map_or(0, Bytes::len);
        if arrived >= limits::UPLOAD_PROGRESS_BYTES {
            arrived = 0;
            running.gain_time();
        }
        frame
    }))
}

async fn keep(
    services: &Services,
    caller: &UserCaller,
    mut field: Field<'_>,
    running: &Request,
) -> Answer {
    let config = services.config();
    let name = plain_name(field.file_name().unwrap_or_default());
    let is_allowed = config.upload_types.is_empty() || config.upload_types.contains(&ending(&name));
    if !is_allowed {
        let problem = format!("must end in one of: {}", config.upload_types.join(", "));
        return Err(Refusal::from(FieldProblem::new("file", problem)).into());
    }
    let files = services.files();
    let mut incoming = files.begin().await.map_err(|error| unkept(&error))?;
    while let Some(bytes) = field.chunk().await.map_err(|error| broken(services, &error))? {
        if incoming.size() + bytes.len() as u64 > config.upload_max_bytes {
            return Err(too_large(services));
        }
        incoming = incoming.write(&bytes).await.map_err(|error| unkept(&error))?;
    }
    running.gain_time();
    let kept = files.keep(incoming, caller.app.id).await.map_err(|error| unkept(&error))?;
    let kind = (name.as_str(), media_type(&name).name);
    actions::keep_file(services, &caller.app, caller.user.key, kind, &kept).await?;
    let url = url(services, &caller.app, &kept, &name)?;
    ok(uploaded(&name, kept.size, url))
}

/// A name without folders, controls, or anything that has a meaning in a path.
fn plain_name(shown: &str) -> String {
    let last = shown.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().filter(|c| !c.is_control()).take(limits::FILE_NAME_CHARS_MAX);
    let name: String = kept.collect();
    if matches!(name.as_str(), "" | "." | "..") { "file".to_owned() } else { name }
}

/// Where it is served.
fn url(services: &Services, app: &App, kept: &Kept, name: &str) -> Result<String, Problem> {
    let public = Url::parse(&services.config().public_url);
    let mut url = public.map_err(|_| Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR))?;
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["files", app.code.as_str(), &kept.hash, name]);
    }
    Ok(url.into())
}

fn no_form() -> Problem {
    let message = "The body must be a multipart form with a field called file.";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
}

fn broken(services: &Services, error: &MultipartError) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(services),
        _ => {
            let message = "The multipart form cannot be read.";
            Problem::new(StatusCode::BAD_REQUEST, "invalid_request", message)
        }
    }
}

fn too_large(services: &Services) -> Problem {
    let bytes_max = services.config().upload_max_bytes;
    let message = format!("The file is too large; at most {bytes_max} bytes are taken.");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
}

fn unkept(error: &std::io::Error) -> Problem {
    tracing::error!("a file could not be kept: {}", chain(error));
    if has_no_room(error) {
        return Problem::disk_full();
    }
    let message = "Files cannot be kept now; try again.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "files_unavailable", message).retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_folders_and_controls() {
        for (shown, kept) in [
            ("cat.png", "cat.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\photos\\a b.jpg", "a b.jpg"),
            ("..", "file"),
            ("", "file"),
            ("a\r\nb.txt", "ab.txt"),
        ] {
            assert_eq!(plain_name(shown), kept);
        }
        assert_eq!(plain_name(&"x".repeat(1000)).len(), limits::FILE_NAME_CHARS_MAX);
    }
}
