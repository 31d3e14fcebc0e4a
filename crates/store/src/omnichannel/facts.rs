//! What rules of the omnichannel half decide upon: asked for and read in the same order.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::agents::account::{Account, SignIn};
use confab_domain::agents::right::SignInStanding;
use confab_domain::agents::role::Role;
use confab_domain::decision::facts::OmniFacts;
use confab_domain::decision::question::OmniQuestion;
use confab_domain::files::upload_facts::{UploadFacts, UploadQuestion};
use confab_domain::ids::{AgentId, AppId, ChannelId, RoomId};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::service::customer_room::{AgentRecord, Candidate, ServiceFacts};
use confab_domain::service::settings::Settings;
use confab_domain::time::Timestamp;

use super::{rows, statements as sql};
use crate::error::StoreError;
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, Row, ValueRow, values};

/// The statements that answer the question.
pub(crate) fn asks(app: AppId, question: &OmniQuestion, rooms: &[RoomId]) -> Vec<Ask> {
    let mut asks = Vec::new();
    let mut ask = |sql, values| asks.push(Ask::new(sql, values));
    if let Some(by) = &question.by {
        ask(&sql::RIGHT, values![&by.sign_in, by.user.0, app.0]);
    }
    for room in rooms.iter().filter(|_| question.finds_service) {
        let by_room = || values![room.0, app.0];
        ask(&sql::SERVICE, by_room());
        ask(&sql::CHANNEL_OF_ROOM, by_room());
        ask(&sql::CUSTOMER_OF_ROOM, by_room());
        ask(&sql::AGENTS_OF_ROOM, by_room());
        ask(&sql::LAST_SERVED, values![room.0]);
        let named_max = limits::NOTICE_PARTICIPANTS_MAX as i64;
        ask(&sql::NAMES_IN_ROOM, values![room.0, named_max]);
        ask(&sql::INFOS, values![room.0]);
        ask(&sql::TAGS_OF_ROOM, values![room.0]);
        ask(&sql::PROPERTIES, values![room.0]);
        if question.finds_speakers {
            ask(&sql::SPEAKERS_OF_ROOM, values![room.0]);
        }
        if question.finds_people {
            ask(&sql::PEOPLE_IN_ROOM, values![room.0, named_max]);
        }
    }
    if question.finds_settings {
        ask(&sql::SETTINGS, values![app.0]);
    }
    if question.finds_candidates || !question.dashboard_users.is_empty() {
        ask(&sql::AGENT_CHANNELS, values![app.0]);
    }
    if question.finds_candidates {
        let (candidates, speakers) = match question.ignores_availability {
            true => (&sql::ALL_AGENTS, &sql::SPEAKERS_OF_ALL_AGENTS),
            false => (&sql::CANDIDATES, &sql::SPEAKERS_OF_CANDIDATES),
        };
        let some = || values![app.0, limits::CANDIDATES_MAX as i64];
        ask(candidates, some());
        if question.finds_speakers {
            ask(speakers, some());
        }
    }
    for user in &question.dashboard_users {
        ask(&sql::WORKER, values![user.0, app.0]);
        if question.finds_speakers {
            ask(&sql::SPEAKER, values![user.0, app.0]);
        }
    }
    for user in &question.accounts {
        ask(&sql::ACCOUNT, values![user.0, app.0]);
        ask(&sql::SPEAKER, values![user.0, app.0]);
        ask(&sql::CHANNELS_OF_AGENT, values![user.0]);
        ask(&sql::SIGN_INS, values![user.0]);
    }
    if question.counts_admins {
        ask(&sql::COUNT_ADMINS, values![app.0]);
    }
    if let Some(email) = &question.email {
        ask(&sql::EMAIL_OF, values![email.as_str()]);
        ask(&sql::COUNT_WORKERS, values![app.0]);
    }
    if question.finds_channels {
        ask(&sql::CHANNELS, values![app.0]);
    }
    for channel in &question.channels {
        ask(&sql::CHANNEL, values![channel.0, app.0]);
    }
    if let Some((channel, customer)) = &question.customer {
        ask(&sql::ROOM_OF_CUSTOMER, values![channel.0, app.0, customer.as_str()]);
        if question.finds_visitor_secret {
            ask(&sql::VISITOR_SECRET, values![channel.0, customer.as_str()]);
        }
    }
    if let Some(nonce) = &question.nonce {
        ask(&sql::NONCE, values![app.0, nonce]);
    }
    if let Some(UploadQuestion { hash, user, day }) = &question.upload {
        ask(&sql::HAS_FILE, values![hash, app.0]);
        ask(&sql::UPLOADED, values![app.0, 0i64, 0i64]);
        ask(&sql::UPLOADED, values![app.0, user.0, *day]);
    }
    if let Some(customer) = question.properties_of {
        ask(&sql::CONTACT, values![app.0, customer.0]);
        ask(&sql::PROPERTIES_OF, values![customer.0]);
    }
    asks
}

