//! Checks that every command and flag has a help text.

use clap::Command;

use crate::program;

#[test]
fn every_command_and_flag_has_a_help_text() {
    let mut program = program();
    program.build();
    program.clone().debug_assert();
    fn check(command: &Command) {
        assert!(command.get_about().is_some(), "{} has no help", command.get_name());
        for arg in command.get_arguments() {
            assert!(arg.get_help().is_some(), "{} {}", command.get_name(), arg.get_id());
        }
        command.get_subcommands().filter(|sub| sub.get_name() != "help").for_each(check);
    }
    check(&program);
}
