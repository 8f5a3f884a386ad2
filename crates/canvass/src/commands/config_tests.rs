//! What does a person see?

use std::fs;

use insta::assert_snapshot;

use super::*;

fn set(pairs: &[(&str, &str)]) -> SettingsArgs {
    let overrides = pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    SettingsArgs { config: None, overrides }
}

fn printed(command: &ConfigCommand, settings: &SettingsArgs) -> (String, Exit) {
    let mut out = Vec::new();
    let env = |name: &str| (name == "CANVASS_CRAWL__CONCURRENCY").then(|| "32".to_owned());
    let exit = run(command, settings, &env, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), exit)
}

#[test]
fn show_changed_prints_what_was_set_and_by_whom_without_secrets() {
    let settings = set(&[
        ("storage.metadata_db_url", "postgres://ada:hunter2@db/canvass"),
        ("notify.pushover_app_token", "hunter2"),
        ("politeness.domain_overrides.shop.example.com.crawl_delay_seconds", "7.5"),
        ("network.allow_private", "[127.0.0.0/8]"),
    ]);
    let (text, exit) = printed(&ConfigCommand::Show(ShowArgs { changed: true, json: false }), &settings);
    assert_eq!(exit, Exit::Done);
    assert_snapshot!(text, @r#"
    crawl:
      concurrency: 32                             # env CANVASS_CRAWL__CONCURRENCY
    politeness:
      domain_overrides:
        shop.example.com:
          # --set politeness.domain_overrides.shop.example.com.crawl_delay_seconds
          crawl_delay_seconds: 7.5
    network:
      allow_private: ["127.0.0.0/8"]              # --set network.allow_private
    storage:
      # --set storage.metadata_db_url
      metadata_db_url: "postgres://ada:***@db/canvass"
    notify:
      pushover_app_token: "***"                   # --set notify.pushover_app_token
    "#);
    let (json, _) = printed(&ConfigCommand::Show(ShowArgs { changed: true, json: true }), &settings);
    assert!(!json.contains("hunter2"), "{json}");
    let json: Value = serde_json::from_str(&json).unwrap();
    let expected = json!({ "value": 32, "origin": "env CANVASS_CRAWL__CONCURRENCY" });
    assert_eq!(json["crawl.concurrency"], expected);
}

#[test]
fn show_prints_every_value_within_80_columns() {
    let (text, _) = printed(&ConfigCommand::Show(ShowArgs::default()), &SettingsArgs::default());
    for key in ["default_crawl_delay_seconds: 2 ", "robots_cache_ttl_hours: 24 ", "pod_count_max: 200 "] {
        assert!(text.contains(key), "{key} is missing from\n{text}");
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn nothing_changed_says_so() {
    let mut out = Vec::new();
    show(&ShowArgs { changed: true, json: false }, &SettingsArgs::default(), &|_| None, &mut out).unwrap();
    assert_eq!(out, b"# everything has its default\n");
}

#[test]
fn show_with_wrong_settings_fails_with_every_problem() {
    let settings = set(&[("crawl.concurency", "3"), ("crawl.http2", "maybe")]);
    let error = show(&ShowArgs::default(), &settings, &|_| None, &mut Vec::new()).unwrap_err();
    assert_snapshot!(error, @r"
    --set crawl.concurency: unknown key `crawl.concurency`; did you mean `concurrency`?
    --set crawl.http2: `crawl.http2` must be true or false, not `maybe`
    ");
}

#[test]
fn check_tells_problems_with_exit_2_and_notes_with_exit_0() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("canvass.yaml");
    let check = |text: &str, json: bool| {
        fs::write(&file, text).unwrap();
        let args = CheckArgs { file: Some(file.clone()), json };
        let (text, exit) = printed(&ConfigCommand::Check(args), &SettingsArgs::default());
        (text.replace(&home.path().display().to_string(), "~"), exit)
    };
    let (text, exit) = check("crawl: {user_agnet: me}\nlogs: {keep: x}\n", false);
    assert_eq!(exit, Exit::CouldNotRun);
    assert_snapshot!(text, @r"
    ~/canvass.yaml:1: unknown key `crawl.user_agnet`; did you mean
      `user_agent`?
    ~/canvass.yaml:2: `logs.keep` must be a whole number from 0 to
      10000, not `x`
    ~/canvass.yaml: 2 problems
    ");
    let (text, exit) = check("browser:\n  mode: never\nlogs: {keep: 3}\n", false);
    assert_eq!(exit, Exit::Done);
    assert_snapshot!(text, @r"
    note: ~/canvass.yaml:2: `browser.mode` is set, but nothing reads
      it yet (it waits for fetching with a browser)
    ~/canvass.yaml: no problems, 3 values set
    ");
    let (text, exit) = check("browser: {mode: never}\n", true);
    assert_eq!(exit, Exit::Done);
    assert_snapshot!(text, @r#"
    {
      "file": "~/canvass.yaml",
      "ok": true,
      "problems": [],
      "notes": [
        {
          "origin": "~/canvass.yaml:1",
          "key": "browser.mode",
          "waits_for": "fetching with a browser"
        }
      ]
    }
    "#);
    let (text, exit) = check("wurst: 1\n", true);
    assert_eq!(exit, Exit::CouldNotRun);
    assert_snapshot!(text, @r#"
    {
      "file": "~/canvass.yaml",
      "ok": false,
      "problems": [
        {
          "origin": "~/canvass.yaml:1",
          "key": "wurst",
          "message": "unknown key `wurst`; `canvass config show` lists every key"
        }
      ],
      "notes": []
    }
    "#);
}

#[test]
fn the_schema_is_json() {
    let (text, _) = printed(&ConfigCommand::Schema, &SettingsArgs::default());
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["title"], "canvass settings");
}
