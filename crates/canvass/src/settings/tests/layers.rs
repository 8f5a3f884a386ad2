//! Which value counts?

use std::collections::HashMap;

use super::*;

#[test]
fn the_command_line_wins_over_the_environment_over_the_file_over_the_default() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("canvass.yaml");
    fs::write(&file, "crawl:\n  concurrency: 1\n  max_redirects: 1\n  max_retries: 1\n").unwrap();
    let env = HashMap::from([
        ("CANVASS_CRAWL__MAX_REDIRECTS", "2"),
        ("CANVASS_CRAWL__MAX_RETRIES", "2"),
        ("CANVASS_CRAWL__HTTP2", ""),
        ("CANVASS_CRAWL__RETRY__THROTTLE_RETRIES", "2"),
        ("CANVASS_NETWORK__NAMESERVERS", "[1.1.1.1, '[::1]:53']"),
        ("CANVASS_CRAWL__ACCEPT_LANGUAGE", "${not}: [a reference"),
        ("CANVASS_POLITENESS__DOMAIN_OVERRIDES", "{a.com: {concurrency: 4}}"),
    ]);
    let env = |name: &str| env.get(name).map(|&text| text.to_owned());
    let set = |key: &str, text: &str| (key.to_owned(), text.to_owned());
    let overrides = [
        set("crawl.max_retries", "3"),
        set("politeness.domain_overrides.a.com.crawl_delay_seconds", "0.5"),
        set("politeness.domain_overrides.b.example.com", "{concurrency: 2}"),
        set("crawl.deadline_hours", ""),
    ];
    let loaded = Settings::load(Some(&file), &overrides, &env).unwrap();
    let Settings { crawl, politeness, network, .. } = &loaded.settings;
    assert_eq!(
        (crawl.concurrency, crawl.max_redirects, crawl.max_retries, crawl.max_headers),
        (1, 2, 3, 256)
    );
    assert_eq!((crawl.http2, crawl.retry.throttle_retries, crawl.deadline_hours), (true, 2, None));
    assert_eq!(crawl.accept_language, "${not}: [a reference");
    assert_eq!(network.nameservers, ["1.1.1.1", "[::1]:53"]);
    let a = &politeness.domain_overrides["a.com"];
    assert_eq!((a.concurrency, a.crawl_delay_seconds), (Some(4), Some(Seconds(0.5))));
    assert_eq!(politeness.domain_overrides["b.example.com"].concurrency, Some(2));

    let origin =
        |key: &str| loaded.origins.of(key).to_string().replace(&home.path().display().to_string(), "~");
    assert_eq!(origin("crawl.concurrency"), "~/canvass.yaml:2");
    assert_eq!(origin("crawl.max_redirects"), "env CANVASS_CRAWL__MAX_REDIRECTS");
    assert_eq!(origin("crawl.max_retries"), "--set crawl.max_retries");
    assert_eq!(origin("crawl.max_headers"), "default");
}

#[test]
fn a_path_in_the_file_starts_at_the_file_and_a_path_of_the_command_line_does_not() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("canvass.yaml");
    fs::write(&file, "network: {hosts_file: hosts, extra_ca_file: /etc/ca.pem}\n").unwrap();
    let loaded = Settings::load(Some(&file), &[], &no_env).unwrap();
    assert_eq!(loaded.settings.network.hosts_file, Some(home.path().join("hosts")));
    assert_eq!(loaded.settings.network.extra_ca_file.as_deref(), Some(Path::new("/etc/ca.pem")));
    assert_eq!(loaded.settings.storage.data_dir, home.path().join("data"));
    let catalog = format!("sqlite:{}", home.path().join("data/canvass.db").display());
    assert_eq!(loaded.settings.storage.catalog_url().expose(), catalog);

    let set = [("storage.data_dir".to_owned(), "mine".to_owned())];
    let loaded = Settings::load(Some(&file), &set, &no_env).unwrap();
    assert_eq!(loaded.settings.storage.data_dir, Path::new("mine"));
    assert_eq!(loaded.settings.storage.catalog_url().expose(), "sqlite:mine/canvass.db");
}
