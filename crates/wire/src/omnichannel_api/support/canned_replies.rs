//! Canned replies (wire facts 5.7, D-0101).

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::canned_reply::CannedReply;
use confab_domain::support::canning::CannedReplyInput;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Filled, Flag, Label, NotEmptied, PageSize, Short, Within};
use crate::request::request;
use crate::time::to_the_second;

/// What is typed for a reply.
type Shortcut = Label<{ limits::LABEL_CHARS_MAX }>;
/// What is said.
type ReplyText = Label<{ limits::MESSAGE_CHARS_MAX }>;
/// The language of it.
type Language = Short<{ limits::LABEL_CHARS_MAX }>;

request! {
    /// A canned reply as it shall be.
    pub struct PutCannedReplyFields as "PutCannedReply" {
        /// What is typed for it; one among those that somebody sees.
        shortcut: Shortcut, required, example = "thanks";
        /// What is said.
        text: ReplyText, required, example = "Thank you for waiting!";
        /// The language of the text.
        language: Language, or String::new(), example = "en";
        /// Everybody's of the app, or one's own. Without it one's own, and everybody's if the app
        /// itself makes it.
        is_shared: Flag, optional;
    }
}

request! {
    /// The same where there is one before.
    struct ChangeCannedReplyFields {
        shortcut: NotEmptied<Shortcut>, optional;
        text: NotEmptied<ReplyText>, optional;
        language: Language, optional;
        is_shared: Flag, optional;
    }
}

/// Reads a canned reply. What is not given is as it was before, if there is one before; a new one
/// is shared if the app itself makes it.
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
    /// `GET /api/v1/chat_templates`, `GET /api/v2/canned_replies`
    pub struct CannedRepliesFields {
        /// A part of the shortcut or of the text.
        q: Filled<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// From 1 on.
        page: Within<1, { u32::MAX }>, or 1, default = || 1.into();
        /// How many on a page; 20 if absent, at most 100.
        limit: PageSize, or limits::PAGE_DEFAULT;
    }
}

/// Which canned replies are wanted.
#[derive(Debug, PartialEq, Eq)]
pub struct CannedRepliesQuery {
    part: String,
    page: usize,
    size: usize,
}

impl CannedRepliesQuery {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let CannedRepliesFields { q, page, limit: size } = query.read()?;
        let part = q.unwrap_or_default().trim().to_lowercase();
        Ok(Self { part, page: page as usize, size })
    }

    /// The wanted ones of this page, by their shortcuts, and how many are wanted in all.
    fn of<'a>(&self, all: &'a [CannedReply]) -> (Vec<&'a CannedReply>, usize) {
        // Agents type a slash before a shortcut, and some clients send it along.
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
    /// Everybody's of the app, or one's own.
    is_shared: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    /// The shortcut once more, as agent apps read it.
    command: &'a str,
    /// The text once more, as agent apps read it.
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

/// `{canned_reply}`
#[derive(Debug, Serialize, ToSchema)]
pub struct CannedReplyBox<'a> {
    canned_reply: CannedReplyShape<'a>,
}

/// One canned reply.
pub fn one_canned_reply(reply: &CannedReply) -> CannedReplyBox<'_> {
    CannedReplyBox { canned_reply: reply.into() }
}

/// `{canned_replies, total}`
#[derive(Debug, Serialize, ToSchema)]
pub struct CannedReplyList<'a> {
    canned_replies: Vec<CannedReplyShape<'a>>,
    /// How many there are in all.
    total: usize,
}

/// Those that are wanted.
pub fn canned_reply_list<'a>(
    all: &'a [CannedReply],
    wanted: &CannedRepliesQuery,
) -> CannedReplyList<'a> {
    let (page, total) = wanted.of(all);
    CannedReplyList { canned_replies: page.into_iter().map(Into::into).collect(), total }
}

/// A page as agent apps read it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatTemplates<'a> {
    current_page: usize,
    data: Vec<CannedReplyShape<'a>>,
    last_page: usize,
    per_page: usize,
    total: usize,
}

/// The same as a page within `data`.
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