/// Reads the answers of [`asks`]; also gives the users that speak for agents.
pub(crate) fn read(
    question: &OmniQuestion,
    rooms: &[RoomId],
    answers: Vec<Vec<ValueRow>>,
    sealer: &Sealer,
) -> Result<(OmniFacts, Vec<Arc<User>>), StoreError> {
    let mut answers = Answers(answers.into_iter());
    let (mut facts, mut speakers) = (OmniFacts::default(), Vec::new());
    if question.by.is_some() {
        facts.standing = answers.all(standing)?.pop().flatten();
    }
    for _ in rooms.iter().filter(|_| question.finds_service) {
        let mut service = service(&mut answers, sealer)?;
        if question.finds_speakers {
            speakers.extend(answers.all(rows::user)?);
        }
        if question.finds_people {
            let people = answers.all(rows::user)?.into_iter().map(Arc::new).collect();
            service = service.map(|it| ServiceFacts { people, ..it });
        }
        facts.services.extend(service);
    }
    if question.finds_settings {
        let set = answers.all(|row| Ok((row.text(0)?, row.text(1)?)))?;
        facts.settings = Settings::from_stored(set);
    }
    let mut channels = HashMap::new();
    if question.finds_candidates || !question.dashboard_users.is_empty() {
        channels = agent_channels(&mut answers)?;
    }
    if question.finds_candidates {
        facts.candidates =
            with_channels(answers.all(|row| rows::candidate(row, sealer))?, &channels);
        if question.finds_speakers {
            speakers.extend(answers.all(rows::user)?);
        }
    }
    for _ in &question.dashboard_users {
        let found = answers.all(|row| rows::candidate(row, sealer))?;
        facts.dashboard_users.extend(with_channels(found, &channels));
        if question.finds_speakers {
            speakers.extend(answers.all(rows::user)?);
        }
    }
    for _ in &question.accounts {
        facts.accounts.extend(account(&mut answers, sealer)?);
    }
    if question.counts_admins {
        facts.admins = answers.all(|row| row.number(0))?.first().map_or(0, |it| *it as usize);
    }
    if question.email.is_some() {
        facts.email_of = answers.all(|row| Ok(AgentId(row.number(0)?)))?.pop();
        facts.workers = answers.all(|row| row.number(0))?.first().map_or(0, |it| *it as usize);
    }
    if question.finds_channels {
        facts.channels = answers.all(|row| rows::channel(row, sealer))?;
    }
    for _ in &question.channels {
        facts.channels.extend(answers.all(|row| rows::channel(row, sealer))?);
    }
    if question.customer.is_some() {
        facts.customer_room = answers.all(rows::customer_room)?.pop();
        if question.finds_visitor_secret {
            facts.visitor_secret = answers.all(|row| row.text(0))?.pop();
        }
    }
    if question.nonce.is_some() {
        let until = answers.all(|row| row.number(0))?;
        facts.nonce_until = until.first().copied().map(Timestamp);
    }
    if question.upload.is_some() {
        let is_known = !answers.all(|row| row.number(0))?.is_empty();
        let mut bytes = || Ok(answers.all(|row| row.number(0))?.first().map_or(0, |it| *it as u64));
        let (app_bytes, user_bytes) = (bytes()?, bytes()?);
        facts.upload = UploadFacts { is_known, app_bytes, user_bytes };
    }
    if question.properties_of.is_some() {
        let is_known = !answers.all(|row| row.number(0))?.is_empty();
        facts.properties = Some(answers.all(rows::property)?).filter(|_| is_known);
    }
    Ok((facts, speakers.into_iter().map(Arc::new).collect()))
}

