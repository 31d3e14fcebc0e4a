//! Large answers (D-0081). A list is written while it is read from the store, so that only a
//! bounded part of it is in memory. Any other answer above a certain size occupies part of a memory
//! budget until it is sent.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use confab_app::services::Services;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_runtime::admission::response_backpressure::{Asker, ReservedBytes};
use confab_runtime::failures::chain;
use confab_store::{MessageKey, PageEntry, ReaderScope, Store, StoreError, StoreProblem};
use futures_util::stream;
use hyper::body::{Frame, SizeHint};
use serde::Serialize;

use crate::requests::request::RequestContext;
use crate::responses::answer::Answer;
use crate::responses::json::{BYTES_EXPECTED, json_bytes, write};
use crate::responses::problem::Problem;

/// Loads and writes the items of a list while the list is being sent.
pub(crate) trait ListSource: Send + 'static {
    /// Key of an item that is not loaded yet.
    type Key: Clone + Send + Sync;
    /// A loaded item.
    type Item: Send;

    /// Loads items from the beginning of `keys`: at least one, and at most a number of bytes that
    /// the source determines.
    fn load(
        &mut self,
        keys: &[Self::Key],
    ) -> impl Future<Output = Result<Vec<Self::Item>, StoreError>> + Send;

    /// Appends the JSON of an item. Appends nothing if the item turns out not to be visible to the
    /// caller.
    fn write(&self, item: &Self::Item, out: &mut Vec<u8>);
}

/// An item of a list.
pub(crate) enum ListItem<S: ListSource> {
    Loaded(S::Item),
    Deferred(S::Key),
}

/// Answers with a list. `shell` is the whole answer, in which the first list is empty and is filled
/// with the items. `held` is the number of further bytes that stay in memory until the list is
/// sent.
pub(crate) async fn list<S: ListSource, T>(
    services: &Services,
    asker: Asker,
    shell: &impl Serialize,
    entries: VecDeque<ListItem<S>>,
    source: S,
    held: usize,
) -> Answer<T> {
    let (mut out, close) = opened(shell);
    let mut writing = Writing { source, left: entries, close, is_first: true };
    if writing.write_on(&mut out, limits::ANSWER_WHOLE_BYTES).await? {
        return Ok(json_bytes(StatusCode::OK, out).into());
    }
    let bytes = held.saturating_add(limits::STREAMED_ANSWER_BYTES);
    let reserved = services.admission().unsent.reserve(asker, bytes).ok_or_else(too_much_unsent)?;
    Ok(json_bytes(StatusCode::OK, streamed(writing, out, reserved)).into())
}

/// Answers with a page of messages. The parameters are those of [`list`].
pub(crate) async fn message_list<T>(
    services: &Services,
    asker: Asker,
    shell: &impl Serialize,
    page: Vec<PageEntry>,
    shown: impl Fn(&PostedMessage, &mut Vec<u8>) + Send + Sync + 'static,
    held: usize,
) -> Answer<T> {
    let entries = page.into_iter().map(|entry| match entry {
        PageEntry::Loaded(posted) => ListItem::Loaded(posted),
        PageEntry::Deferred(key) => ListItem::Deferred(key),
    });
    let source = Messages { store: services.store().clone(), shown };
    list(services, asker, shell, entries.collect(), source, held).await
}

struct Messages<F> {
    store: Store,
    shown: F,
}

impl<F: Fn(&PostedMessage, &mut Vec<u8>) + Send + Sync + 'static> ListSource for Messages<F> {
    type Key = MessageKey;
    type Item = std::sync::Arc<PostedMessage>;

    async fn load(&mut self, keys: &[MessageKey]) -> Result<Vec<Self::Item>, StoreError> {
        self.store.messages(keys).await
    }

    fn write(&self, item: &Self::Item, out: &mut Vec<u8>) {
        (self.shown)(item, out);
    }
}

/// Serializes the shell and splits it within its first list into the parts before and after the
/// items.
fn opened(shell: &impl Serialize) -> (Vec<u8>, Vec<u8>) {
    let mut open = Vec::with_capacity(BYTES_EXPECTED);
    write(&mut open, shell);
    let at = open.windows(2).position(|two| two == b"[]").map_or(open.len(), |at| at + 1);
    let close = open.split_off(at);
    (open, close)
}

struct Writing<S: ListSource> {
    source: S,
    left: VecDeque<ListItem<S>>,
    close: Vec<u8>,
    is_first: bool,
}

