//! Are fingerprints loaded, checked, tried and switched as a person expects?

use insta::assert_snapshot;

use crate::program::{Home, assert_fits};

/// A pack of one category and two signals.
const CHAT: &str = "\
category: talk
title: Talk
about: Talks with visitors.
exclusive: true
signals:
  - name: Parley
    vendor: Parley Ltd
    website: https://parley.example/
    implies: [Palaver]
    fingerprints:
      - id: parley-script
        in: script
        regex: 'cdn\\.parley\\.example/v\\d'
        extract: {version: '/v(\\d+)/'}
        example: '<script src=\"https://cdn.parley.example/v3/parley.js\"></script>'
        expect: {version: '3'}
      - id: parley-cookie
        in: cookie
        name: parley_id
        confidence: 60
        example: {cookies: {parley_id: a1}}
  - name: Palaver
    vendor: Parley Ltd
    website: https://palaver.example/
    fingerprints: []
";

const PAGE: &str =
    "<html><head><script src=\"https://cdn.parley.example/v4/parley.js\"></script></head></html>";

/// A home with a catalog and the pack as `chat.yaml`, loaded.
fn loaded() -> Home {
    let home = Home::begun();
    home.write("chat.yaml", CHAT);
    let told = home.run(&["fingerprints", "load", "chat.yaml"]);
    assert!(told.ends_with("[exit 0]\n"), "{told}");
    home
}

