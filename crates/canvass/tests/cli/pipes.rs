//! Is a reader that has seen enough an error? It is not.

use crate::program::Home;

#[test]
fn a_reader_that_leaves_early_ends_the_command_without_a_word() {
    let home = Home::with_round();
    for arguments in [
        &["config", "show"][..],
        &["config", "show", "--json"],
        &["config", "schema"],
        &["ledger"],
        &["ledger", "--json"],
        &["segments", "list", "--json"],
        &["segments", "cat"],
        &["status"],
        &["history", "--json"],
        &["--help"],
    ] {
        assert_eq!(home.run_unheard(arguments), (Some(0), String::new()), "{arguments:?}");
    }
}