struct Answers(std::vec::IntoIter<Vec<ValueRow>>);

impl Answers {
    fn all<T>(
        &mut self,
        read: impl Fn(&ValueRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.0.next().unwrap_or_default().iter().map(read).collect()
    }
}

/// A role that this version does not know is nobody's right.
fn standing(row: &ValueRow) -> Result<Option<SignInStanding>, StoreError> {
    let (role, until) = (Role::from_number(row.number(0)?), Timestamp(row.number(1)?));
    Ok(role.map(|role| SignInStanding { role, until }))
}

fn service(answers: &mut Answers, sealer: &Sealer) -> Result<Option<ServiceFacts>, StoreError> {
    let customer_room = answers.all(rows::customer_room)?.pop();
    let channel = answers.all(|row| rows::channel(row, sealer))?.pop();
    let customer = answers.all(rows::user)?.pop();
    let agents = answers.all(|row| Ok(rows::worker(row, sealer)?.profile))?;
    let last_served = answers.all(rows::session)?.pop();
    let participants = answers.all(|row| Ok(UserId::from_stored(row.text(0)?)))?;
    let infos = answers.all(rows::info)?;
    let tags = answers.all(rows::tag)?;
    let properties = answers.all(rows::property)?;
    let (Some(customer_room), Some(channel), Some(customer)) = (customer_room, channel, customer)
    else {
        return Ok(None);
    };
    let customer = Arc::new(customer);
    Ok(Some(ServiceFacts {
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

fn account(answers: &mut Answers, sealer: &Sealer) -> Result<Option<Account>, StoreError> {
    let read = |row: &ValueRow| Ok((rows::worker(row, sealer)?, row.text(rows::WORKER_COLUMNS)?));
    let found = answers.all(read)?.pop();
    let speaker = answers.all(rows::user)?.pop();
    let channels = answers.all(|row| Ok(ChannelId(row.number(0)?)))?;
    let sign_ins =
        answers.all(|row| Ok(SignIn { hash: row.text(0)?, until: Timestamp(row.number(1)?) }))?;
    let (Some((worker, password_hash)), Some(speaker)) = (found, speaker) else {
        return Ok(None);
    };
    let worker = AgentRecord { channels, ..worker };
    Ok(Some(Account { worker, speaker, password_hash, sign_ins }))
}

pub(super) type ChannelsOf = HashMap<i64, Vec<ChannelId>>;

fn agent_channels(answers: &mut Answers) -> Result<ChannelsOf, StoreError> {
    Ok(by_agent(answers.all(agent_channel)?))
}

/// An agent and a channel they serve.
pub(super) fn agent_channel(row: &ValueRow) -> Result<(i64, ChannelId), StoreError> {
    Ok((row.number(0)?, ChannelId(row.number(1)?)))
}

/// The channels of each agent.
pub(super) fn by_agent(pairs: Vec<(i64, ChannelId)>) -> ChannelsOf {
    let mut channels = ChannelsOf::new();
    for (agent, channel) in pairs {
        channels.entry(agent).or_default().push(channel);
    }
    channels
}

/// The same with the channels that each serves.
pub(super) fn with_channels(found: Vec<Candidate>, channels: &ChannelsOf) -> Vec<Candidate> {
    let with = |it: Candidate| {
        let channels = channels.get(&it.profile.user.id.0).cloned().unwrap_or_default();
        Candidate { channels, ..it }
    };
    found.into_iter().map(with).collect()
}
