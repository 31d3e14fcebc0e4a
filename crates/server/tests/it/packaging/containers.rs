//! The container file, and the examples for Compose and Kubernetes. No container engine runs here:
//! the names in the files are compared with the program.

use yaml_rust2::Yaml;

use super::{check_variables, default_of, documents, text_of};
use crate::support::process::Folder;
use crate::support::test_server::TestServer;

const RECIPE: &str = "packaging/container/Containerfile";
const COMPOSE: [&str; 2] =
    ["packaging/compose/compose.yaml", "packaging/compose/several-nodes.yaml"];
const KUBERNETES: &str = "packaging/kubernetes/confab.yaml";
/// The unprivileged user id of the image.
const USER: i64 = 65532;

/// Returns the port of a setting's default.
fn port(key: &str) -> String {
    default_of(key).rsplit_once(':').expect("a port").1.to_owned()
}

/// Returns the seconds that a stop may take, with this drain time.
fn stop_seconds(drain: i64) -> u64 {
    let grace: u64 = default_of("stop_grace_seconds").parse().expect("seconds");
    u64::try_from(drain).expect("not negative") + grace + 10
}

#[test]
fn the_image_runs_unprivileged_on_the_default_ports_with_a_health_check() {
    let recipe = text_of(RECIPE);
    check_variables(&recipe, RECIPE);
    let stages = recipe.lines().filter(|line| line.starts_with("FROM ")).count();
    assert_eq!(stages, 2, "the build tools are not in the image");
    for line in [
        &format!("USER {USER}:{USER}"),
        &format!("EXPOSE {} {}", port("listen"), port("mqtt_listen")),
        &format!("    CONFAB_LISTEN=0.0.0.0:{} \\", port("listen")),
        &format!("    CONFAB_MQTT_LISTEN=0.0.0.0:{} \\", port("mqtt_listen")),
        "ENV CONFAB_DATA=/data \\",
        "VOLUME /data",
        "ENTRYPOINT [\"/usr/bin/confab\"]",
        "CMD [\"serve\"]",
        "STOPSIGNAL SIGTERM",
    ] {
        assert!(recipe.lines().any(|it| it == line), "{line}");
    }
    assert!(recipe.contains("--profile dist") && recipe.contains("target/dist/confab"));
    assert!(recipe.contains("CMD [\"/usr/bin/confab\", \"ready\"]"), "a health check");
    let last = recipe.rfind("USER ").expect("a user");
    let after = &recipe[last..];
    assert!(
        !after.contains("\nRUN ") && !after.contains("\nCOPY "),
        "no file is added after the user is set"
    );
    // The ignore file must let through all files that the build needs.
    let ignored = text_of("packaging/container/Containerfile.dockerignore");
    for needed in ["Cargo.toml", "Cargo.lock", "LICENSE", ".cargo", "crates", "bench", "web/dist"] {
        assert!(ignored.lines().any(|line| line == format!("!{needed}")), "{needed}");
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(root.join(needed).exists(), "{needed}");
    }
    let manifest = text_of("Cargo.toml");
    let rust = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \""));
    let rust = rust.and_then(|rest| rest.strip_suffix('"')).expect("a version");
    assert!(recipe.contains(&format!("FROM rust:{rust}-")), "Rust {rust}");
}

fn listed(yaml: &Yaml) -> Vec<&str> {
    yaml.as_vec().into_iter().flatten().filter_map(Yaml::as_str).collect()
}

