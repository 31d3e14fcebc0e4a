//! Rules that create, change and delete agents (wire facts 5.4).

use std::collections::BTreeSet;

use crate::agents::account::{Account, EmailAddress};
use crate::agents::agent::Agent;
use crate::agents::dividing::wanted_or_default;
use crate::agents::linking::{link_made, new_code};
use crate::agents::role::Role;
use crate::agents::signing_in::{NewSecrets, account, be_available, with_key, with_password};
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{AgentChange, Change, NewUser, SupportChange, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{BeforeQuestion, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AgentId, ChannelId, DivisionId, UserKey};
use crate::json_text::JsonText;
use crate::limits;
use crate::people::user::{Realm, User};
use crate::refusal::Refusal;
use crate::support::conversations::customer_room::AgentRecord;
use crate::webhooks::event::AgentProfile;

/// Creates an agent and the user that posts for them. No `Debug`: it holds keys.
pub struct HireAgent {
    /// E-mail address for signing in.
    pub email: EmailAddress,
    /// Display name.
    pub name: String,
    pub role: Role,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// The agent's divisions; `None` selects the app's default division.
    pub divisions: Option<Vec<DivisionId>>,
    /// Channels to which the agent is restricted; all channels if empty.
    pub channels: Vec<ChannelId>,
    pub password_hash: String,
    /// Token of the user that posts for the agent.
    pub sdk_key: String,
    /// Hash of a sign-in code to be created together with the agent.
    pub code_hash: Option<String>,
}

impl Rule for HireAgent {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        let omni = OmnichannelQuestion {
            email: Some(self.email.clone()),
            channels: self.channels.clone(),
            finds_divisions: true,
            ..OmnichannelQuestion::default()
        };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        if facts.omni.email_of.is_some() {
            return Err(Refusal::EmailTaken);
        }
        if facts.omni.agent_count >= limits::CANDIDATES_MAX {
            return Err(Refusal::TooManyAgentsInApp(limits::CANDIDATES_MAX));
        }
        check_channels(facts, &self.channels)?;
        let divisions = wanted_or_default(facts, self.divisions.as_deref())?;
        let id = AgentId(stamp.next_id());
        let agent = new_agent(&context.app, self, id, stamp);
        let token = self.sdk_key.clone();
        let speaker = NewUser { user: speaker_of(&agent), token, password_hash: None };
        let mut changes = vec![
            Change::User(UserChange::Insert(speaker)),
            AgentChange::Put(Box::new(agent.clone())).into(),
            AgentChange::SetPassword { user: id, hash: self.password_hash.clone() }.into(),
            AgentChange::SetDivisions { user: id, divisions }.into(),
        ];
        let (user, made) = (&agent.profile.user, Differences::default());
        let made = made.now("name", &*user.name).now("role", user.role.as_str());
        changes.push(context.audited(
            stamp,
            AuditAction::AgentCreated,
            AuditTarget::agent(user),
            made,
        ));
        if let Some(hash) = &self.code_hash {
            changes.push(new_code(id, hash, stamp.now).0);
            changes.push(link_made(context, stamp, user));
        }
        Ok(Decision::new(changes, agent))
    }
}

/// Changes of an agent. Fields that are `None` keep their value. No `Debug`.
#[derive(Default)]
pub struct AgentEdit {
    /// E-mail address for signing in.
    pub email: Option<EmailAddress>,
    /// Display name.
    pub name: Option<String>,
    pub role: Option<Role>,
    /// URL of the agent's picture; an empty string removes it.
    pub avatar_url: Option<String>,
    pub password_hash: Option<String>,
    /// New token of the user that posts for the agent, used only if the password or the role
    /// changes.
    pub new_sdk_key: String,
    /// Maximum number of customers that the agent serves at the same time; `Some(None)` selects the
    /// app's limit.
    pub serves_max: Option<Option<u32>>,
    /// Channels to which the agent is restricted; all channels if empty.
    pub channels: Option<Vec<ChannelId>>,
    pub divisions: Option<Vec<DivisionId>>,
    /// Language of the dashboard; `Some(None)` selects the browser's language.
    pub language: Option<Option<String>>,
    /// Dashboard preferences, as a JSON object.
    pub preferences: Option<JsonText>,
}

/// Changes an agent.
pub struct ChangeAgent {
    pub user: AgentId,
    /// The agent who makes the change; `None` if the app itself does.
    pub by: Option<AgentId>,
    pub edit: AgentEdit,
}

