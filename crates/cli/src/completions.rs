//! `confab completions`: prints shell completion scripts (design/operations).

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::command_error::CommandError;

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print a shell completion script")
        .after_help(
            "For bash:  source <(confab completions bash), in ~/.bashrc\n\
             For fish:  confab completions fish >~/.config/fish/completions/confab.fish\n\
             For zsh:   confab completions zsh >_confab, in a folder of $fpath",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("Shell for which to print the script"),
        )
}

pub(super) fn run(matches: &ArgMatches, mut program: Command) -> Result<(), CommandError> {
    let shell = *matches.get_one::<Shell>("shell").ok_or("name the shell")?;
    // Render to memory first: the crate panics when standard output is closed early.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program, "confab", &mut text);
    say!("{}", String::from_utf8(text)?.trim_end());
    Ok(())
}
