//! A complete server inside the test process, with a real listener and a store of its own.

use std::net::{SocketAddr, TcpListener};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use confab_app::background::Background;
use confab_app::channels::mail::lmtp::serve as serve_lmtp;
use confab_app::services::Services;
use confab_domain::app::AppCode;
use confab_http::{Stopper, router, serve};
use confab_realtime::mqtt::serve as serve_mqtt;
use confab_runtime::config::{Config, Setting, from_everywhere};
use confab_store::{Location, NewApp, Registry, Store};
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::caller::Caller;
use super::engine;

/// A running server. Dereferences to a caller of its first app, `shop`.
pub struct TestServer {
    shop: Caller,
    // Shared by all apps: two registries could issue the same id within a millisecond.
    registry: Mutex<Registry>,
    /// The server's store, for reads and writes that no API call offers.
    pub store: Store,
    /// MQTT address.
    pub mqtt: SocketAddr,
    /// LMTP address, if a setting enables it.
    pub lmtp: Option<SocketAddr>,
    _background: Option<Background>,
    /// URL of its database, unless it uses the embedded store.
    pub database: Option<String>,
    folder: TempDir,
    location: Location,
}

impl TestServer {
    /// Starts a server with the default settings and one app.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server with these settings and one app.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        let (mut server, services) = Self::start_quiet_with(settings).await;
        server._background = Some(Background::start(&services));
        server
    }

    /// Starts a server with the embedded store on any engine, for tests that advance the clock: a
    /// database would appear unresponsive for that long.
    pub async fn start_embedded() -> Self {
        Self::start_embedded_with(&[]).await
    }

    /// Starts a server with the embedded store and these settings.
    pub async fn start_embedded_with(settings: &[(&str, &str)]) -> Self {
        let (mut server, services) = Self::start_on(settings, None, true).await;
        server._background = Some(Background::start(&services));
        server
    }

    /// Starts a server without background tasks: deliveries stay as they were created.
    pub async fn start_quiet() -> Self {
        Self::start_quiet_with(&[]).await.0
    }

    /// Starts two nodes with one app on one PostgreSQL schema, regardless of this run's engine.
    pub async fn start_two() -> (Self, Self) {
        Self::start_two_with(&[]).await
    }

    /// Starts two nodes on a new PostgreSQL schema, both with these settings.
    pub async fn start_two_with(settings: &[(&str, &str)]) -> (Self, Self) {
        let database = confab_test_servers::postgres::shared().new_schema();
        Self::start_two_on(&database, settings).await
    }

    /// Starts two nodes on this empty PostgreSQL schema.
    pub async fn start_two_on(database: &str, settings: &[(&str, &str)]) -> (Self, Self) {
        Self::start_two_unlike(database, [settings, settings], |_| {}).await
    }

    /// Starts two nodes with different settings. `between` changes their database after the first
    /// node has started.
    pub async fn start_two_unlike(
        database: &str,
        [of_one, of_two]: [&[(&str, &str)]; 2],
        between: impl FnOnce(&str),
    ) -> (Self, Self) {
        let (mut one, services) = Self::start_on(of_one, Some(database.to_owned()), true).await;
        one._background = Some(Background::start(&services));
        between(database);
        let (mut two, services) = Self::start_on(of_two, Some(database.to_owned()), false).await;
        two._background = Some(Background::start(&services));
        (one, two)
    }

    async fn start_quiet_with(settings: &[(&str, &str)]) -> (Self, Services) {
        Self::start_on(settings, engine::new_database(), true).await
    }

    async fn start_on(
        settings: &[(&str, &str)],
        database: Option<String>,
        is_first: bool,
    ) -> (Self, Services) {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let base = format!("http://{address}");
        let mut settings = settings.to_vec();
        if !settings.iter().any(|(name, _)| *name == "public_url") {
            settings.push(("public_url", &base));
        }
        // Test receivers of webhooks are on this machine.
        if !settings.iter().any(|(name, _)| ["listen", "webhook_loopback"].contains(name)) {
            settings.push(("webhook_loopback", "on"));
        }
        // The first value of a setting counts. The disk on which tests run may be nearly full.
        settings.push(("free_space_min_bytes", "0"));
        let config = config(folder.path(), &settings, database.clone());
        let store = engine::store(&config.location).await;
        let mut registry = engine::registry(&config.location).await;
        let secret = match is_first {
            true => create_app(&mut registry, "shop").await,
            false => "sdk-secret-of-shop".to_owned(),
        };
        let location = config.location.clone();
        let services = Services::new(store.clone(), config);
        let mqtt_listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let mqtt = mqtt_listener.local_addr().expect("an address");
        let (realtime, tls) = (services.realtime().clone(), services.config().tls.clone());
        tokio::spawn(serve_mqtt(mqtt_listener, realtime, tls, services.supervisor()));
        let lmtp = services.config().lmtp_listen.map(|address| {
            let listener = TcpListener::bind(address).expect("a free port");
            let address = listener.local_addr().expect("an address");
            tokio::spawn(serve_lmtp(listener, services.clone()));
            address
        });
        let (router, of_server) = (router(services.clone()), services.clone());
        tokio::spawn(async move { serve(listener, router, &of_server, Stopper::default()).await });
        let shop = Caller::new(&base, "shop", &secret);
        let registry = Mutex::new(registry);
        let _background = None;
        (
            Self { shop, registry, store, mqtt, lmtp, _background, database, folder, location },
            services,
        )
    }

    /// Returns the location of the server's data, for commands.
    pub fn location(&self) -> Location {
        self.location.clone()
    }

    /// Returns the folder of uploaded files.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("data").join("files")
    }

    /// Starts a server with ana and bob in a group room called support.
    pub async fn with_support_room() -> Self {
        let server = Self::start().await;
        server.furnish().await;
        server
    }

    /// Starts a server with these users.
    pub async fn with_people(users: &[&str]) -> Self {
        let server = Self::start().await;
        server.register_all(users).await;
        server
    }

    /// Replaces the keys of the first app.
    pub async fn set_keys(&self, sdk_secret: &str, secret_key: &str) {
        let code = AppCode::parse(&self.code).expect("a code");
        let set = self.registry.lock().await.set_keys(&code, sdk_secret, secret_key).await;
        assert!(set.expect("written"));
    }

    /// Creates another app on the same server.
    pub async fn create_app(&self, code: &str) -> Caller {
        let secret = create_app(&mut *self.registry.lock().await, code).await;
        Caller::new(&self.base, code, &secret)
    }
}

