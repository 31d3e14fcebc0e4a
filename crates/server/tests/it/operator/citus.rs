//! A database for Citus, prepared as `docs/operating/postgresql.md` describes, with stand-ins for
//! the functions of Citus: the program serves from it, and reports if nothing is distributed.

use std::path::Path;
use std::process::Command;

use confab_test_servers::postgres::shared;

use crate::support::process::Folder;

const PAGE: &str = include_str!("../../../../../docs/operating/postgresql.md");

/// SQL that creates the objects of the extension, including its name, so that it is not created
/// again.
const STAND_INS: &str = "INSERT INTO pg_extension \
        (oid, extname, extowner, extnamespace, extrelocatable, extversion) \
        VALUES (99999, 'citus', 10, 'public'::regnamespace, false, '0'); \
    CREATE TABLE pg_dist_partition (logicalrelid regclass); \
    CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql \
    AS 'INSERT INTO pg_dist_partition VALUES (name::regclass)'; \
    CREATE FUNCTION create_distributed_table(name text, by text, \
        colocate_with text DEFAULT 'default') RETURNS void LANGUAGE sql \
    AS 'INSERT INTO pg_dist_partition VALUES (name::regclass)'; \
    CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql RETURN 'not really'";

const UNDISTRIBUTED: &str = "the tables are not distributed";

/// Returns the only line of the page that contains `part`.
fn line_with(part: &str) -> &'static str {
    let mut lines = PAGE.lines().filter(|line| line.contains(part));
    let line = lines.next().expect("the page has it");
    assert_eq!(lines.next(), None, "and once");
    line
}

/// Runs a line of the page in its folder, as an operator on the coordinator would.
fn paste(line: &str) {
    let psql = shared().program("psql");
    let programs = Path::new(psql.get_program()).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating");
    let mut shell = Command::new("sh");
    shell.args(["-ec", line]).current_dir(folder).env("PATH", path);
    shell.env("PGHOST", "127.0.0.1").env("PGPORT", shared().port().to_string());
    let output = shell.env("PGUSER", "postgres").output().expect("sh runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
}

fn url_of(database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{}/{database}", shared().port())
}

#[tokio::test]
async fn a_citus_database_made_as_documented_can_be_served() {
    paste(line_with("createdb confab  "));
    shared().psql_at(&url_of("confab"), STAND_INS);
    paste(line_with("--file citus.sql confab"));
    let folder = Folder::with_database(Some(url_of("confab"))).and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.register("ana").await;
    shop.create_room("support", &["ana"]).await;
    shop.post_comment("ana", "support", "hello").await;
    assert_eq!(shop.load_comments("support").await.len(), 1);
    assert!(!server.log.text().contains(UNDISTRIBUTED), "{}", server.log.text());
}

#[tokio::test]
async fn a_citus_database_without_distributed_tables_is_logged_once() {
    shared().psql("CREATE DATABASE not_distributed");
    shared().psql_at(&url_of("not_distributed"), STAND_INS);
    let folder = Folder::with_database(Some(url_of("not_distributed"))).and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    shop.register("ana").await;
    shop.create_room("support", &["ana"]).await;
    let log = server.log.text();
    assert_eq!(log.matches(UNDISTRIBUTED).count(), 1, "{log}");
}
