//! What may let a waiting customer be served asks for a look at once, not at the next by the clock.
//!
//! Nothing looks here, so what is asked for stays to be seen.

use std::sync::Arc;

use confab_domain::account::EmailAddress;
use confab_domain::app::{App, AppCode, Role};
use confab_domain::channel::Channel;
use confab_domain::connecting::WantedChannel;
use confab_domain::customer_room::WorkingUser;
use confab_domain::greeting::Visitor;
use confab_domain::ids::{DashboardUserId, RoomId};
use confab_domain::message::Draft;
use confab_domain::payload::Payload;
use confab_domain::people::UserId;
use confab_domain::settings::Settings;
use confab_domain::staffing::WorkerChange;
use confab_store::{Location, Registry, Store};
use confab_wire::omnichannel_api::service::requests::AssignAgent;
use tempfile::TempDir;

use super::{OwnedDesk, WantedWorker};
use crate::SystemStamps;
use crate::config::{Config, from_everywhere};
use crate::services::Services;
use crate::start::new_app;

struct World {
    services: Services,
    app: Arc<App>,
    desk: OwnedDesk,
    channel: Channel,
    _folder: TempDir,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (location, stamps) = (Location::folder(folder.path()), Arc::new(SystemStamps::new(0)));
        let store = Store::open(&location, stamps.clone()).await.expect("opens");
        let mut registry = Registry::open(&location, stamps).await.expect("opens");
        let code = AppCode::parse("shop").expect("a code");
        let app = new_app(code.clone(), "Shop", None, None);
        assert!(registry.create_app(&app, None).await.expect("made"));
        let app = Arc::new(store.app(&code).await.expect("read").expect("made"));
        let file = folder.path().join("confab.toml");
        std::fs::write(&file, "").expect("written");
        let effective = from_everywhere(|_| None, |_| None, Some(&file));
        let config = Config::from_effective(&effective.expect("settings")).expect("settings");
        let services = Services::new(store, config);
        let desk = OwnedDesk::new(&services, &app, 0);
        let wanted = WantedChannel {
            name: Some("SMS".to_owned()),
            webhook_url: None,
            identifier_key: None,
            is_active: None,
            logo_url: None,
        };
        let channel = super::connect_channel(&services, &app, wanted).await.expect("connected");
        Self { services, app, desk, channel, _folder: folder }
    }

    async fn worker(&self, name: &str, role: Role) -> WorkingUser {
        let wanted = WantedWorker {
            email: EmailAddress::parse("email", &format!("{name}@shop.example")).expect("one"),
            name: name.to_owned(),
            role,
            avatar_url: None,
            password: "a password of ours".to_owned(),
        };
        super::create_worker(&self.services, &self.app, wanted).await.expect("made")
    }

    /// A customer writes; the room they wait in.
    async fn customer(&self, name: &str) -> RoomId {
        let user_id = UserId::parse("user_id", name).expect("a name");
        let draft = Draft {
            sender: user_id.clone().into(),
            text: "hello".to_owned(),
            payload: Payload::Text,
            extras: None,
            unique_id: None,
        };
        let visitor = Visitor {
            user_id,
            name: None,
            avatar_url: None,
            extras: None,
            room_extras: None,
            infos: Vec::new(),
        };
        let (services, app) = (&self.services, &self.app);
        let received =
            super::receive_from_channel(services, app, &self.channel, visitor, draft, 0).await;
        received.expect("received").customer_room.room
    }

    async fn assign(&self, room: RoomId, agent: DashboardUserId) {
        let asked = AssignAgent { room, agent, wish: Default::default() };
        assert!(super::assign_agent(&self.services, &self.desk, asked).await.is_ok());
    }

    /// A look at the app was asked for since this was last said.
    fn is_asked(&self) -> bool {
        let asked = self.services.take_allocation();
        assert!(asked.iter().all(|app| *app == self.app.id));
        !asked.is_empty()
    }
}

#[tokio::test]
async fn customers_who_wait_and_agents_who_leave_or_are_free_ask_for_a_look() {
    let world = World::new().await;
    let (services, desk) = (&world.services, &world.desk);
    let admin = world.worker("boss", Role::Admin).await.profile;
    let agent = world.worker("bo", Role::Agent).await.profile.user.id;
    world.is_asked();
    let (ann, ben) = (world.customer("ann").await, world.customer("ben").await);
    assert!(world.is_asked(), "customers wait");
    world.assign(ann, agent).await;
    world.assign(ben, agent).await;
    assert!(!world.is_asked(), "nobody is freer by that");
    super::resolve(services, desk, ann, admin, Default::default()).await.expect("resolved");
    assert!(world.is_asked(), "a session is resolved");
    super::remove_agent(services, desk, ben, agent).await.expect("removed");
    assert!(world.is_asked(), "an agent leaves a room");
    world.assign(ben, agent).await;
    world.is_asked();
    super::delete_worker(services, &world.app, agent, None, 0).await.expect("deleted");
    assert!(world.is_asked(), "an agent is deleted");
}

#[tokio::test]
async fn agents_who_come_or_may_serve_more_ask_for_a_look() {
    let world = World::new().await;
    let (services, app) = (&world.services, &world.app);
    let agent = world.worker("bo", Role::Agent).await.profile.user.id;
    world.is_asked();
    super::set_available(services, app, agent, true).await.expect("available");
    assert!(world.is_asked(), "an agent comes online");
    let email = EmailAddress::parse("email", "bo@shop.example").expect("one");
    let password = "a password of ours".to_owned();
    assert!(super::sign_in(services, &email, password, None).await.is_ok());
    assert!(world.is_asked(), "an agent signs in");
    let cap = vec![(Settings::AGENT_CUSTOMERS_MAX, "9".to_owned())];
    super::set_settings(services, app, cap).await.expect("set");
    assert!(world.is_asked(), "the cap is raised");
    let change = WorkerChange { serves_max: Some(Some(9)), ..WorkerChange::default() };
    super::update_worker(services, app, agent, None, change, None).await.expect("changed");
    assert!(world.is_asked(), "their own cap is raised");
}
