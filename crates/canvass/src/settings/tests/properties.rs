//! What holds for any text and for any settings?

use proptest::prelude::*;

use super::{
    super::{
        write::inline,
        yaml::{self, Data},
    },
    *,
};

fn fragment() -> impl Strategy<Value = String> {
    let words = [
        "crawl",
        "politeness",
        "classes",
        "user_agent",
        "concurrency",
        ":",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "${A}",
        "${",
        "$$",
        "&a ",
        "*a",
        "!!str ",
        "'",
        "\"",
        "|\n",
        ">-\n",
        "#",
        "?",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "1",
        "-1",
        "1e999",
        "true",
        "null",
        "\t",
        "\u{feff}",
        "\0",
        "é",
        "\r\n",
        "<<",
    ];
    prop_oneof![
        4 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_makes_the_reader_panic(parts in proptest::collection::vec(fragment(), 0..40)) {
        let env = |name: &str| (name == "A").then(|| "1".to_owned());
        let _ = Settings::from_yaml(&parts.concat(), "canvass.yaml", &env);
    }

    #[test]
    fn any_text_written_as_yaml_is_read_back(text in any::<String>(), words in proptest::collection::vec(fragment(), 0..6)) {
        for text in [text, words.concat()] {
            let line = format!("logs: {}\n", inline(&serde_json::Value::String(text.clone())));
            let Data::Map(entries) = yaml::read(&line).unwrap().data else { panic!("{line}") };
            let Data::Scalar { text: read, .. } = &entries[0].value.data else { panic!("{line}") };
            prop_assert_eq!(expand::Expander::new(&no_env).expand(read).unwrap().text, text, "{}", line);
        }
    }
}

proptest! {
    // Each case writes and reads every key, so few of them do.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_change_of_the_settings_survives_being_written_and_read(
        concurrency in 4u32..10_000,
        delay in 0.0..31_536_000.0,
        deadline in proptest::option::of(0.001..8760.0),
        agent in "[ -~]{0,60}[!-~]",
        content_types in proptest::collection::vec("[a-z]{1,9}/[a-z+*]{1,9}", 0..20),
        classes in proptest::collection::btree_map("[a-fh-z_.-]{1,9}", (0.0..9.0).prop_map(Seconds), 0..4),
        networks in proptest::option::of(proptest::collection::vec("10\\.[0-9]\\.0\\.0/(8|16)", 0..4)),
        scope in proptest::sample::select(vec![RedirectScope::Any, RedirectScope::SameSite, RedirectScope::SameHost]),
    ) {
        let mut settings = Settings::default();
        settings.crawl.concurrency = concurrency;
        settings.crawl.default_crawl_delay_seconds = Seconds(delay);
        settings.crawl.deadline_hours = deadline;
        settings.crawl.user_agent = agent;
        settings.crawl.content_types = content_types;
        settings.crawl.redirect_scope = scope;
        settings.network.allow_private = networks.map_or(AllowPrivate::Any(true), AllowPrivate::Networks);
        for (name, crawl_delay_seconds) in classes {
            settings.politeness.classes.insert(name, SiteClass { crawl_delay_seconds, domains: Vec::new() });
        }
        prop_assert_eq!(settings.validate(), vec![]);
        let text = as_yaml(&settings);
        match Settings::from_yaml(&text, "canvass.yaml", &no_env) {
            Ok(loaded) => prop_assert_eq!(loaded.settings, settings),
            Err(problems) => prop_assert!(false, "{problems}\n{text}"),
        }
    }
}