impl Rule for ChangeAgent {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        let omni = OmnichannelQuestion {
            accounts: vec![self.user],
            counts_admins: self.edit.role.is_some(),
            email: self.edit.email.clone(),
            channels: self.edit.channels.clone().unwrap_or_default(),
            finds_divisions: self.edit.divisions.is_some(),
            before: self.edit.divisions.as_ref().map(|_| BeforeQuestion::DivisionsOf(self.user)),
            ..OmnichannelQuestion::default()
        };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        let (before, edit) = (known(facts, self.user)?, &self.edit);
        check_change(facts, before, self.by, edit)?;
        let mut agent = changed(&before.agent, edit);
        agent.profile.updated_at = stamp.now;
        let mut changes = match &edit.password_hash {
            Some(hash) => {
                let (password_hash, sdk_key) = (hash.clone(), edit.new_sdk_key.clone());
                with_password(&mut agent, &NewSecrets { password_hash, sdk_key }, stamp.now)
            }
            None => vec![AgentChange::Put(Box::new(agent.clone())).into()],
        };
        let is_other_role = agent.profile.user.role != before.agent.profile.user.role;
        if is_other_role && edit.password_hash.is_none() {
            changes.push(with_key(&mut agent, &edit.new_sdk_key));
        }
        let speaker = User {
            username: agent.profile.user.name.clone(),
            avatar_url: agent.profile.avatar_url.clone().unwrap_or_default(),
            ..before.speaker.clone()
        };
        if speaker != before.speaker {
            let user = User { updated_at: stamp.now, ..speaker };
            changes.push(Change::User(UserChange::Update { user, password_hash: None }));
        }
        if let Some(wanted) = &edit.divisions {
            let divisions = wanted_or_default(facts, Some(wanted))?;
            changes.push(AgentChange::SetDivisions { user: self.user, divisions }.into());
        }
        changes.extend(page_settings(self.user, edit));
        let differences = differences(&before.agent, &agent, edit);
        let differences = with_divisions(differences, &facts.omni.before.divisions, edit);
        let target = AuditTarget::agent(&before.agent.profile.user);
        changes.extend(context.audited_change(
            stamp,
            AuditAction::AgentChanged,
            target,
            differences,
        ));
        // The agent may now serve more customers or other channels.
        Ok(Decision::new(changes, agent).allocating(true))
    }
}

/// Returns the changed values for the audit log. Dashboard settings are private and omitted.
fn differences(before: &AgentRecord, after: &AgentRecord, edit: &AgentEdit) -> Differences {
    let (was, is) = (&before.profile, &after.profile);
    let ids = |of: &[ChannelId]| of.iter().map(ToString::to_string).collect::<Vec<_>>();
    Differences::default()
        .of("name", &*was.user.name, &*is.user.name)
        .of("role", was.user.role.as_str(), is.user.role.as_str())
        .address("avatar_url", was.avatar_url.as_deref(), is.avatar_url.as_deref())
        .of("customers_max", before.serves_max, after.serves_max)
        .of("channel_ids", ids(&before.channels), ids(&after.channels))
        .secret("email", was.user.email != is.user.email)
        .secret("password", edit.password_hash.is_some())
}

fn with_divisions(all: Differences, before: &[DivisionId], edit: &AgentEdit) -> Differences {
    let Some(wanted) = &edit.divisions else { return all };
    let texts = |of: BTreeSet<&DivisionId>| of.iter().map(ToString::to_string).collect::<Vec<_>>();
    all.of("division_ids", texts(before.iter().collect()), texts(wanted.iter().collect()))
}

/// Returns the changes of the agent's dashboard settings.
fn page_settings(user: AgentId, edit: &AgentEdit) -> impl Iterator<Item = Change> + use<> {
    let language = edit.language.clone().map(|it| AgentChange::SetLanguage { user, language: it });
    let preferences = edit.preferences.clone();
    let preferences = preferences.map(|it| AgentChange::SetPreferences { user, preferences: it });
    language.into_iter().chain(preferences).map(Change::from)
}

/// Deletes an agent: they can no longer sign in, and the e-mail address is free again. The caller
/// removes them from their rooms in separate decisions; until then the agent counts as unavailable,
/// so that no customer is assigned to them. No `Debug`: it holds a key.
pub struct DeleteAgent {
    pub user: AgentId,
    /// The agent who deletes; `None` if the app itself does.
    pub by: Option<AgentId>,
    /// New token of the user that posted for the agent, so that the old token stops working. No
    /// client receives it.
    pub new_sdk_key: String,
}

