//! Facts for rules about support and staff. The results are read in the order of the statements;
//! both engines use the same functions.

use std::sync::Arc;

use confab_domain::agents::account::Account;
use confab_domain::decision::facts::{BeforeFacts, OmnichannelFacts};
use confab_domain::decision::question::{BeforeQuestion, CandidateScope, OmnichannelQuestion};
use confab_domain::files::upload_facts::{UploadFacts, UploadQuestion};
use confab_domain::ids::{AgentId, AppId, ChannelId, DivisionId, RoomId};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::support::annotations::note::{NoteFacts, NoteRef};
use confab_domain::support::conversations::customer_room::{AgentRecord, SupportFacts};
use confab_domain::support::settings::Settings;

use crate::error::Read;
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, Row, SqlValue, Statement, ValueRow, values};
use crate::tables::agent_channels::{self, ChannelsOfAgents};
use crate::tables::{
    agents, apps, auto_replies, buttons, canned_replies, channel_messages, channel_states,
    channels, customer_info, customer_rooms, divisions, files, nonces, notes, participants,
    room_agents, sessions, settings, sign_in_codes, sign_ins, tags, users,
};

/// Returns the statements that load the facts of a question.
pub(crate) fn asks(app: AppId, question: &OmnichannelQuestion, rooms: &[RoomId]) -> Vec<Ask> {
    let mut asks = Vec::new();
    let mut ask = |statement, values| asks.push(Ask::new(statement, values));
    if let Some(by) = &question.by {
        ask(&sign_ins::RIGHT, values![&by.sign_in, by.user.0, app.0]);
    }
    for room in rooms.iter().filter(|_| question.finds_support) {
        ask_room(&mut ask, app, *room, question);
    }
    if question.finds_settings {
        ask(&settings::SETTINGS, values![app.0]);
    }
    if question.finds_app {
        ask(&apps::APP_BY_ID, values![app.0]);
    }
    ask_agents(&mut ask, app, question);
    ask_accounts(&mut ask, app, question);
    ask_customers(&mut ask, app, question);
    ask_others(&mut ask, app, question);
    asks
}

/// Reads the results of [`asks`]. Also returns the users that post on behalf of agents.
pub(crate) fn read(
    question: &OmnichannelQuestion,
    rooms: &[RoomId],
    answers: Vec<Vec<ValueRow>>,
    sealer: &Sealer,
) -> Read<(OmnichannelFacts, Vec<Arc<User>>)> {
    let mut answers = RowsInOrder(answers.into_iter());
    let mut found = (OmnichannelFacts::default(), Vec::new());
    if question.by.is_some() {
        found.0.standing = answers.all(sign_ins::standing)?.pop().flatten();
    }
    for _ in rooms.iter().filter(|_| question.finds_support) {
        read_room(&mut answers, question, sealer, &mut found)?;
    }
    if question.finds_settings {
        found.0.settings = Settings::from_stored(answers.all(settings::row)?);
    }
    if question.finds_app {
        found.0.app = answers.all(|row| apps::row(row, sealer))?.pop();
    }
    read_agents(&mut answers, question, sealer, &mut found)?;
    read_accounts(&mut answers, question, sealer, &mut found.0)?;
    read_customers(&mut answers, question, sealer, &mut found.0)?;
    read_others(&mut answers, question, &mut found.0)?;
    let (facts, speakers) = found;
    Ok((facts, speakers.into_iter().map(Arc::new).collect()))
}

/// The facts read so far, and the users that post on behalf of agents.
type FoundSoFar = (OmnichannelFacts, Vec<User>);

/// Results of statements, read in the order of the statements.
struct RowsInOrder(std::vec::IntoIter<Vec<ValueRow>>);

impl RowsInOrder {
    fn all<T>(&mut self, read: impl Fn(&ValueRow) -> Read<T>) -> Read<Vec<T>> {
        self.0.next().unwrap_or_default().iter().map(read).collect()
    }

    fn any(&mut self) -> bool {
        !self.0.next().unwrap_or_default().is_empty()
    }

    /// Returns the number in the first row of the next result, or 0 without rows.
    fn number(&mut self) -> Read<i64> {
        Ok(self.all(|row| row.number(0))?.first().copied().unwrap_or(0))
    }
}

