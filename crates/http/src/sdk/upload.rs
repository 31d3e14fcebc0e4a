//! `POST /upload`: uploads (wire facts 4.3).

mod form;
mod progress;

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::UserKey;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_runtime::admission::unproven_uploads::UnprovenUpload;
use confab_runtime::config::Config;
use confab_runtime::failures::chain;
use confab_runtime::files::{
    IncomingFile, StoredFileInfo, ending, has_no_room, media_type, served_url,
};
use confab_wire::message_api::Results;
use confab_wire::sdk_api::upload::{FileBox, UploadFields, uploaded};

use crate::calls::calls;
use crate::requests::bodies::StreamedForm;
use crate::requests::callers::{ClientCaller, Streaming, UserCaller};
use crate::requests::peer;
use crate::requests::request::RequestContext;
use crate::responses::answer::{Answer, ok};
use crate::responses::problem::Problem;
use form::{Form, FormError};
use progress::UploadProgress;

calls! {
    "Clients";
    /// Upload a file and get its URL
    POST "/upload" sdk_upload = post [403];
}

async fn post(
    State(services): State<Services>,
    _: Streaming,
    StreamedForm { request, .. }: StreamedForm<UploadFields>,
) -> Answer<Results<FileBox<'static>>> {
    let (mut parts, body) = request.into_parts();
    let mut caller = match ClientCaller::shows_token(&parts, &services) {
        true => Some(ClientCaller::from_request_parts(&mut parts, &services).await?.0),
        false => None,
    };
    let running = RequestContext::of(&parts);
    let progress = UploadProgress::new(running.clone(), caller.is_some());
    let form = Form::new(&parts.headers, body, progress);
    let mut form = form.ok_or_else(|| match caller {
        Some(_) => no_form(),
        None => Problem::wrong_token(),
    })?;
    // Published clients send the token in the form, mostly after the file.
    let mut file = None;
    while file.is_none() || caller.is_none() {
        let next = form.next_part().await.map_err(|it| unread(it, caller.is_some()))?;
        let Some(part) = next else { break };
        match part.name.as_str() {
            "token" if caller.is_none() => {
                caller = Some(shown_by(&services, &parts, &mut form).await?);
                form.prove();
            }
            "file" if file.is_none() => {
                let place = match caller {
                    Some(_) => None,
                    None => Some(unproven_place(&services, &parts)?),
                };
                file = Some(receive(&services, &mut form, &part.file_name, place).await?);
            }
            _ => {}
        }
    }
    let caller = caller.ok_or_else(Problem::wrong_token)?;
    let file = file.ok_or_else(|| Refusal::from(FieldProblem::new("file", "is required")))?;
    running.gain_time();
    // The token may have become invalid during the upload.
    let proof = caller.prove_again(services.store());
    let kept = keep(&services, &caller, caller.user.key, file, proof).await?;
    ok(uploaded(&kept.name, kept.size, kept.url))
}

/// Receives the file of a form whose sender is already authenticated.
pub(crate) async fn received(
    services: &Services,
    parts: &Parts,
    body: Body,
) -> Result<ReceivedFile, Problem> {
    let running = RequestContext::of(parts);
    let form = Form::new(&parts.headers, body, UploadProgress::new(running.clone(), true));
    let mut form = form.ok_or_else(no_form)?;
    while let Some(part) = form.next_part().await.map_err(|it| unread(it, true))? {
        if part.name == "file" {
            let file = receive(services, &mut form, &part.file_name, None).await?;
            running.gain_time();
            return Ok(file);
        }
    }
    Err(Refusal::from(FieldProblem::new("file", "is required")).into())
}

/// A completely received file, which is not stored yet. If its sender is not authenticated, it
/// occupies one of the slots for such uploads.
pub(crate) struct ReceivedFile {
    name: String,
    incoming: IncomingFile,
    place: Option<UnprovenUpload>,
}

/// Authenticates the sender by the token in the form's current part.
async fn shown_by(
    services: &Services,
    parts: &Parts,
    form: &mut Form,
) -> Result<UserCaller, Problem> {
    let token = form.text().await.map_err(|it| unread(it, false))?;
    let token = token.ok_or_else(Problem::wrong_token)?;
    ClientCaller::with_token(parts, services, token).await.map(|it| it.0)
}

fn unproven_place(services: &Services, parts: &Parts) -> Result<UnprovenUpload, Problem> {
    let peer = peer::of(parts, services.config());
    services.admission().unproven_uploads.begin(peer).ok_or_else(too_many_unproven)
}

