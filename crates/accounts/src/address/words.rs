//! Which words stand for the same thing in an address?
//!
//! The tables are files in `data/`, one line for each standard word, which say where they were taken from.

use std::{collections::HashMap, sync::LazyLock};

type Table = LazyLock<HashMap<String, &'static str>>;

static SUFFIXES: Table = LazyLock::new(|| table(include_str!("../../data/street_suffixes.txt"), ' '));
static UNITS: Table = LazyLock::new(|| table(include_str!("../../data/units.txt"), ' '));
static STATES: Table = LazyLock::new(|| table(include_str!("../../data/states.txt"), '|'));
static COUNTRIES: Table = LazyLock::new(|| table(include_str!("../../data/countries.txt"), '|'));

fn table(text: &'static str, between: char) -> HashMap<String, &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let spellings = |line: &'static str| {
        let standard = line.split(between).next().unwrap_or_default();
        line.split(between).map(move |spelling| (folded(spelling), standard))
    };
    lines.flat_map(spellings).collect()
}

/// Letters and digits only, in capitals: `U. S. A.` and `usa` are one.
fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// The two letters of a country that is named by a code or a name in use.
pub(super) fn country_code(text: &str) -> Option<&'static str> {
    COUNTRIES.get(&folded(text)).copied()
}

/// The two letters of a state of the United States.
pub(super) fn state_code(text: &str) -> Option<&'static str> {
    STATES.get(&folded(text)).copied()
}

/// The standard abbreviation of a word that ends a street's name.
pub(super) fn suffix(word: &str) -> Option<&'static str> {
    SUFFIXES.get(word).copied()
}

/// The standard abbreviation of a word that stands before the number of a part of a building.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    UNITS.get(word).copied()
}

/// The standard abbreviation of a part of a building that needs no number.
pub(super) fn part_without_number(word: &str) -> Option<&'static str> {
    Some(match word {
        "BASEMENT" | "BSMT" => "BSMT",
        "FRONT" | "FRNT" => "FRNT",
        "LOBBY" | "LBBY" => "LBBY",
        "LOWER" | "LOWR" => "LOWR",
        "OFFICE" | "OFC" => "OFC",
        "PENTHOUSE" | "PH" => "PH",
        "REAR" => "REAR",
        "UPPER" | "UPPR" => "UPPR",
        _ => return None,
    })
}

/// One or two letters for a direction.
pub(super) fn direction(word: &str) -> Option<&'static str> {
    Some(match word {
        "N" | "NORTH" => "N",
        "E" | "EAST" => "E",
        "S" | "SOUTH" => "S",
        "W" | "WEST" => "W",
        "NE" | "NORTHEAST" => "NE",
        "NW" | "NORTHWEST" => "NW",
        "SE" | "SOUTHEAST" => "SE",
        "SW" | "SOUTHWEST" => "SW",
        _ => return None,
    })
}

/// Two directions that are one: north, west.
pub(super) fn direction_of_two(first: &str, second: &str) -> Option<&'static str> {
    Some(match (direction(first)?, direction(second)?) {
        ("N", "E") => "NE",
        ("N", "W") => "NW",
        ("S", "E") => "SE",
        ("S", "W") => "SW",
        _ => return None,
    })
}

/// A street that is called by its number, in figures.
pub(super) fn ordinal(word: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 12] = [
        ("FIRST", "1ST"),
        ("SECOND", "2ND"),
        ("THIRD", "3RD"),
        ("FOURTH", "4TH"),
        ("FIFTH", "5TH"),
        ("SIXTH", "6TH"),
        ("SEVENTH", "7TH"),
        ("EIGHTH", "8TH"),
        ("NINTH", "9TH"),
        ("TENTH", "10TH"),
        ("ELEVENTH", "11TH"),
        ("TWELFTH", "12TH"),
    ];
    WORDS.iter().find(|(spelled, _)| *spelled == word).map(|&(_, figures)| figures)
}

/// Words that mean something else only before a number, and how they are written then; longer ones first.
pub(super) const BEFORE_A_NUMBER: &[(&[&str], &[&str])] = &[
    (&["POST", "OFFICE", "BOX"], &["PO", "BOX"]),
    (&["P", "O", "BOX"], &["PO", "BOX"]),
    (&["P", "O", "DRAWER"], &["PO", "BOX"]),
    (&["P", "O", "B"], &["PO", "BOX"]),
    (&["R", "F", "D"], &["RR"]),
    (&["U", "S", "HWY"], &["US", "HIGHWAY"]),
    (&["HIGHWAY", "CONTRACT"], &["HC"]),
    (&["PO", "DRAWER"], &["PO", "BOX"]),
    (&["RURAL", "ROUTE"], &["RR"]),
    (&["STAR", "ROUTE"], &["HC"]),
    (&["R", "R"], &["RR"]),
    (&["H", "C"], &["HC"]),
    (&["CO", "RD"], &["COUNTY", "ROAD"]),
    (&["CNTY", "RD"], &["COUNTY", "ROAD"]),
    (&["COUNTY", "RD"], &["COUNTY", "ROAD"]),
    (&["STATE", "RD"], &["STATE", "ROAD"]),
    (&["STATE", "RT"], &["STATE", "ROUTE"]),
    (&["STATE", "RTE"], &["STATE", "ROUTE"]),
    (&["STATE", "HWY"], &["STATE", "HIGHWAY"]),
    (&["US", "HWY"], &["US", "HIGHWAY"]),
    (&["POB"], &["PO", "BOX"]),
    (&["RFD"], &["RR"]),
    (&["CR"], &["COUNTY", "ROAD"]),
    (&["HWY"], &["HIGHWAY"]),
    (&["RTE"], &["ROUTE"]),
    (&["RT"], &["ROUTE"]),
];
