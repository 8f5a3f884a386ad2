//! Does everything that can be wrong say what, where and what to do?

use std::{fs, path::Path, time::Instant};

use insta::assert_snapshot;

use super::{super::yaml::MAX_FILE_BYTES, *};

#[test]
fn every_wrong_key_and_value_is_told_at_once_with_its_line() {
    let text = r#"
crawl:
  user_agnet: me
  concurrency: many
  max_retries: -1
  http2: yes
  total_timeout_seconds: "45"
  fetch_timeout_seconds: .inf
  content_types: text/html
  retry: 3
  redirect_scope: everywhere
  robots_agent: me
  default_crawl_delay_seconds:
logs:
  level: [info]
topics: {ngram_range: [1]}
network:
  allow_private: perhaps
  nameservers: [1.1.1.1, [8.8.8.8]]
storage:
  metadata_db_url: ${NOT_THERE}
  max_connections: ${SECRET}
  cache_url: [hunter2]
  html_bucket: ${SECRET
wurst: 1
"#;
    assert_snapshot!(problems(text), @r"
    canvass.yaml:3: unknown key `crawl.user_agnet`; did you mean `user_agent`?
    canvass.yaml:4: `crawl.concurrency` must be a whole number from 1 to 10000, not `many`
    canvass.yaml:5: `crawl.max_retries` must be a whole number from 0 to 20, not `-1`
    canvass.yaml:6: `crawl.http2` must be true or false, not `yes`
    canvass.yaml:7: `crawl.total_timeout_seconds` must be a number from 0.001 to 31536000, not the text `45`; remove the quotes
    canvass.yaml:8: `crawl.fetch_timeout_seconds` must be a number from 0.001 to 31536000, not `.inf`
    canvass.yaml:9: `crawl.content_types` must be a list, each item a text, not `text/html`; write it as `[text/html]`
    canvass.yaml:10: `crawl.retry` must be a map of keys and values, not `3`
    canvass.yaml:11: `crawl.redirect_scope` must be `any`, `same_site` or `same_host`, not `everywhere`
    canvass.yaml:12: unknown key `crawl.robots_agent`; did you mean `politeness.robots_agent`?
    canvass.yaml:13: `crawl.default_crawl_delay_seconds` must be a number from 0 to 31536000, not nothing; give a value or remove the key
    canvass.yaml:15: `logs.level` must be `error`, `warn`, `info`, `debug` or `trace`, not a list
    canvass.yaml:16: `topics.ngram_range` must be a list of 2 values, each a whole number from 1 to 5; it has 1
    canvass.yaml:18: `network.allow_private` must be true or false, or a list, each item a text, not `perhaps`
    canvass.yaml:19: `network.nameservers[2]` must be a text, not a list
    canvass.yaml:21: `storage.metadata_db_url`: the variable `NOT_THERE` is not set; set it, or give a default: `${NOT_THERE:-…}`
    canvass.yaml:22: `storage.max_connections` must be a whole number from 1 to 1000, not what `${SECRET}` gives
    canvass.yaml:23: `storage.cache_url` must be a text, not a list
    canvass.yaml:24: `storage.html_bucket`: `${` has no closing `}`; a dollar sign of its own is written `$$`
    canvass.yaml:25: unknown key `wurst`; `canvass config show` lists every key
    ");
}

#[test]
fn values_that_do_not_go_together_are_told_at_once_with_their_line() {
    let text = r#"
crawl:
  user_agent: "line\nbreak"
  content_types: [html]
  thresholds: {high_failure_percent: 60}
  concurrency: 2
source: {delimiter: "ab", key_column: url}
normalise: {tracking_parameters: ["*", "a*b"]}
politeness:
  robots_agent: canvass/1.0
  classes:
    general: {crawl_delay_seconds: 1}
    news: {domains: [a.com, b.com]}
    shops: {domains: [b.com, "https://c.com", D.com]}
  domain_overrides:
    "*.e.com": {concurrency: 2}
  breaker:
    suspend_seconds: 90000
network: {allow_private: [10.0.0.0/33, "::/0"], nameservers: [dns.example]}
storage: {metadata_db_url: "mysql://ada:hunter2@db", schema: "a-b", data_dir: ""}
workers: {pod_count_max: 9}
process: {sub_batch_records: 700}
topics: {ngram_range: [2, 1]}
matching: {strategies: [guess]}
kafka: {brokers: [host]}
schedule: {cron: daily}
serve: {address: here}
"#;
    assert_snapshot!(problems(text), @r"
    canvass.yaml:3: `crawl.user_agent` must be 1 to 512 printable ASCII characters, as it becomes a header
    canvass.yaml:4: `crawl.content_types` has `html`; a content type looks like `text/html` or `text/*`
    canvass.yaml:5: `crawl.thresholds.high_failure_percent` must not exceed `abort_failure_percent`, which is 50
    canvass.yaml:7: `source.key_column` must be another column than `source.url_column`
    canvass.yaml:7: `source.delimiter` must be one ASCII character that is neither a quote nor a line end
    canvass.yaml:8: `normalise.tracking_parameters` has `*`; write a name, or the start of one and `*`
    canvass.yaml:8: `normalise.tracking_parameters` has `a*b`; write a name, or the start of one and `*`
    canvass.yaml:10: `politeness.robots_agent` may have letters, `-` and `_` only, as in `User-agent: canvass`
    canvass.yaml:12: `politeness.classes.general` is for sites in no class: set `crawl.default_crawl_delay_seconds`
    canvass.yaml:14: `politeness.classes.shops.domains` has `b.com`, which is in class `news` too
    canvass.yaml:14: `politeness.classes.shops.domains` has `https://c.com`, a domain is written without scheme and path: `example.com`
    canvass.yaml:14: `politeness.classes.shops.domains` has `D.com`, a domain is written in lower case
    canvass.yaml:16: `politeness.domain_overrides.*.e.com` names no domain: a domain covers its subdomains, leave out the `*.`
    canvass.yaml:18: `politeness.breaker.suspend_seconds` must not exceed `max_suspend_seconds`, which is 86400
    canvass.yaml:19: `network.allow_private` has `10.0.0.0/33`; a network looks like `127.0.0.0/8` or `fd00::/8`
    canvass.yaml:19: `network.nameservers` has `dns.example`; a name server is an address, with or without `:PORT`
    canvass.yaml:20: `storage.data_dir` must name a folder
    canvass.yaml:20: `storage.metadata_db_url` must be `sqlite:PATH` or `postgres://USER@HOST/DATABASE`
    canvass.yaml:20: `storage.schema` must be 1 to 63 lower-case letters, digits and `_`
    canvass.yaml:21: `workers.pod_count_min` must not exceed `pod_count_max`, which is 9
    canvass.yaml:22: `process.sub_batch_records` must not exceed `batch_records`, which is 600
    canvass.yaml:23: `topics.ngram_range` must have the smaller number first
    canvass.yaml:24: `matching.strategies` has `guess`; there are `exact_phone`, `exact_name_location`, `fuzzy_name_address`, `model`
    canvass.yaml:25: `kafka.brokers` has `host`; a broker is `HOST:PORT`
    canvass.yaml:26: `schedule.cron` must have five fields, as in `0 2 10 * *`
    canvass.yaml:27: `serve.address` must be an address and a port, as in `127.0.0.1:8080`
    ");
}

#[test]
fn a_text_that_is_not_a_settings_file_says_why() {
    assert_snapshot!(problems("crawl: [1"), @"canvass.yaml:2: not valid YAML: while parsing a flow sequence, expected ',' or ']'");
    assert_snapshot!(problems("crawl:\n  a: 1\n b: 2\n"), @"canvass.yaml:3: not valid YAML: while parsing a block mapping, did not find expected key");
    assert_snapshot!(problems("crawl:\n\thttp2: true\n"), @"canvass.yaml:2: not valid YAML: tabs disallowed within this context (block indentation)");
    assert_snapshot!(problems("- crawl\n"), @"canvass.yaml:1: settings are `section:` lines with `key: value` lines below them");
    assert_snapshot!(problems("just text"), @"canvass.yaml:1: settings are `section:` lines with `key: value` lines below them");
    assert_snapshot!(problems("crawl: {}\n---\nlogs: {}\n"), @"canvass.yaml:2: a second document begins here (`---`); settings are one document");
    assert_snapshot!(problems("crawl:\n  http2: true\n  http2: false\n"), @"canvass.yaml:3: key `http2` was already given on line 2; keep one of them");
    assert_snapshot!(problems("crawl: {}\nlogs: {}\ncrawl: {}\n"), @"canvass.yaml:3: key `crawl` was already given on line 1; keep one of them");
    assert_snapshot!(problems("crawl:\n  concurrency: !!int 3\n"), @"canvass.yaml:2: a tag (`!…`) is not used in settings; leave it out");
    assert_snapshot!(problems("? [a]\n: 1\n"), @"canvass.yaml:1: a key must be a plain name");
    assert_snapshot!(problems(&"[".repeat(40)), @"canvass.yaml:1: more than 16 levels deep");
    assert_snapshot!(problems(&format!("#{}", "x".repeat(MAX_FILE_BYTES))), @"canvass.yaml: larger than the 1048576 bytes that settings may have");
    assert_snapshot!(problems("crawl: &a\n  retry: *a\n"), @"canvass.yaml:2: this alias stands within what it repeats");
    assert_snapshot!(problems("crawl: *nobody\n"), @"canvass.yaml:1: not valid YAML: while parsing node, found unknown anchor");
}

#[test]
fn an_alias_repeats_a_value_and_a_bomb_of_aliases_stops_early() {
    let once = loaded(
        "politeness:\n  domain_overrides:\n    a.com: &slow {crawl_delay_seconds: 9}\n    b.com: *slow\n",
    );
    let overrides = &once.settings.politeness.domain_overrides;
    assert_eq!(overrides["b.com"], overrides["a.com"]);

    let mut bomb = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for n in 1..30 {
        bomb += &format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", "));
    }
    let start = Instant::now();
    assert_snapshot!(problems(&bomb), @"canvass.yaml:5: the aliases up to here repeat too much");
    assert!(start.elapsed().as_secs() < 2, "took {:?}", start.elapsed());
}

#[test]
fn of_very_many_problems_the_first_hundred_are_told() {
    let text: String = (0..500).map(|n| format!("k{n}: 1\n")).collect();
    let told = problems(&text);
    assert_eq!(told.lines().count(), 101);
    assert_snapshot!(told.lines().last().unwrap(), @"canvass.yaml:101: there are more problems from here on; mend the ones above first");
}

#[test]
fn a_file_of_any_form_up_to_the_limit_is_read_in_bounded_time() {
    let fill = |unit: &str| unit.repeat(MAX_FILE_BYTES / unit.len());
    for text in [
        fill("- "),
        fill("? "),
        fill("a: "),
        fill("a\n"),
        fill("{"),
        fill("[],"),
        fill("\"\\n\" "),
        fill("x: 1\n"),
        fill("&a "),
        fill("'"),
        fill("| \n"),
        format!("crawl:\n  user_agent: {}", fill("x ").split_off(64)),
        (0..60_000).map(|n| format!("k{n}: 1\n")).collect(),
    ] {
        let start = Instant::now();
        let _ = Settings::from_yaml(&text, "canvass.yaml", &no_env);
        assert!(start.elapsed().as_secs() < 5, "{:?} took {:?}", &text[..20], start.elapsed());
    }
}

#[test]
fn what_is_wrong_in_the_environment_or_on_the_command_line_names_it() {
    let env = |name: &str| (name == "CANVASS_CRAWL__CONCURRENCY").then(|| "lots".to_owned());
    let set = |key: &str, text: &str| (key.to_owned(), text.to_owned());
    let overrides = [
        set("crawl.concurency", "3"),
        set("crawl.http2.on", "true"),
        set("crawl.max_redirects", "[1"),
        set("crawl.thresholds.high_failure_percent", "99"),
        set("notify.pushover_app_token.x", "hunter2"),
        set("", "1"),
    ];
    assert_snapshot!(Settings::load(None, &overrides, &env).unwrap_err(), @r"
    env CANVASS_CRAWL__CONCURRENCY: `crawl.concurrency` must be a whole number from 1 to 10000, not `lots`
    --set : unknown key ``; `canvass config show` lists every key
    --set crawl.concurency: unknown key `crawl.concurency`; did you mean `concurrency`?
    --set crawl.http2.on: `crawl.http2` has no keys below it
    --set crawl.max_redirects: `crawl.max_redirects`: not valid YAML: while parsing a flow sequence, expected ',' or ']'
    --set crawl.thresholds.high_failure_percent: `crawl.thresholds.high_failure_percent` must not exceed `abort_failure_percent`, which is 50
    --set notify.pushover_app_token.x: `notify.pushover_app_token` has no keys below it
    ");
}

#[test]
fn a_file_that_cannot_be_read_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::write(at("latin1.yaml"), b"crawl:\n  user_agent: caf\xe9\n").unwrap();
    fs::write(at("large.yaml"), "é".repeat(MAX_FILE_BYTES)).unwrap();
    let told = |path: &Path| {
        let problems = Settings::load(Some(path), &[], &no_env).unwrap_err().to_string();
        problems.replace(&home.path().display().to_string(), "~")
    };
    assert_snapshot!(told(&at("none.yaml")), @"~/none.yaml: there is no such file; `canvass init` writes one");
    assert_snapshot!(told(home.path()), @"~: is a folder; name the file in it");
    assert_snapshot!(told(&at("latin1.yaml")), @"~/latin1.yaml:2: is not UTF-8 text; save the file as UTF-8");
    assert_snapshot!(told(&at("large.yaml")), @"~/large.yaml: larger than the 1048576 bytes that settings may have");
}
