//! Do the settings keep their promises, all parts together?

mod layers;
mod messages;
mod properties;

use std::{fs, path::Path};

use super::*;

fn no_env(_: &str) -> Option<String> {
    None
}

fn loaded(text: &str) -> Loaded {
    Settings::from_yaml(text, "canvass.yaml", &no_env).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problems(text: &str) -> String {
    let env = |name: &str| (name == "SECRET").then(|| "hunter2".to_owned());
    match Settings::from_yaml(text, "canvass.yaml", &env) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(problems) => problems.to_string(),
    }
}

fn as_yaml(settings: &Settings) -> String {
    Printout { keep: &|_| true, note: &|_| "x".to_owned() }.of(settings)
}

#[test]
fn an_empty_file_and_empty_sections_are_the_defaults() {
    for text in
        ["", "\n# nothing\n", "---\n", "crawl:\n", "crawl: {}\npoliteness:\n  classes:\n", "~", "\u{feff}"]
    {
        assert_eq!(loaded(text).settings, Settings::default(), "{text:?}");
    }
}

#[test]
fn the_defaults_are_the_numbers_that_were_agreed() {
    let Settings { crawl, source, politeness, storage, topics, listings, browser, .. } = Settings::default();
    assert_eq!(crawl.default_crawl_delay_seconds, Seconds(2.0));
    assert_eq!((crawl.max_content_bytes, crawl.concurrency), (5_242_880, 64));
    assert_eq!((crawl.fetch_timeout_seconds, crawl.total_timeout_seconds), (Seconds(15.0), Seconds(45.0)));
    assert_eq!((crawl.retry.throttle_first_wait_seconds, crawl.retry.throttle_retries), (Seconds(30.0), 3));
    assert_eq!((crawl.retry.server_error_wait_seconds, crawl.retry.server_error_retries), (Seconds(10.0), 2));
    assert_eq!(
        (crawl.retry.connect_timeout_wait_seconds, crawl.retry.connect_timeout_retries),
        (Seconds(15.0), 1)
    );
    assert_eq!((crawl.thresholds.high_failure_percent, crawl.thresholds.abort_failure_percent), (15.0, 50.0));
    assert_eq!((source.key_column.as_str(), source.url_column.as_str()), ("website_id", "url"));
    assert_eq!(politeness.classes["ecommerce"].crawl_delay_seconds, Seconds(5.0));
    assert_eq!(politeness.classes["news"].crawl_delay_seconds, Seconds(3.0));
    assert_eq!((politeness.robots_cache_ttl_hours, politeness.window.decrease), (24.0, 0.70));
    assert_eq!(storage.catalog_url().expose(), "sqlite:data/canvass.db");
    assert_eq!((topics.top_n, topics.ngram_range), (15, [1, 2]));
    assert_eq!((listings.workers, listings.max_requests_per_second, listings.stale_days), (64, 30.0, 21));
    assert_eq!((browser.concurrency, browser.memory_limit_mb, browser.max_restarts), (20, 2048, 3));
    assert_eq!(Settings::default().validate(), []);
}

#[test]
fn the_file_of_the_seed_is_understood() {
    let text = r#"
crawl:
  default_crawl_delay_seconds: 2
  max_retries: 3
  fetch_timeout_seconds: 15
  max_content_bytes: 5242880     # 5 MB
  user_agent: "ExampleCrawler/1.0 (+https://example.com/crawler)"
politeness:
  robots_cache_ttl_hours: 24
  domain_overrides:
    amazon.com:
      crawl_delay_seconds: 5
    walmart.com: {crawl_delay_seconds: 5}
workers:
  concurrency_per_pod: 50        # async fetch slots per worker pod
  pod_count_min: 10
  pod_count_max: 200             # HPA upper bound
storage:
  metadata_db_url: "${METADATA_DB_URL}"
  html_bucket: "crawler-html"
  html_bucket_region: "us-east-1"
  cache_url: "${REDIS_URL:-}"
  cache_ttl_seconds: 3600
topics:
  top_n: 15
  ngram_range: [1, 2]
"#;
    let env = |name: &str| (name == "METADATA_DB_URL").then(|| "postgres://ada:hunter2@db/x".to_owned());
    let loaded = Settings::from_yaml(text, "canvass.yaml", &env).unwrap();
    let overrides = &loaded.settings.politeness.domain_overrides;
    assert_eq!(overrides["amazon.com"].crawl_delay_seconds, Some(Seconds(5.0)));
    assert_eq!(overrides["walmart.com"].crawl_delay_seconds, Some(Seconds(5.0)));
    let storage = &loaded.settings.storage;
    assert_eq!(storage.metadata_db_url.as_ref().unwrap().expose(), "postgres://ada:hunter2@db/x");
    assert_eq!(storage.cache_url, None);
    let shown = format!("{:?} {}", loaded.settings, as_yaml(&loaded.settings));
    assert!(!shown.contains("hunter2") && shown.contains("postgres://ada:***@db/x"), "{shown}");
    let key = "politeness.domain_overrides.amazon.com.crawl_delay_seconds";
    assert_eq!(loaded.origins.of(key).to_string(), "canvass.yaml:12");
}

#[test]
fn the_defaults_written_as_yaml_and_read_again_are_the_defaults() {
    let text = as_yaml(&Settings::default());
    let loaded = loaded(&text);
    assert_eq!(loaded.settings, Settings::default());
    let values = text.lines().filter(|line| line.contains("# x")).count();
    assert_eq!(loaded.origins.set().count(), values - 2, "all but two empty maps");
}

#[test]
fn the_settings_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SETTINGS.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, settings_markdown()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == settings_markdown(),
        "docs/SETTINGS.md is behind: UPDATE_DOCS=1 cargo test -p canvass"
    );
}

#[test]
fn every_key_has_a_description_that_says_something() {
    for (key, _) in flat_values(&Settings::default()) {
        if let Some(field) = field_at(&key) {
            assert!(field.doc.len() > 8 && field.doc.ends_with(['.', '…']), "{key}: {:?}", field.doc);
        }
    }
}

#[test]
fn the_published_schema_takes_a_variable_where_a_number_is_wanted() {
    let schema = published_schema();
    let concurrency = &schema["properties"]["crawl"]["properties"]["concurrency"];
    assert_eq!(concurrency["default"], 64);
    assert_eq!(concurrency["anyOf"][0]["type"], "integer");
    assert_eq!(concurrency["anyOf"][0]["maximum"], 10000);
    assert_eq!(concurrency["anyOf"][1]["pattern"], r"^\$\{.+\}$");
    assert_eq!(schema["properties"]["crawl"]["additionalProperties"], false);
    assert_eq!(schema["properties"]["crawl"]["default"], serde_json::Value::Null);
}
