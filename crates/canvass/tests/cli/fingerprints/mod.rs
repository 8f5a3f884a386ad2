//! Are fingerprints loaded, checked, tried and switched as a person expects?

mod load;
mod look;
mod switch;

use crate::program::Home;

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