/// What a command says, without times.
fn timeless(text: &str) -> String {
    let mut told = String::new();
    for word in text.split_inclusive([' ', '\n']) {
        let digits = word.trim().replace(|letter: char| letter.is_ascii_digit(), "0");
        let kept = match digits.as_str() {
            "0000-00-00" => word.replace(word.trim(), "YYYY-MM-DD"),
            "00:00" => word.replace(word.trim(), "HH:MM"),
            _ => word.to_owned(),
        };
        told += &kept;
    }
    told
}

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
fn a_page_is_tried_with_evidence_of_what_is_seen() {
    let home = loaded();
    home.write("page.html", PAGE);
    home.write(
        "headers.txt",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: parley_id=7\r\n\r\n",
    );
    assert_snapshot!(home.run(&["fingerprints", "test", "page.html", "--headers", "headers.txt"]), @"
    Parley 4 (Talk)
      parley-script in script at 33
        cdn.parley.example/v4
        version 4
      parley-cookie in cookie at 0
        7
    Palaver (Talk)
      implied by Parley
    2 signals seen with rule set 1
    [exit 0]
    ");
    assert_snapshot!(home.feed(&["fingerprints", "test", "-"], b"<p>nothing</p>"), @"
    0 signals seen with rule set 1
    [exit 0]
    ");
    let seen = home.json(&["fingerprints", "test", "page.html", "--json"]);
    assert_snapshot!(serde_json::to_string_pretty(&seen["seen"]).unwrap(), @r#"
    [
      {
        "signal": "Parley",
        "vendor": "Parley Ltd",
        "category": "talk",
        "confidence": 100,
        "implied_by": null,
        "version": "4",
        "account": null,
        "tracker": null,
        "evidence": [
          {
            "fingerprint": "parley-script",
            "version": 1,
            "part": "script",
            "offset": 33,
            "snippet": "cdn.parley.example/v4",
            "extracted": {
              "version": "4"
            }
          }
        ]
      },
      {
        "signal": "Palaver",
        "vendor": "Parley Ltd",
        "category": "talk",
        "confidence": 100,
        "implied_by": "Parley",
        "version": null,
        "account": null,
        "tracker": null,
        "evidence": []
      }
    ]
    "#);
    assert_eq!(seen["rules"]["rule_set"], 1);
}

#[test]
fn without_a_catalog_a_page_is_tried_with_what_canvass_brings_along_and_nothing_is_made() {
    let home = Home::empty();
    let page = br#"<meta name="generator" content="WordPress 6.5.2">"#;
    assert_snapshot!(home.feed(&["fingerprints", "test", "-"], page), @"
    WordPress 6.5.2 (Content management systems)
      wordpress-generator in meta at 32
        WordPress
        version 6.5.2
    MySQL (Databases)
      implied by WordPress
    PHP (Programming languages)
      implied by WordPress
    3 signals seen with the pack that canvass brings along
    [exit 0]
    ");
    home.write("chat.yaml", CHAT);
    home.write("page.html", PAGE);
    assert_snapshot!(home.run(&["fingerprints", "test", "page.html", "--pack", "chat.yaml"]), @"
    Parley 4 (Talk)
      parley-script in script at 33
        cdn.parley.example/v4
        version 4
    Palaver (Talk)
      implied by Parley
    2 signals seen with chat.yaml
    [exit 0]
    ");
    let told = home.run(&["fingerprints", "list"]);
    assert!(told.contains("live-chat*"), "{told}");
    assert_fits(&told);
    assert_fits(&home.run(&["fingerprints", "list", "--all"]));
    assert_eq!(home.names().len(), 2, "{:?}", home.names());
}

#[test]
fn what_is_not_a_page_or_not_a_header_is_named() {
    let home = loaded();
    home.write("page.html", PAGE);
    assert_snapshot!(home.run(&["fingerprints", "test", "absent.html"]), @"
    ! error: cannot read absent.html: No such file or directory (os error 2)
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "test", "page.html", "--headers", "page.html"]), @r#"
    ! error: page.html holds no header lines: line 1 is not `name: value`: <html><head><script src="https://cdn.parley.example/v4/parl…
    [exit 2]
    "#);
    assert_snapshot!(home.run(&["fingerprints", "test", "page.html", "--robots", "absent.txt"]), @"
    ! error: cannot read absent.txt: No such file or directory (os error 2)
    [exit 2]
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn of_an_endless_page_only_the_start_is_read_and_an_endless_pack_is_refused() {
    let home = loaded();
    assert_snapshot!(home.run(&["fingerprints", "test", "/dev/zero"]), @"
    0 signals seen with rule set 1
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "lint", "/dev/zero"]), @"
    ! error: /dev/zero is larger than 16 MiB: is it the right file?
    [exit 2]
    ");
}

#[test]
fn a_fingerprint_and_a_signal_are_explained_and_a_slip_is_answered() {
    let home = loaded();
    assert_snapshot!(timeless(&home.run(&["fingerprints", "explain", "parley-script"])), @r"
    Parley by Parley Ltd
      category      Talk (talk): normally one to an organisation, so a second vendor
                    is news
      website       https://parley.example/
      implies       Palaver
      pack          chat

    parley-script
      looks at      each script's address, and addresses within scripts
      for           cdn\.parley\.example/v\d
      tried near    cdn.parley.example/v
      reads version /v(\d+)/
      state         in use, version 1, pack chat, changed YYYY-MM-DD HH:MM UTC

    rule set 1 is in force
    [exit 0]
    ");
    assert_snapshot!(timeless(&home.run(&["fingerprints", "explain", "palaver"])), @"
    Palaver by Parley Ltd
      category      Talk (talk): normally one to an organisation, so a second vendor
                    is news
      website       https://palaver.example/
      implied by    Parley
      pack          chat

    implied:Palaver
      stands for    what another signal brings along; nothing is searched for

    rule set 1 is in force
    [exit 0]
    ");
    assert_snapshot!(home.run(&["fingerprints", "explain", "parley-skript"]), @"
    ! error: there is no fingerprint or signal `parley-skript`; did you mean `parley-script`?
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "explain", "xyzzy"]), @"
    ! error: there is no fingerprint or signal `xyzzy`: `canvass fingerprints list` shows what there is
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "list", "--category", "tlak"]), @"
    ! error: there is no category `tlak`; did you mean `talk`?
    [exit 2]
    ");
    assert_snapshot!(home.run(&["fingerprints", "list", "--part", "scripts"]), @"
    ! error: there is no part `scripts`; did you mean `script`?
    [exit 2]
    ");
    let explained = home.json(&["fingerprints", "explain", "parley-script", "--json"]);
    assert_eq!(explained["fingerprints"][0]["needles"][0], "cdn.parley.example/v");
}

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
