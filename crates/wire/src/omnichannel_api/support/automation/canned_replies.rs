//! Canned replies: texts that agents insert with a shortcut (wire facts 5.7).

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::canned_reply::CannedReply;
use confab_domain::support::automation::canning::CannedReplyInput;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Flag, Label, NonEmpty, NonEmptyIfPresent, PageSize, Short, Within};
use crate::request::request;
use crate::time::to_the_second;

/// The shortcut that agents type to insert a reply.
type Shortcut = Label<{ limits::LABEL_CHARS_MAX }>;
/// The text of a reply.
type ReplyText = Label<{ limits::MESSAGE_CHARS_MAX }>;
/// The language of a reply, as free text.
type Language = Short<{ limits::LABEL_CHARS_MAX }>;

request! {
    /// Body of a request to create or change a canned reply.
    pub struct PutCannedReplyFields as "PutCannedReply" {
        /// Shortcut that inserts the reply; unique among the replies that an agent sees.
        shortcut: Shortcut, required, example = "thanks";
        /// Text of the reply.
        text: ReplyText, required, example = "Thank you for waiting!";
        /// Language of the text, such as `en`; free text.
        language: Language, or String::new(), example = "en";
        /// Whether all agents of the app see the reply, or only its author. Default false, or true
        /// if the app itself creates it.
        is_shared: Flag, optional;
    }
}

request! {
    /// Body of a request to change a canned reply; all fields are optional.
    struct ChangeCannedReplyFields {
        shortcut: NonEmptyIfPresent<Shortcut>, optional;
        text: NonEmptyIfPresent<ReplyText>, optional;
        language: Language, optional;
        is_shared: Flag, optional;
    }
}

/// Parses a request to create a canned reply, or to change `before`. In a change, absent fields
/// keep their values. A new reply is shared by default if the app itself creates it (`is_by_app`).
pub fn read_canned_reply(
    body: &Body<'_>,
    before: Option<&CannedReply>,
    is_by_app: bool,
) -> Result<CannedReplyInput, Refusal> {
    let Some(before) = before else {
        let PutCannedReplyFields { shortcut, text, language, is_shared } = body.read()?;
        let is_shared = is_shared.unwrap_or(is_by_app);
        return Ok(CannedReplyInput { shortcut, text, language, is_shared });
    };
    let fields: ChangeCannedReplyFields = body.read()?;
    Ok(CannedReplyInput {
        shortcut: fields.shortcut.unwrap_or_else(|| before.shortcut.clone()),
        text: fields.text.unwrap_or_else(|| before.text.clone()),
        language: fields.language.unwrap_or_else(|| before.language.clone()),
        is_shared: fields.is_shared.unwrap_or(before.is_shared()),
    })
}

request! {
    /// Query of `GET /api/v1/chat_templates` and `GET /api/v2/canned_replies`.
    pub struct CannedRepliesFields {
        /// Text that must occur in the shortcut or the text of a reply.
        q: NonEmpty<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// Page number, from 1.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// Replies per page, default 20, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// A request for one page of canned replies.
#[derive(Debug, PartialEq, Eq)]
pub struct CannedRepliesQuery {
    part: String,
    page: usize,
    size: usize,
}

impl CannedRepliesQuery {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let CannedRepliesFields { q, page, limit: size } = query.read()?;
        let part = q.unwrap_or_default().trim().to_lowercase();
        Ok(Self { part, page: page as usize, size })
    }

    /// Returns the matching replies of this page, ordered by shortcut, and the number of all
    /// matching replies.
    fn of<'a>(&self, all: &'a [CannedReply]) -> (Vec<&'a CannedReply>, usize) {
        // Agents type a slash before a shortcut, which some clients include in the query.
        let typed = self.part.strip_prefix('/').unwrap_or(&self.part);
        let has = |text: &str| {
            let text = text.to_lowercase();
            text.contains(&self.part) || text.contains(typed)
        };
        let mut found: Vec<_> =
            all.iter().filter(|it| has(&it.shortcut) || has(&it.text)).collect();
        found.sort_by_key(|it| it.shortcut.to_lowercase());
        let total = found.len();
        let before = (self.page - 1).saturating_mul(self.size);
        (found.into_iter().skip(before).take(self.size).collect(), total)
    }
}

/// A canned reply.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CannedReply)]
pub struct CannedReplyShape<'a> {
    id: i64,
    shortcut: &'a str,
    text: &'a str,
    language: &'a str,
    /// Whether all agents of the app see the reply, or only its author.
    is_shared: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    /// Same value as `shortcut`, under the name that agent apps read.
    command: &'a str,
    /// Same value as `text`, under the name that agent apps read.
    message: &'a str,
}

impl<'a> From<&'a CannedReply> for CannedReplyShape<'a> {
    fn from(it: &'a CannedReply) -> Self {
        Self {
            id: it.id.0,
            shortcut: &it.shortcut,
            text: &it.text,
            language: &it.language,
            is_shared: it.is_shared(),
            created_at: to_the_second(it.created_at),
            updated_at: to_the_second(it.updated_at),
            command: &it.shortcut,
            message: &it.text,
        }
    }
}

/// Response data with one canned reply.
#[derive(Debug, Serialize, ToSchema)]
pub struct CannedReplyBox<'a> {
    canned_reply: CannedReplyShape<'a>,
}

/// Returns response data with one canned reply.
pub fn one_canned_reply(reply: &CannedReply) -> CannedReplyBox<'_> {
    CannedReplyBox { canned_reply: reply.into() }
}

/// Response data with a page of canned replies.
#[derive(Debug, Serialize, ToSchema)]
pub struct CannedReplyList<'a> {
    canned_replies: Vec<CannedReplyShape<'a>>,
    /// Number of all matching replies.
    total: usize,
}

/// Returns the requested page of canned replies.
pub fn canned_reply_list<'a>(
    all: &'a [CannedReply],
    wanted: &CannedRepliesQuery,
) -> CannedReplyList<'a> {
    let (page, total) = wanted.of(all);
    CannedReplyList { canned_replies: page.into_iter().map(Into::into).collect(), total }
}

/// Response data with a page of canned replies in the format of agent apps.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatTemplates<'a> {
    current_page: usize,
    data: Vec<CannedReplyShape<'a>>,
    last_page: usize,
    per_page: usize,
    total: usize,
}

/// Returns the requested page of canned replies in the format of agent apps.
pub fn chat_templates<'a>(
    all: &'a [CannedReply],
    wanted: &CannedRepliesQuery,
) -> ChatTemplates<'a> {
    let (page, total) = wanted.of(all);
    ChatTemplates {
        current_page: wanted.page,
        data: page.into_iter().map(Into::into).collect(),
        last_page: total.div_ceil(wanted.size).max(1),
        per_page: wanted.size,
        total,
    }
}