impl Rule for DeleteAgent {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        let accounts = vec![self.user];
        let omni =
            OmnichannelQuestion { accounts, counts_admins: true, ..OmnichannelQuestion::default() };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let user = self.user;
        let before = known(facts, user)?;
        if self.by == Some(user) {
            return Err(Refusal::OwnAccount);
        }
        check_admin_left(facts, before)?;
        let mut agent = before.agent.clone();
        be_available(&mut agent, false, stamp.now);
        agent.deleted_at = Some(stamp.now);
        agent.profile.updated_at = stamp.now;
        // Unique, and no valid address: it has no host.
        agent.profile.user.email = format!("deleted-{user}");
        let speaker = User { is_active: false, updated_at: stamp.now, ..before.speaker.clone() };
        let changes = vec![
            AgentChange::Put(Box::new(agent)).into(),
            AgentChange::SetPassword { user, hash: String::new() }.into(),
            AgentChange::EndSignIns { user }.into(),
            AgentChange::SetDivisions { user, divisions: Vec::new() }.into(),
            AgentChange::RemovePageSettings { user }.into(),
            SupportChange::RemoveCannedRepliesOf { owner: user }.into(),
            Change::User(UserChange::Update { user: speaker, password_hash: None }),
            Change::User(UserChange::SetToken {
                user: before.speaker.key,
                token: self.new_sdk_key.clone(),
            }),
        ];
        let (gone, was) = (&before.agent.profile.user, Differences::default());
        let was = was.was("name", &*gone.name).was("role", gone.role.as_str());
        let entry =
            context.audited(stamp, AuditAction::AgentDeleted, AuditTarget::agent(gone), was);
        Ok(Decision::new(changes, ()).also([entry]))
    }
}

/// Creates the user that posts for a new agent.
pub fn speaker_of(agent: &AgentRecord) -> User {
    let AgentProfile { user, avatar_url, sdk_user, .. } = &agent.profile;
    User {
        key: agent.speaker,
        app: user.app,
        realm: Realm::App,
        user_id: sdk_user.clone(),
        username: user.name.clone(),
        avatar_url: avatar_url.clone().unwrap_or_default(),
        extras: None,
        is_active: true,
        created_at: user.created_at,
        updated_at: user.created_at,
    }
}

fn new_agent(app: &App, new: &HireAgent, id: AgentId, stamp: &Stamp<'_>) -> AgentRecord {
    let user = Agent {
        id,
        app: app.id,
        email: new.email.as_str().to_owned(),
        name: new.name.clone(),
        role: new.role,
        created_at: stamp.now,
    };
    let profile = AgentProfile {
        user,
        avatar_url: new.avatar_url.clone(),
        is_forced_offline: false,
        is_available: false,
        is_verified: true,
        last_login_at: None,
        sdk_user: App::speaker_id(&app.code, id),
        sdk_key: new.sdk_key.clone(),
        updated_at: stamp.now,
    };
    AgentRecord {
        profile,
        speaker: UserKey(id.0),
        serves_max: None,
        channels: new.channels.clone(),
        away_since: Some(stamp.now),
        deleted_at: None,
    }
}

pub(crate) fn known(facts: &Facts, user: AgentId) -> Result<&Account, Refusal> {
    account(facts, user).ok_or(Refusal::AgentNotFound(user.0))
}

fn check_change(
    facts: &Facts,
    before: &Account,
    by: Option<AgentId>,
    change: &AgentEdit,
) -> Result<(), Refusal> {
    let user = &before.agent.profile.user;
    if by == Some(user.id) && change.role.is_some_and(|role| role != user.role) {
        return Err(Refusal::OwnAccount);
    }
    if change.role.is_some_and(|role| role != Role::Admin) {
        check_admin_left(facts, before)?;
    }
    if change.email.is_some() && facts.omni.email_of.is_some_and(|other| other != user.id) {
        return Err(Refusal::EmailTaken);
    }
    check_channels(facts, change.channels.as_deref().unwrap_or_default())
}

/// Fails if a channel does not exist in the app.
fn check_channels(facts: &Facts, wanted: &[ChannelId]) -> Result<(), Refusal> {
    let is_known = |id: &&ChannelId| facts.omni.channels.iter().any(|it| it.id == **id);
    let unknown = wanted.iter().find(|id| !is_known(id));
    unknown.map_or(Ok(()), |id| Err(Refusal::ChannelNotFound(id.0)))
}

/// Fails if the agent is the app's last admin.
fn check_admin_left(facts: &Facts, before: &Account) -> Result<(), Refusal> {
    let is_last = before.agent.profile.user.role == Role::Admin && facts.omni.admins <= 1;
    if is_last { Err(Refusal::LastAdmin) } else { Ok(()) }
}

fn changed(before: &AgentRecord, change: &AgentEdit) -> AgentRecord {
    let mut agent = before.clone();
    let user = &mut agent.profile.user;
    if let Some(email) = &change.email {
        user.email = email.as_str().to_owned();
    }
    if let Some(name) = &change.name {
        user.name = name.clone();
    }
    user.role = change.role.unwrap_or(user.role);
    if let Some(avatar_url) = &change.avatar_url {
        agent.profile.avatar_url = Some(avatar_url.clone()).filter(|url| !url.is_empty());
    }
    agent.serves_max = change.serves_max.unwrap_or(agent.serves_max);
    if let Some(channels) = &change.channels {
        agent.channels = channels.clone();
    }
    agent
}

#[cfg(test)]
mod tests;