impl<S: ListSource> Writing<S> {
    /// Writes items until `out` has at least this many bytes. Returns whether the list is complete.
    async fn write_on(&mut self, out: &mut Vec<u8>, bytes: usize) -> Result<bool, StoreError> {
        loop {
            match self.left.front() {
                None => {
                    out.append(&mut self.close);
                    return Ok(true);
                }
                Some(_) if out.len() >= bytes => return Ok(false),
                Some(ListItem::Deferred(_)) => self.load().await?,
                Some(ListItem::Loaded(_)) => self.write_one(out),
            }
        }
    }

    fn write_one(&mut self, out: &mut Vec<u8>) {
        let Some(ListItem::Loaded(item)) = self.left.pop_front() else { return };
        if !self.is_first {
            out.push(b',');
        }
        let before = out.len();
        self.source.write(&item, out);
        match out.len() == before {
            true => out.truncate(before - usize::from(!self.is_first)),
            false => self.is_first = false,
        }
    }

    /// Loads some of the next items whose keys are known.
    async fn load(&mut self) -> Result<(), StoreError> {
        let key = |entry: &ListItem<S>| match entry {
            ListItem::Deferred(key) => Some(key.clone()),
            ListItem::Loaded(_) => None,
        };
        let keys: Vec<_> = self.left.iter().map_while(key).collect();
        let loaded = self.source.load(&keys).await?;
        if loaded.is_empty() || loaded.len() > keys.len() {
            let (doing, trouble) = ("reading a list", StoreProblem::Unavailable);
            return Err(StoreError { doing, trouble, source: "items are missing".into() });
        }
        self.left.drain(..loaded.len());
        for item in loaded.into_iter().rev() {
            self.left.push_front(ListItem::Loaded(item));
        }
        Ok(())
    }
}

/// Streams the rest of a list as the client reads it. An error aborts the answer, so that clients
/// cannot mistake a part for the whole.
fn streamed<S: ListSource>(writing: Writing<S>, out: Vec<u8>, reserved: ReservedBytes) -> Body {
    let (state, reads) = (Some((writing, out, reserved)), ReaderScope::current());
    Body::from_stream(stream::unfold(state, move |state| {
        reads.clone().run(async move {
            let (mut writing, mut out, reserved) = state?;
            let written = match out.is_empty() {
                true => writing.write_on(&mut out, limits::ANSWER_CHUNK_BYTES).await,
                // The beginning is already written.
                false => Ok(false),
            };
            match written {
                Ok(is_whole) => {
                    let next = (!is_whole).then_some((writing, Vec::new(), reserved));
                    Some((Ok(Bytes::from(out)), next))
                }
                Err(error) => {
                    tracing::error!(
                        error = %chain(&error),
                        "failed to read the rest of a list; response aborted"
                    );
                    Some((Err(error), None))
                }
            }
        })
    }))
}

/// Reserves a part of the caller's memory budget for a large answer until it is sent. Fails if the
/// caller has too many unread answers.
pub(crate) async fn counted(
    services: &Services,
    request: &RequestContext,
    response: Response,
) -> Response {
    let exact = response.body().size_hint().exact();
    if exact.is_none_or(|bytes| bytes <= limits::ANSWER_WHOLE_BYTES as u64) {
        return response;
    }
    match request.asker() {
        Some(asker) => held(services, asker, response).await,
        None => response,
    }
}

async fn held(services: &Services, asker: Asker, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    // The body is already in memory as a whole, so this does not wait.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR).into_response();
    };
    match services.admission().unsent.reserve(asker, bytes.len()) {
        Some(reserved) => {
            Response::from_parts(parts, Body::new(CountedBytes { bytes, _reserved: reserved }))
        }
        None => too_much_unsent().into_response(),
    }
}

pub(crate) fn too_much_unsent() -> Problem {
    let message =
        "Too much of your large responses is still unread. Read them before you request more.";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_much_unsent", message).retry_after(1)
}

/// An answer that is in memory as a whole and is sent in pieces. Its memory stays reserved until
/// the last piece is sent, because the pieces share it.
struct CountedBytes {
    bytes: Bytes,
    _reserved: ReservedBytes,
}

impl HttpBody for CountedBytes {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.bytes.len().min(limits::ANSWER_CHUNK_BYTES);
        let piece = self.bytes.split_to(size);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
