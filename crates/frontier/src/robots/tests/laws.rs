//! Do the laws of matching hold for whatever a site may send?

use proptest::prelude::*;

use crate::robots::Rules;

/// Whether the pattern matches, by the textbook: a table of which beginnings match which beginnings.
fn matches_by_table(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern {
        [body @ .., b'$'] => (body, true),
        all => (all, false),
    };
    let mut reached = vec![vec![false; path.len() + 1]; pattern.len() + 1];
    reached[0][0] = true;
    for p in 1..=pattern.len() {
        for t in 0..=path.len() {
            reached[p][t] = match pattern[p - 1] {
                b'*' => (0..=t).any(|earlier| reached[p - 1][earlier]),
                literal => t > 0 && path[t - 1] == literal && reached[p - 1][t - 1],
            };
        }
    }
    if anchored { reached[pattern.len()][path.len()] } else { reached[pattern.len()].contains(&true) }
}

/// The verdict by the RFC's words: of all rules that match, the longest, and of the longest one that allows.
fn allowed_by_table(rules: &[(bool, String)], path: &str) -> bool {
    let matching = rules.iter().filter(|(_, pattern)| matches_by_table(pattern.as_bytes(), path.as_bytes()));
    matching.map(|(allow, pattern)| (pattern.len(), *allow)).max().is_none_or(|(_, allow)| allow)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn verdicts_agree_with_a_table_of_all_beginnings(
        rules in prop::collection::vec((any::<bool>(), "[/*][ab/*?]{0,8}\\$?"), 0..5),
        path in "/[ab/?]{0,10}",
    ) {
        let mut body = String::from("user-agent: *\n");
        for (allow, pattern) in &rules {
            body.push_str(&format!("{}: {pattern}\n", if *allow { "allow" } else { "disallow" }));
        }
        let parsed = Rules::parse(body.as_bytes(), "canvass");
        let verdict = parsed.decide(&path);
        prop_assert_eq!(verdict.allowed, allowed_by_table(&rules, &path), "{} under\n{}", path, body);

        if let (Some(line), Some(text)) = (verdict.line, verdict.rule) {
            let (allow, pattern) = &rules[line as usize - 2];
            prop_assert_eq!((*allow, pattern.as_str()), (verdict.allowed, text));
        }
    }

}

proptest! {
    // text from a pattern is slow to make; the fuzz target of the same law runs for as long as one likes
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_body_and_no_path_panics(
        body in prop::collection::vec(any::<u8>(), 0..300),
        lines in "((user-agent|allow|disallow|crawl-delay|[a-z]{0,3})[: ]{0,2}[ -~é*$%/]{0,12}[\r\n]{1,2}){0,8}",
        agent in any::<String>(),
        path in any::<String>(),
    ) {
        for body in [body.as_slice(), lines.as_bytes()] {
            for agent in [agent.as_str(), "canvass"] {
                let rules = Rules::parse(body, agent);
                let verdict = rules.decide(&path);
                prop_assert_eq!(verdict.allowed, rules.decide(&path).allowed);
                prop_assert!(rules.decide("/robots.txt").allowed);
            }
        }
    }

    #[test]
    fn a_rule_forbids_its_own_text_however_it_is_spelt(path in "/[a-z é%/~:;,.]{0,12}") {
        let body = format!("user-agent: *\ndisallow: {path}\n");
        prop_assert!(!Rules::parse(body.as_bytes(), "canvass").decide(path.trim_end()).allowed);
    }
}
