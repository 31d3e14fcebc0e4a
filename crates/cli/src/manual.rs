//! `confab man`: prints the manual pages, generated from the commands' help (design/operations).

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_mangen::Man;

use super::command_error::CommandError;

pub(super) fn command() -> Command {
    Command::new("man")
        .about("Print the manual page, or write the pages of all commands into a folder")
        .after_help(
            "To read it:     confab man | man -l -\n\
             To install it:  confab man --folder /usr/local/share/man/man1",
        )
        .arg(
            Arg::new("folder")
                .long("folder")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("Folder for confab.1 and one page per command"),
        )
}

pub(super) fn run(matches: &ArgMatches, program: Command) -> Result<(), CommandError> {
    if let Some(folder) = matches.get_one::<PathBuf>("folder") {
        // The pages of `help` would repeat those of `--help`.
        let program = program.disable_help_subcommand(true);
        let written = clap_mangen::generate_to(program, folder).and_then(|()| open_to_all(folder));
        return written.map_err(|error| format!("{}: {error}", folder.display()).into());
    }
    let mut text = Vec::new();
    Man::new(program).render(&mut text)?;
    say!("{}", String::from_utf8(text)?.trim_end());
    Ok(())
}

/// Makes the manual pages readable for all users, unlike the files of other commands.
fn open_to_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("confab") && name.ends_with(".1") {
            fs::set_permissions(&path, Permissions::from_mode(0o644))?;
        }
    }
    Ok(())
}
