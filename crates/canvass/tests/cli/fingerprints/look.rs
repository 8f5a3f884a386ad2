//! Is a page tried with evidence, and is everything that is known explained?

use insta::assert_snapshot;

use super::{CHAT, PAGE, loaded, timeless};
use crate::program::{Home, assert_fits};

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