/// Receives the file in the form's current part.
async fn receive(
    services: &Services,
    form: &mut Form,
    file_name: &str,
    mut place: Option<UnprovenUpload>,
) -> Result<ReceivedFile, Problem> {
    let config = services.config();
    let name = plain_name(file_name);
    check_type(config, &name)?;
    let mut incoming = services.files().begin().await.map_err(|error| not_stored(&error))?;
    while let Some(bytes) = form.content().await.map_err(|_| broken())? {
        let more = bytes.len() as u64;
        if incoming.size() + more > config.upload_max_bytes {
            return Err(too_large(config));
        }
        if place.as_mut().is_some_and(|place| !place.grow(more)) {
            return Err(too_many_unproven());
        }
        incoming = incoming.write(&bytes).await.map_err(|error| not_stored(&error))?;
    }
    Ok(ReceivedFile { name, incoming, place })
}

fn check_type(config: &Config, name: &str) -> Result<(), Refusal> {
    if config.upload_types.is_empty() || config.upload_types.contains(&ending(name)) {
        return Ok(());
    }
    let problem = format!("must end in one of: {}", config.upload_types.join(", "));
    Err(FieldProblem::new("file", problem).into())
}

/// A stored file, as the response describes it.
pub(crate) struct ServedFile {
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) url: String,
}

/// Stores a file, after `proof` has confirmed that its sender is still authenticated. The file's
/// record is committed before the file is moved to its final location: a rejected file leaves
/// nothing behind, and after a failure in between the client uploads the file again.
pub(crate) async fn keep(
    services: &Services,
    by: &Principal,
    user: UserKey,
    file: ReceivedFile,
    proof: impl Future<Output = Result<(), Problem>>,
) -> Result<ServedFile, Problem> {
    let ReceivedFile { name, incoming, place } = file;
    // The sender is authenticated, so the slot is free for others.
    drop(place);
    let whole = incoming.finish().await.map_err(|error| not_stored(&error))?;
    proof.await?;
    let kind = (name.as_str(), media_type(&name).name);
    actions::store_file(services, by, user, kind, &whole.kept).await?;
    let kept = services.files().keep(whole, by.app.id).await.map_err(|it| not_stored(&it))?;
    let url = url(services, &by.app, &kept, &name)?;
    Ok(ServedFile { name, size: kept.size, url })
}

/// Returns the last component of a file name without control characters, or `file` if it has a
/// special meaning in paths.
fn plain_name(shown: &str) -> String {
    let last = shown.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = last.chars().filter(|c| !c.is_control()).take(limits::FILE_NAME_CHARS_MAX);
    let name: String = kept.collect();
    if matches!(name.as_str(), "" | "." | "..") { "file".to_owned() } else { name }
}

/// Returns the URL from which the file can be downloaded.
fn url(
    services: &Services,
    app: &App,
    kept: &StoredFileInfo,
    name: &str,
) -> Result<String, Problem> {
    let url = served_url(&services.config().public_url, &app.code, &kept.hash, name);
    url.ok_or_else(|| Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR))
}

fn no_form() -> Problem {
    let message = "The body must be a multipart form with a field called file, and its \
        Content-Type must be multipart/form-data with a boundary.";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
}

fn broken() -> Problem {
    let message = "The multipart form is not valid.";
    Problem::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}

/// Returns the problem of a form that cannot be read. An anonymous sender of too much data is only
/// informed that the token is missing.
fn unread(error: FormError, is_proven: bool) -> Problem {
    match (error, is_proven) {
        (FormError::Broken, _) => broken(),
        (FormError::TooMuchBeside, false) => Problem::wrong_token(),
        (FormError::TooMuchBeside, true) => {
            let bytes_max = limits::UPLOAD_EXTRA_BYTES_MAX;
            let message = format!(
                "The form's other fields are too large. Send at most {bytes_max} bytes in \
                 addition to the file."
            );
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
        }
    }
}

fn too_large(config: &Config) -> Problem {
    let bytes_max = config.upload_max_bytes;
    let message = format!("The file is too large. At most {bytes_max} bytes are accepted.");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message)
}

fn too_many_unproven() -> Problem {
    let message = "Too many uploads without a token are running. Send your token in its header, \
        or in the form before the file.";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_at_once", message)
        .retry_after(limits::COME_AGAIN_S)
}

fn not_stored(error: &std::io::Error) -> Problem {
    // The server's own limit on free space has no system error number; a full disk has one.
    if error.kind() == std::io::ErrorKind::StorageFull && error.raw_os_error().is_none() {
        tracing::error!(%error, "upload refused: free space is below free_space_min_bytes");
        let message =
            "The server has too little free space for files. The operator must free some.";
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, "free_space_low", message)
            .retry_after(limits::FREE_SPACE_RETRY_S);
    }
    tracing::error!(error = %chain(error), "failed to store an uploaded file");
    if has_no_room(error) {
        return Problem::disk_full();
    }
    let message = "Files cannot be stored at the moment. Try again.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "files_unavailable", message).retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_lose_folders_and_control_characters() {
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