fn ask_room(
    ask: &mut impl FnMut(&'static Statement, Vec<SqlValue>),
    app: AppId,
    room: RoomId,
    question: &OmnichannelQuestion,
) {
    let by_room = || values![room.0, app.0];
    let named_max = limits::NOTICE_PARTICIPANTS_MAX as i64;
    ask(&customer_rooms::CUSTOMER_ROOM, by_room());
    ask(&customer_rooms::CHANNEL_OF_ROOM, by_room());
    ask(&customer_rooms::CUSTOMER_OF_ROOM, by_room());
    ask(&room_agents::AGENTS_OF_ROOM, by_room());
    ask(&sessions::LAST_SERVED, values![room.0]);
    ask(&participants::NAMES_IN_ROOM, values![room.0, named_max]);
    ask(&customer_info::INFOS, values![room.0]);
    ask(&tags::TAGS_OF_ROOM, values![room.0]);
    ask(&customer_info::PROPERTIES_IN_ROOM, values![room.0]);
    if question.finds_speakers {
        ask(&room_agents::SPEAKERS_OF_ROOM, values![room.0]);
    }
    if question.finds_auto_replies {
        let Ask { statement, values } = auto_replies::in_room(app, room);
        ask(statement, values);
    }
    if question.finds_people {
        ask(&participants::PEOPLE_IN_ROOM, values![room.0, named_max]);
    }
}

fn read_room(
    answers: &mut RowsInOrder,
    question: &OmnichannelQuestion,
    sealer: &Sealer,
    (facts, speakers): &mut FoundSoFar,
) -> Read<()> {
    let mut service = service(answers, sealer)?;
    if question.finds_speakers {
        speakers.extend(answers.all(users::row)?);
    }
    if question.finds_auto_replies {
        facts.auto_replies = auto_replies::all(answers.all(auto_replies::row)?);
    }
    if question.finds_people {
        let people = answers.all(users::row)?.into_iter().map(Arc::new).collect();
        service = service.map(|it| SupportFacts { people, ..it });
    }
    facts.services.extend(service);
    Ok(())
}

fn service(answers: &mut RowsInOrder, sealer: &Sealer) -> Read<Option<SupportFacts>> {
    let customer_room = answers.all(customer_rooms::row)?.pop();
    let channel = answers.all(|row| channels::row(row, sealer))?.pop();
    let customer = answers.all(users::row)?.pop();
    let agents = answers.all(|row| Ok(agents::row(row, sealer)?.profile))?;
    let last_served = answers.all(sessions::row)?.pop();
    let participants = answers.all(|row| Ok(UserId::from_stored(row.text(0)?)))?;
    let infos = answers.all(customer_info::info)?;
    let tags = answers.all(tags::row)?;
    let properties = answers.all(customer_info::property)?;
    let (Some(customer_room), Some(channel), Some(customer)) = (customer_room, channel, customer)
    else {
        return Ok(None);
    };
    let customer = Arc::new(customer);
    Ok(Some(SupportFacts {
        customer_room,
        channel,
        customer,
        agents,
        last_served,
        participants,
        people: Vec::new(),
        infos,
        properties,
        tags,
    }))
}

fn ask_agents(
    ask: &mut impl FnMut(&'static Statement, Vec<SqlValue>),
    app: AppId,
    question: &OmnichannelQuestion,
) {
    if question.candidates.is_some() || !question.agents.is_empty() {
        ask(&agent_channels::AGENT_CHANNELS, values![app.0]);
    }
    if let Some(scope) = question.candidates {
        let (candidates, speakers) = match scope {
            CandidateScope::Available => (&agents::CANDIDATES, &agents::SPEAKERS_OF_CANDIDATES),
            CandidateScope::Agents => (&agents::ALL_AGENTS, &agents::SPEAKERS_OF_ALL_AGENTS),
            CandidateScope::Staff => (&agents::STAFF, &agents::SPEAKERS_OF_STAFF),
        };
        let some = || values![app.0, limits::CANDIDATES_MAX as i64];
        ask(candidates, some());
        if question.finds_speakers {
            ask(speakers, some());
        }
    }
    for user in &question.agents {
        ask(&agents::AGENT, values![user.0, app.0]);
        if question.finds_speakers {
            ask(&users::SPEAKER, values![user.0, app.0]);
        }
    }
}

fn read_agents(
    answers: &mut RowsInOrder,
    question: &OmnichannelQuestion,
    sealer: &Sealer,
    (facts, speakers): &mut FoundSoFar,
) -> Read<()> {
    let mut channels = ChannelsOfAgents::new();
    if question.candidates.is_some() || !question.agents.is_empty() {
        channels = agent_channels::by_agent(answers.all(agent_channels::row)?);
    }
    if question.candidates.is_some() {
        let found = answers.all(|row| agents::candidate(row, sealer))?;
        facts.candidates = agent_channels::with_channels(found, &channels);
        if question.finds_speakers {
            speakers.extend(answers.all(users::row)?);
        }
    }
    for _ in &question.agents {
        let found = answers.all(|row| agents::candidate(row, sealer))?;
        facts.agents.extend(agent_channels::with_channels(found, &channels));
        if question.finds_speakers {
            speakers.extend(answers.all(users::row)?);
        }
    }
    Ok(())
}

fn ask_accounts(
    ask: &mut impl FnMut(&'static Statement, Vec<SqlValue>),
    app: AppId,
    question: &OmnichannelQuestion,
) {
    for user in &question.accounts {
        ask(&agents::ACCOUNT, values![user.0, app.0]);
        ask(&users::SPEAKER, values![user.0, app.0]);
        ask(&agent_channels::CHANNELS_OF_AGENT, values![user.0]);
        ask(&sign_ins::SIGN_INS, values![user.0]);
        ask(&sign_in_codes::SIGN_IN_CODES, values![user.0]);
    }
    if question.counts_admins {
        ask(&agents::COUNT_ADMINS, values![app.0]);
    }
    if let Some(email) = &question.email {
        ask(&agents::AGENT_OF_EMAIL, values![email.as_str()]);
        ask(&agents::COUNT_AGENTS, values![app.0]);
    }
}

fn read_accounts(
    answers: &mut RowsInOrder,
    question: &OmnichannelQuestion,
    sealer: &Sealer,
    facts: &mut OmnichannelFacts,
) -> Read<()> {
    for _ in &question.accounts {
        facts.accounts.extend(account(answers, sealer)?);
    }
    if question.counts_admins {
        facts.admins = answers.number()? as usize;
    }
    if question.email.is_some() {
        facts.email_of = answers.all(|row| Ok(AgentId(row.number(0)?)))?.pop();
        facts.agent_count = answers.number()? as usize;
    }
    Ok(())
}

fn account(answers: &mut RowsInOrder, sealer: &Sealer) -> Read<Option<Account>> {
    let found = answers.all(|row| agents::with_password(row, sealer))?.pop();
    let speaker = answers.all(users::row)?.pop();
    let channels = answers.all(|row| Ok(ChannelId(row.number(0)?)))?;
    let sign_ins = answers.all(sign_ins::row)?;
    let codes = answers.all(sign_in_codes::row)?;
    let (Some((agent, password_hash)), Some(speaker)) = (found, speaker) else {
        return Ok(None);
    };
    let agent = AgentRecord { channels, ..agent };
    Ok(Some(Account { agent, speaker, password_hash, sign_ins, codes }))
}

fn ask_customers(
    ask: &mut impl FnMut(&'static Statement, Vec<SqlValue>),
    app: AppId,
    question: &OmnichannelQuestion,
) {
    if question.finds_channels {
        ask(&channels::CHANNELS, values![app.0]);
    }
    for channel in &question.channels {
        ask(&channels::CHANNEL, values![channel.0, app.0]);
    }
    if let Some(channel) = question.health_of {
        ask(&channel_states::HEALTH, values![channel.0]);
    }
    if let Some(external) = &question.external_message {
        let Ask { statement, values } = channel_messages::asked_for(external);
        ask(statement, values);
    }
    if let Some(room) = question.last_heard_in {
        ask(&channel_messages::LAST_HEARD, values![room.0]);
    }
    if let Some((channel, customer)) = &question.customer {
        ask(&customer_rooms::ROOM_OF_CUSTOMER, values![channel.0, app.0, customer.as_str()]);
        if question.finds_visitor_secret {
            ask(&channels::VISITOR_SECRET, values![channel.0, customer.as_str()]);
        }
    }
}

fn read_customers(
    answers: &mut RowsInOrder,
    question: &OmnichannelQuestion,
    sealer: &Sealer,
    facts: &mut OmnichannelFacts,
) -> Read<()> {
    if question.finds_channels {
        facts.channels = answers.all(|row| channels::row(row, sealer))?;
    }
    for _ in &question.channels {
        facts.channels.extend(answers.all(|row| channels::row(row, sealer))?);
    }
    if question.health_of.is_some() {
        facts.channel_health = answers.all(channel_states::health)?.pop();
    }
    if question.external_message.is_some() {
        facts.external_message = answers.all(channel_messages::row)?.pop();
    }
    if question.last_heard_in.is_some() {
        let last_inbound = answers.all(channel_messages::read_last_inbound)?.pop();
        facts.last_inbound_at = last_inbound.map(|(at, _)| at);
        facts.tags_people = last_inbound.is_some_and(|(_, tags_people)| tags_people);
    }
    if question.customer.is_some() {
        facts.customer_room = answers.all(customer_rooms::row)?.pop();
        if question.finds_visitor_secret {
            facts.visitor_secret = answers.all(|row| row.text(0))?.pop();
        }
    }
    Ok(())
}

fn ask_others(
    ask: &mut impl FnMut(&'static Statement, Vec<SqlValue>),
    app: AppId,
    question: &OmnichannelQuestion,
) {
    if let Some(nonce) = &question.nonce {
        ask(&nonces::NONCE, values![app.0, nonce]);
    }
    if let Some(UploadQuestion { hash, user, day }) = &question.upload {
        ask(&files::HAS_FILE, values![hash, app.0]);
        ask(&files::UPLOADED, values![app.0, 0i64, 0i64]);
        ask(&files::UPLOADED, values![app.0, user.0, *day]);
    }
    if question.finds_divisions {
        let Ask { statement, values } = divisions::of_app(app);
        ask(statement, values);
    }
    if let Some(by) = question.canned_replies_of {
        let Ask { statement, values } = canned_replies::keys_seen(app, by);
        ask(statement, values);
    }
    if let Some(customer) = question.properties_of {
        ask(&customer_rooms::IS_CUSTOMER, values![app.0, customer.0]);
        ask(&customer_info::PROPERTIES_OF_CUSTOMER, values![customer.0]);
    }
    if let Some(asked) = &question.tags {
        let Ask { statement, values } = tags::asked_for(app, asked);
        ask(statement, values);
    }
    if let Some(before) = question.before {
        let Ask { statement, values } = asked_before(app, before);
        ask(statement, values);
    }
    if let Some((room, note)) = &question.notes_of {
        ask(&notes::COUNT_NOTES, values![room.0]);
        match note {
            NoteRef::Id(note) => ask(&notes::NOTE, values![room.0, note.0]),
            NoteRef::UniqueId(id) => ask(&notes::NOTE_CALLED, values![room.0, id.as_str()]),
            NoteRef::New => ask(&notes::NOTE, values![room.0, 0_i64]),
        }
    }
}

fn read_others(
    answers: &mut RowsInOrder,
    question: &OmnichannelQuestion,
    facts: &mut OmnichannelFacts,
) -> Read<()> {
    if question.nonce.is_some() {
        facts.nonce_until = answers.all(|row| row.time(0))?.first().copied();
    }
    if question.upload.is_some() {
        let is_known = answers.any();
        let (app_bytes, user_bytes) = (answers.number()? as u64, answers.number()? as u64);
        facts.upload = UploadFacts { is_known, app_bytes, user_bytes };
    }
    if question.finds_divisions {
        facts.divisions = answers.all(divisions::row)?;
    }
    if question.canned_replies_of.is_some() {
        facts.canned_replies = answers.all(canned_replies::key)?;
    }
    if question.properties_of.is_some() {
        let is_known = answers.any();
        facts.properties = Some(answers.all(customer_info::property)?).filter(|_| is_known);
    }
    if question.tags.is_some() {
        facts.tags = answers.all(tags::stored)?;
    }
    if let Some(before) = question.before {
        read_before(answers, before, &mut facts.before)?;
    }
    if question.notes_of.is_some() {
        let count = answers.number()? as usize;
        facts.notes = NoteFacts { count, note: answers.all(notes::row)?.pop() };
    }
    Ok(())
}

fn asked_before(app: AppId, question: BeforeQuestion) -> Ask {
    match question {
        BeforeQuestion::AutoReplies => auto_replies::of_app(app),
        BeforeQuestion::Button(button) => buttons::label(app, button),
        BeforeQuestion::CannedReply(reply) => canned_replies::text(app, reply),
        BeforeQuestion::DivisionsOf(agent) => divisions::of_agent(app, agent),
    }
}

fn read_before(
    answers: &mut RowsInOrder,
    question: BeforeQuestion,
    facts: &mut BeforeFacts,
) -> Read<()> {
    match question {
        BeforeQuestion::AutoReplies => {
            facts.auto_replies = auto_replies::all(answers.all(auto_replies::row)?);
        }
        BeforeQuestion::Button(_) => {
            facts.button_label = answers.all(|row| row.text(0))?.pop();
        }
        BeforeQuestion::CannedReply(_) => {
            facts.canned_reply = answers.all(|row| Ok((row.text(0)?, row.text(1)?)))?.pop();
        }
        BeforeQuestion::DivisionsOf(_) => {
            facts.divisions = answers.all(|row| Ok(DivisionId(row.number(0)?)))?;
        }
    }
    Ok(())
}
