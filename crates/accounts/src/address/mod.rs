//! When do two spellings of an address mean the same place?
//!
//! Addresses are typed by people: `123 North Main Street, Suite #200` and `123 N. MAIN ST STE 200` are one. This module
//! writes them in one way, as the United States Postal Service asks for it (Publication 28): capitals, no punctuation,
//! standard abbreviations for what stands before and after a street's name, two letters for a state, five or nine digits
//! for a ZIP code. What it does not know stays as it was typed, in capitals: it never guesses at a name.
//!
//! Addresses outside the United States are only tidied: case, white space and the country's code.

mod street;
mod words;

use words::{country_code, state_code};

/// A postal address, field by field; a field that is not known is empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Address {
    /// Number, street and part of the building.
    pub street: String,
    /// The city.
    pub city: String,
    /// The state or province.
    pub region: String,
    /// The ZIP or postal code.
    pub postcode: String,
    /// The country, by name or code.
    pub country: String,
}

/// Where the rules of the United States apply: itself and the territories that have a country code of their own.
const BY_US_RULES: [&str; 6] = ["US", "AS", "GU", "MP", "PR", "VI"];

impl Address {
    /// The same place in the one way to write it. Doing it again changes nothing.
    ///
    /// An address without a country whose region is a state, and whose code could be a ZIP code, is in the United States.
    /// A country that is not known stays as it was typed.
    #[must_use]
    pub fn normalised(&self) -> Address {
        let Address { street, city, region, postcode, country } = self;
        let state = state_code(region);
        let mut code = country_code(country).map(str::to_owned);
        if country.trim().is_empty() && state.is_some() {
            let could_be_zip = postcode.trim().is_empty() || zip_code(postcode).is_some();
            code = could_be_zip.then(|| "US".to_owned());
        }
        if code.as_deref().is_some_and(|code| BY_US_RULES.contains(&code)) {
            return Address {
                street: street::normalised(street),
                city: us_city(city),
                region: state.map_or_else(|| street::words_of(region).join(" "), str::to_owned),
                postcode: zip_code(postcode).unwrap_or_else(|| tidy(postcode)),
                country: code.unwrap_or_default(),
            };
        }
        Address {
            street: tidy(street),
            city: tidy(city),
            region: tidy(region),
            postcode: tidy(postcode),
            country: code.unwrap_or_else(|| collapsed(country)),
        }
    }
}

/// Five digits, or nine as `12345-6789`. Spreadsheets drop leading zeros, databases add `.0`; both are mended.
fn zip_code(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix(".0").unwrap_or(text);
    let (first, more) = match text.split_once(['-', '–', ' ']) {
        Some((first, more)) => (first.trim(), more.trim()),
        None if text.len() > 5 && text.is_ascii() => text.split_at(text.len().saturating_sub(4)),
        None => (text, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (3..=5).contains(&first.len()) && digits(first) && digits(more) && matches!(more.len(), 0 | 4);
    if !fits {
        return None;
    }
    // nobody has the add-on 0000; it means that none is known
    let more = if more == "0000" { "" } else { more };
    Some(if more.is_empty() { format!("{first:0>5}") } else { format!("{first:0>5}-{more}") })
}

/// Capitals without punctuation, and the three words spelled out that the postal service's own city names spell out.
fn us_city(text: &str) -> String {
    let mut words = street::words_of(text);
    if let [first, _, ..] = words.as_mut_slice() {
        let spelled = match first.as_str() {
            "ST" => "SAINT",
            "FT" => "FORT",
            "MT" => "MOUNT",
            other => other,
        };
        *first = spelled.to_owned();
    }
    words.join(" ")
}

/// Capitals, and single spaces.
fn tidy(text: &str) -> String {
    collapsed(&text.to_uppercase())
}

fn collapsed(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
