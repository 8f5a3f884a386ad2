//! Are packs loaded as a person expects, and is everything that is wrong with one told?

use insta::assert_snapshot;

use super::{CHAT, loaded};
use crate::program::Home;

#[test]
fn a_pack_is_loaded_once_and_what_changes_gets_a_new_version() {
    let home = Home::begun();
    home.write("chat.yaml", CHAT);
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml", "--dry-run"]), @"
    pack chat: 2 fingerprints for 2 signals in 1 category
      added           2
      changed         0
      kept            0
      deleted         0
      revived         0
    a dry run: nothing was changed
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml"]), @"
    pack chat: 2 fingerprints for 2 signals in 1 category
      added           2
      changed         0
      kept            0
      deleted         0
      revived         0
    rule set 1 is in force (the first): 2 fingerprints
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml"]), @"
    pack chat: 2 fingerprints for 2 signals in 1 category
      added           0
      changed         0
      kept            2
      deleted         0
      revived         0
    rule set 1 is in force (as before): 2 fingerprints
    [exit 0]
    ");
    home.write("chat.yaml", CHAT.replace("confidence: 60", "confidence: 70"));
    let foreseen = home.json(&["fingerprints", "load", "chat.yaml", "--dry-run", "--json"]);
    let done = home.json(&["fingerprints", "load", "chat.yaml", "--json"]);
    for count in ["added", "changed", "kept", "deleted", "revived"] {
        assert_eq!(foreseen[count], done[count], "{count}");
    }
    assert_eq!((&done["changed"], &done["rule_set"]["version"]), (&1.into(), &2.into()));
    let rows = home.json(&["fingerprints", "list", "--json"]);
    let versions: Vec<_> =
        rows.as_array().unwrap().iter().map(|row| (&row["key"], &row["version"])).collect();
    assert_eq!(versions, [(&"parley-cookie".into(), &2.into()), (&"parley-script".into(), &1.into())]);
}

#[test]
fn what_a_pack_no_longer_has_is_marked_and_comes_back_with_it() {
    let home = loaded();
    let cookie = CHAT.find("      - id: parley-cookie").unwrap();
    let end = CHAT.find("  - name: Palaver").unwrap();
    home.write("chat.yaml", format!("{}{}", &CHAT[..cookie], &CHAT[end..]));
    let foreseen = home.json(&["fingerprints", "load", "chat.yaml", "--dry-run", "--json"]);
    assert_eq!(foreseen["deleted"], 1);
    let without = home.json(&["fingerprints", "load", "chat.yaml", "--json"]);
    assert_eq!((&without["deleted"], &without["rule_set"]["fingerprints"]), (&1.into(), &1.into()));
    assert_snapshot!(home.run(&["fingerprints", "list", "--deleted"]), @"
    signal                   fingerprint                          part     v state
    Parley                   parley-cookie                        cookie   1 deleted
    1 fingerprint
    rule set 2 is in force
    [exit 0]
    ");
    home.write("chat.yaml", CHAT);
    let foreseen = home.json(&["fingerprints", "load", "chat.yaml", "--dry-run", "--json"]);
    assert_eq!(foreseen["revived"], 1);
    let back = home.json(&["fingerprints", "load", "chat.yaml", "--json"]);
    assert_eq!((&back["revived"], &back["rule_set"]["version"]), (&1.into(), &1.into()), "{back}");
}

#[test]
fn a_pack_with_a_problem_is_told_whole_and_not_loaded() {
    let home = Home::begun();
    let bad = CHAT.replace("vendor: Parley Ltd", "vendor: ''").replace("cdn\\.parley", "cdn\\.parly");
    home.write("chat.yaml", bad);
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml"]), @"
    chat.yaml: Parley: the signal has no `vendor`
    chat.yaml: Palaver: the signal has no `vendor`
    chat.yaml: parley-script: it does not see its own example
    ! error: 3 problems in the pack, so nothing was loaded
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "versions"]), @"
    no rule set yet; make the first with `canvass fingerprints load`
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "lint", "chat.yaml"]), @"
    chat.yaml: Parley: the signal has no `vendor`
    chat.yaml: Palaver: the signal has no `vendor`
    chat.yaml: parley-script: it does not see its own example
    1 file, 2 signals, 2 fingerprints: 3 problems
    [exit 1]
    ");
    home.write("broken.yaml", CHAT.replace("website:", "webseite:"));
    assert_snapshot!(home.run(&["fingerprints", "lint", "broken.yaml"]), @"
    broken.yaml: line 8 column 5: unknown field `webseite`, expected one of name, vendor, family, website, implies, requires, excludes, fingerprints
    1 file, 0 signals, 0 fingerprints: 1 problem
    [exit 1]
    ");
    let findings = home.json(&["fingerprints", "lint", "chat.yaml", "--json"]);
    assert_eq!(findings["findings"][0]["file"], "chat.yaml");
    home.write("chat.yaml", CHAT);
    assert_snapshot!(home.run(&["fingerprints", "lint", "chat.yaml"]), @"
    1 file, 2 signals, 2 fingerprints: no problems
    each sees its example; none sees anything on 3 pages that run nothing
    [exit 0]
    ");
}

#[test]
fn what_a_pack_sees_on_a_page_beside_it_that_runs_nothing_keeps_it_out() {
    let home = Home::begun();
    home.write("chat.yaml", CHAT.replace("in: script\n        regex", "in: body\n        regex"));
    assert_snapshot!(home.run(&["fingerprints", "lint", "chat.yaml"]), @"
    1 file, 2 signals, 2 fingerprints: no problems
    each sees its example; none sees anything on 3 pages that run nothing
    [exit 0]
    ");
    std::fs::create_dir(home.path("negatives")).unwrap();
    home.write("negatives/links.html", "<a href=https://cdn.parley.example/v3/>get Parley</a>");
    assert_snapshot!(home.run(&["fingerprints", "load", "chat.yaml"]), @"
    chat.yaml: parley-script: it sees `cdn.parley.example/v3` on negatives/links.html, a page that runs nothing
    ! error: 1 problem in the pack, so nothing was loaded
    [exit 2]
    ");
}

#[test]
fn two_packs_do_not_take_each_others_fingerprints() {
    let home = loaded();
    home.write("again.yaml", CHAT);
    assert_snapshot!(home.run(&["fingerprints", "load", "again.yaml"]), @"
    ! error: pack `chat` has `parley-script` and 1 more already, so nothing was loaded: give them other ids, or replace that pack with `--pack chat`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "load", "again.yaml", "--pack", "implied"]), @"
    ! error: `implied` is the name of the pack that canvass makes itself: use another
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "load", "again.yaml", "chat.yaml"]), @"
    ! error: several paths are one pack: say its name with `--pack NAME`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "load", "absent.yaml"]), @"
    ! error: cannot read absent.yaml: No such file or directory (os error 2)
    [exit 2]
    ");
}