#[test]
fn the_compose_examples_match_the_program() {
    for path in COMPOSE {
        check_variables(&text_of(path), path);
        let all = documents(path);
        let (all, inherited) = (&all[0], &all[0]["x-node"]);
        let services = all["services"].as_hash().expect("services");
        let ours = services.iter().filter(|(name, _)| {
            let name = name.as_str().expect("a name");
            name.starts_with("node") || name == "confab"
        });
        let mut count = 0;
        for (_, service) in ours {
            // Values that several nodes share are in `x-node`.
            let of = |key: &str| match &service[key] {
                Yaml::BadValue => &inherited[key],
                found => found,
            };
            assert_eq!(of("read_only").as_bool(), Some(true), "{path}");
            assert_eq!(listed(of("cap_drop")), ["ALL"], "{path}");
            let asked = listed(&of("healthcheck")["test"]);
            assert_eq!(asked, ["CMD", "/usr/bin/confab", "ready"], "{path}");
            let inside = format!(":{}", port("listen"));
            assert!(listed(of("ports")).iter().all(|port| port.ends_with(&inside)), "{path}");
            assert!(listed(of("volumes")).iter().all(|volume| volume.ends_with(":/data")));
            let grace = of("stop_grace_period").as_str().expect("a time");
            let grace: u64 = grace.trim_end_matches('s').parse().expect("seconds");
            let drain = of("environment")["CONFAB_DRAIN_SECONDS"].as_i64().unwrap_or_default();
            assert_eq!(drain > 0, path.contains("several-nodes"), "{path}");
            assert!(grace > stop_seconds(drain), "{path}");
            count += 1;
        }
        assert!(count > 0, "{path}");
    }
}

#[tokio::test]
async fn the_kubernetes_example_matches_the_program() {
    check_variables(&text_of(KUBERNETES), KUBERNETES);
    let all = documents(KUBERNETES);
    let of_kind = |kind: &str| {
        let found = all.iter().find(|it| it["kind"].as_str() == Some(kind));
        found.unwrap_or_else(|| panic!("a {kind}"))
    };
    let pod = &of_kind("Deployment")["spec"]["template"]["spec"];
    assert_eq!(
        pod["enableServiceLinks"].as_bool(),
        Some(false),
        "variables of service links are not settings"
    );
    assert_eq!(pod["securityContext"]["runAsUser"].as_i64(), Some(USER));
    assert_eq!(pod["securityContext"]["runAsNonRoot"].as_bool(), Some(true));
    let container = &pod["containers"][0];
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"].as_bool(), Some(true));
    assert_eq!(listed(&container["args"]), ["serve"]);
    let server = TestServer::start().await;
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let asked = &container[probe]["httpGet"];
        assert_eq!(asked["port"].as_str(), Some("http"));
        let path = asked["path"].as_str().expect("a path");
        let answer = server.bare(reqwest::Method::GET, path).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{probe} asks for {path}");
    }
    let drain = of_kind("ConfigMap")["data"]["CONFAB_DRAIN_SECONDS"].as_str().expect("seconds");
    let drain: i64 = drain.parse().expect("a number");
    let readiness = &container["readinessProbe"];
    let asked = |key: &str| readiness[key].as_i64().expect("a number");
    assert!(
        drain > asked("periodSeconds") * asked("failureThreshold"),
        "the drain time covers the readiness probes"
    );
    let killed_after = pod["terminationGracePeriodSeconds"].as_i64().expect("seconds");
    assert!(u64::try_from(killed_after).expect("seconds") > stop_seconds(drain));
    let ports = container["ports"].as_vec().expect("ports");
    for (at, (name, key)) in [("http", "listen"), ("mqtt", "mqtt_listen")].into_iter().enumerate() {
        assert_eq!(ports[at]["name"].as_str(), Some(name));
        let number = ports[at]["containerPort"].as_i64().expect("a port");
        assert_eq!(number.to_string(), port(key));
    }
    let mounted = container["volumeMounts"].as_vec().expect("mounts");
    let paths: Vec<_> = mounted.iter().filter_map(|it| it["mountPath"].as_str()).collect();
    assert_eq!(paths, ["/data", "/etc/confab"]);
    let key_file = of_kind("ConfigMap")["data"]["CONFAB_SECRETS_KEY_FILE"].as_str();
    assert_eq!(key_file, Some("/etc/confab/secrets.key"));
    let scraped = &of_kind("Service")["metadata"]["annotations"]["prometheus.io/path"];
    let path = scraped.as_str().expect("a path");
    let answer = server.bare(reqwest::Method::GET, path).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
}

/// The image has a read-only root, so the server must write below its data folder only.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_the_images_settings_writes_only_to_its_data_folder() {
    let folder = Folder::embedded().and_app().await;
    let environment = [("CONFAB_LOG_FORMAT", "json"), ("CONFAB_DATA", "data")];
    let server = folder.launch(&[], &environment).listening();
    server.shop().furnish().await;
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