/// Calls on the server itself use the first app's credentials.
impl Deref for TestServer {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.shop
    }
}

impl Caller {
    /// Registers ana and bob and creates a group room called support with both.
    pub async fn furnish(&self) {
        self.register_all(&["ana", "bob"]).await;
        self.create_room("support", &["ana", "bob"]).await;
    }
}

fn config(folder: &Path, settings: &[(&str, &str)], database: Option<String>) -> Config {
    // An empty file prevents that the server reads another one.
    let file = folder.join("confab.toml");
    std::fs::write(&file, "").expect("written");
    let data = folder.join("data");
    let flag = |setting: &Setting| match setting.key {
        "data" => data.to_str().map(str::to_owned),
        "database_url" => database.clone(),
        "secrets_key_file" => engine::secrets_key_file().to_str().map(str::to_owned),
        key => settings.iter().find(|(name, _)| *name == key).map(|(_, v)| (*v).to_owned()),
    };
    let effective = from_everywhere(flag, |_| None, Some(&file)).expect("settings");
    Config::from_effective(&effective).expect("valid settings")
}

/// Creates an app; returns its SDK secret.
pub async fn create_app(registry: &mut Registry, code: &str) -> String {
    let app = NewApp {
        code: AppCode::parse(code).expect("a code"),
        name: format!("The {code} app"),
        sdk_secret: format!("sdk-secret-of-{code}"),
        secret_key: format!("secret-key-of-{code}"),
        system_token: format!("system-token-of-{code}"),
    };
    assert!(registry.create_app(&app, None).await.expect("made"), "{code} is taken");
    app.sdk_secret
}
