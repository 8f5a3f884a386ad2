//! Is what a person disables no longer used, and only that?

use insta::assert_snapshot;

use super::{PAGE, loaded, timeless};

#[test]
fn what_is_disabled_is_not_seen_and_the_same_rules_get_their_old_version_back() {
    let home = loaded();
    home.write("page.html", PAGE);
    assert_snapshot!(home.run(&["fingerprints", "disable", "parley-script"]), @"
    1 fingerprint disabled
    rule set 2 is in force (before: 1): 1 fingerprint
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "test", "page.html"]), @"
    0 signals seen with rule set 2
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "list", "--disabled"]), @"
    signal                   fingerprint                          part     v state
    Parley                   parley-script                        script   1 off
    1 fingerprint
    rule set 2 is in force
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "disable", "PARLEY", "nobody"]), @"
    ! error: there is no fingerprint or signal `nobody`: `canvass fingerprints list` shows what there is
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "disable", "PARLEY"]), @"
    1 fingerprint disabled
    rule set 3 is in force (before: 2): 0 fingerprints
    [exit 0]
    ");
    // loading again does not undo what a person decided
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml"]), @"
    pack chat: 2 fingerprints for 2 signals in 1 category
      added           0
      changed         0
      kept            2
      deleted         0
      revived         0
    rule set 3 is in force (as before): 0 fingerprints
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "enable", "Parley"]), @"
    2 fingerprints enabled
    rule set 1 is in force (before: 3): 2 fingerprints
    [exit 0]
    ");
    assert_snapshot!(timeless(&home.run(&["fingerprints", "versions"])), @"
    version in force (UTC)   sha256       fingerprints  reason
    *     1 YYYY-MM-DD HH:MM 06717461612…            2  enabled Parley
          2 YYYY-MM-DD HH:MM fab144c2330…            1  disabled parley-script
          3 YYYY-MM-DD HH:MM 80d411c149d…            0  disabled Parley
    [exit 0]
    ");
}

#[test]
fn an_implied_signal_can_be_switched_off_by_itself() {
    let home = loaded();
    home.write("page.html", PAGE);
    home.run(&["fingerprints", "disable", "Palaver"]);
    let seen = home.json(&["fingerprints", "test", "page.html", "--json"]);
    assert_eq!(seen["seen"].as_array().unwrap().len(), 1, "{seen}");
    assert_eq!(seen["seen"][0]["signal"], "Parley");
}