#[test]
fn fingerprints_of_another_program_are_taken_and_what_is_left_out_is_named() {
    let home = Home::begun();
    std::fs::create_dir(home.path("theirs")).unwrap();
    home.write("theirs/categories.json", r#"{"1": {"name": "CMS"}, "7": {"name": "Odd things"}}"#);
    home.write(
        "theirs/technologies.json",
        r#"{
          "WordPress": {"cats": [1], "meta": {"generator": "^WordPress ?([\\d.]+)?\\;version:\\1"},
                        "dns": {"TXT": "wp-verify"}, "implies": "Gadget"},
          "Gadget": {"cats": [7], "scriptSrc": "gadget-([\\d.]+)\\.js\\;version:\\1", "scripts": ".", "html": "("}
        }"#,
    );
    assert_snapshot!(home.run(&["fingerprints", "import", "--format", "wappalyzer", "theirs", "--report", "out.csv"]), @"
    pack wappalyzer: 2 fingerprints for 2 signals in 2 categories
      added           2
      changed         0
      kept            0
      deleted         0
      revived         0
    rule set 1 is in force (the first): 2 fingerprints

    3 patterns left out:
          1  a page says nothing of its host's DNS records
          1  it has no text of at least 3 letters that must be there, so it would
             have to be tried on every page whole
          1  not a regular expression
    each one is in out.csv
    [exit 0]
    ");
    assert_snapshot!(std::fs::read_to_string(home.path("out.csv")).unwrap(), @r#"
    technology,field,pattern,why
    WordPress,dns TXT,wp-verify,a page says nothing of its host's DNS records
    Gadget,html,(,not a regular expression: Parsing error at position 1: Opening parenthesis without closing parenthesis
    Gadget,inline,.,"it has no text of at least 3 letters that must be there, so it would have to be tried on every page whole"
    "#);
    let page = br#"<meta name="generator" content="WordPress 6.5"><script src="/gadget-1.2.js"></script>"#;
    assert_snapshot!(home.feed(&["fingerprints", "test", "-"], page), @"
    WordPress 6.5 (Content management systems)
      wappalyzer:wordpress-meta-1 in meta at 32
        WordPress 6.5
        version 6.5
    Gadget 1.2 (Odd things)
      wappalyzer:gadget-script-1 in script at 61
        gadget-1.2.js
        version 1.2
    2 signals seen with rule set 1
    [exit 0]
    ");
    // a product that canvass knows keeps its own vendor and category
    let rows = home.json(&["fingerprints", "list", "--signal", "WordPress", "--json"]);
    assert_eq!((&rows[0]["category"], &rows[0]["vendor"]), (&"cms".into(), &"WordPress".into()));
    assert_snapshot!(home.run(&["fingerprints", "import", "--format", "wappalyzer", "."]), @"
    ! error: there is no categories.json in .: name the folder that holds it
    [exit 2]
    ");
}

#[test]
fn the_whole_pack_that_canvass_brings_along_is_loaded() {
    let home = Home::begun();
    let loaded = home.json(&["fingerprints", "load", "--json"]);
    assert_eq!(loaded["pack"], "canvass");
    assert_eq!(loaded["added"], loaded["fingerprints"]);
    assert_eq!(loaded["rule_set"]["fingerprints"], loaded["fingerprints"]);
    let again = home.json(&["fingerprints", "load", "--json"]);
    assert_eq!((&again["kept"], &again["rule_set"]["version"]), (&loaded["fingerprints"], &1.into()));
}
