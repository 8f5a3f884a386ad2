use super::*;
use crate::rules::shipped;

fn file(name: &str, text: &str) -> PackFile {
    PackFile { name: name.to_owned(), text: text.to_owned() }
}

/// A pack of one signal with these lines below it.
fn pack(lines: &str) -> PackFile {
    let head = "category: live-chat\ntitle: Live chat\nabout: Talks.\nexclusive: true\nsignals:\n";
    file("mine.yaml", &format!("{head}{lines}"))
}

const CHAT: &str = "  - name: Chat\n    vendor: Chat Ltd\n    website: https://chat.example/\n";
const SEES: &str = "    fingerprints:\n      - id: chat-script\n        in: script\n        text: cdn.chat.example\n        \
                    example: '<script src=\"https://cdn.chat.example/a.js\"></script>'\n";

fn problems(files: &[PackFile]) -> Vec<String> {
    let known = HashSet::from(["WordPress".to_owned()]);
    let negatives = [("quiet".to_owned(), b"<p>Read about cdn.chat.example and quiet words</p>".to_vec())];
    check(files, &negatives, &known).findings.iter().map(ToString::to_string).collect()
}

fn problems_of(lines: &str) -> Vec<String> {
    problems(&[pack(lines)])
}

#[test]
fn the_shipped_pack_is_clean() {
    let checked = check(&shipped::files(), &shipped::negatives(), &HashSet::new());
    let told: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");
    assert!(checked.set.fingerprints().len() >= 1_000 && checked.categories.len() >= 60);
    assert_eq!(checked.examples.len(), checked.set.fingerprints().len());
}

#[test]
fn a_good_pack_has_no_findings() {
    assert_eq!(problems_of(&format!("{CHAT}    requires: [WordPress]\n{SEES}")), [""; 0]);
}

#[test]
fn an_unknown_key_is_told_with_its_line_and_the_other_files_are_still_checked() {
    let told = problems(&[
        pack(&format!("{CHAT}    colour: red\n{SEES}")),
        file("other.yaml", &pack(&format!("{CHAT}{SEES}")).text.replace("Chat Ltd", "''")),
    ]);
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].starts_with("mine.yaml: ") && told[0].contains("colour"), "{}", told[0]);
    assert_eq!(told[1], "other.yaml: Chat: the signal has no `vendor`");
}

#[test]
fn every_slip_of_a_fingerprint_is_told_by_its_id() {
    for (from, to, expected) in [
        ("chat-script", "Chat_Script", "Chat_Script: an id is lower-case words"),
        ("in: script", "in: scripts", "chat-script: there is no part `scripts`"),
        ("text: cdn.chat.example", "regex: '(cdn'", "chat-script: `regex` is not a regular expression"),
        ("text: cdn.chat.example", r"regex: '\d+'", "chat-script: it has no text of at least"),
        ("text: cdn.chat.example", "text: cdn.talk.example", "chat-script: it does not see its own example"),
        ("text: cdn.chat.example", r#"text: "cdn.\0chat.example""#, "chat-script: it holds a NUL character"),
        ("in: script", "in: body", "chat-script: `cdn.chat.example` in the body is on every page"),
        (
            "in: script",
            "confidence: 101\n        in: script",
            "chat-script: its confidence is not from 1 to 100",
        ),
        (
            "in: script",
            "extract: {version: '/(a)\\.js'}\n        in: script",
            "chat-script: of its example it reads off version `a`, not nothing",
        ),
        (
            "in: script",
            "extract: {version: '(\\d'}\n        in: script",
            "chat-script: `extract.version` is not a regular expression",
        ),
        (
            "in: script",
            "expect: {version: '2'}\n        in: script",
            "chat-script: of its example it reads off nothing, not version `2`",
        ),
    ] {
        let told = problems_of(&format!("{CHAT}{}", SEES.replace(from, to)));
        let wanted = format!("mine.yaml: {expected}");
        assert!(told.iter().any(|line| line.starts_with(&wanted)), "{to}: {told:#?}");
    }
}

#[test]
fn what_is_seen_on_a_page_that_runs_nothing_is_told() {
    let body = "    fingerprints:\n      - {id: chat-words, in: text, text: quiet words, example: '<p>quiet words</p>'}\n";
    assert_eq!(
        problems_of(&format!("{CHAT}{body}")),
        ["mine.yaml: chat-words: it sees `quiet words` on quiet, a page that runs nothing"]
    );
}

#[test]
fn names_that_are_there_twice_are_told_with_the_other_file() {
    let (one, mut other) = (pack(&format!("{CHAT}{SEES}")), pack(&format!("{CHAT}{SEES}")));
    other.name = "second.yaml".to_owned();
    other.text = other.text.replace("name: Chat", "name: CHAT").replace("about: Talks", "about: Chats");
    assert_eq!(
        problems(&[one, other]),
        [
            "second.yaml: live-chat: another file describes this category in other words",
            "second.yaml: CHAT: the signal is in mine.yaml too",
            "second.yaml: chat-script: the id is in mine.yaml too",
        ]
    );
}

#[test]
fn signals_speak_of_signals_that_are_there_and_never_of_themselves() {
    let told = problems_of(&format!(
        "{CHAT}    implies: [Chat, WordPress]\n    requires: [Nobody]\n    excludes: [WordPress]\n{SEES}"
    ));
    assert_eq!(
        told,
        [
            "mine.yaml: Chat: the signal names itself in `implies`",
            "mine.yaml: Chat: `requires` names `Nobody`, and there is no such signal",
            "mine.yaml: Chat: the signal both implies and excludes `WordPress`",
        ]
    );
    let unseen = format!("{CHAT}{SEES}{}    fingerprints: []\n", CHAT.replace("name: Chat", "name: Ghost"));
    assert_eq!(
        problems_of(&unseen),
        ["mine.yaml: Ghost: the signal has no fingerprint, and nothing implies it"]
    );
}

#[test]
fn requirements_in_a_circle_are_told_and_a_chain_is_not() {
    let signal = |name: &str, requires: &str| {
        format!(
            "{}    requires: [{requires}]\n{}",
            CHAT.replace("name: Chat", &format!("name: {name}")),
            SEES.replace("chat-script", &format!("{}-script", name.to_lowercase()))
        )
    };
    let chain = [signal("One", "Two"), signal("Two", "Three"), signal("Three", "WordPress")].concat();
    assert_eq!(problems_of(&chain), [""; 0]);
    let circle =
        [signal("Zero", "One"), signal("One", "Two"), signal("Two", "Three"), signal("Three", "One")];
    assert_eq!(
        problems_of(&circle.concat()),
        ["mine.yaml: One: `requires` goes in a circle: One → Two → Three → One"]
    );
}
