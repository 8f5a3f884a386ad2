//! How is the line with number, street and part of the building written?

use super::words::{
    BEFORE_A_NUMBER, direction, direction_of_two, ordinal, part_without_number, suffix, unit,
};

/// The line in the one way to write it: `123 N MAIN ST STE 200`, `PO BOX 5`, `100 COUNTY ROAD 20`.
pub(super) fn normalised(line: &str) -> String {
    let mut normal = rewritten(line);
    // one word that is written anew may make another rule fit, though hardly in what people live at
    for _ in 0..4 {
        let again = rewritten(&normal);
        if again == normal {
            break;
        }
        normal = again;
    }
    normal
}

fn rewritten(line: &str) -> String {
    let mut words = rewritten_before_numbers(words_of(line));
    let parts = take_parts_of_building(&mut words);
    abbreviate(&mut words);
    words.extend(parts);
    words.join(" ")
}

/// The words in capitals. Punctuation ends a word, but for what belongs to one: `12-A`, `1/2`; a `#` is a word of its own.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().flat_map(char::to_uppercase) {
        match c {
            '\'' | '’' | '‘' | '`' => {}
            '-' | '/' => last(&mut words).push(c),
            '–' | '—' => last(&mut words).push('-'),
            '#' | '&' => {
                words.push(if c == '#' { "#" } else { "AND" }.to_owned());
                words.push(String::new());
            }
            c if c.is_whitespace() || c.is_control() || c.is_ascii_punctuation() => words.push(String::new()),
            c => last(&mut words).push(c),
        }
    }
    let tidy = |word: String| word.trim_matches(['-', '/']).to_owned();
    words.into_iter().map(tidy).filter(|word| !word.is_empty()).collect()
}

fn last(words: &mut [String]) -> &mut String {
    words.last_mut().expect("there is a word from the beginning")
}

/// Boxes, rural routes and numbered roads, which are told from names only by the number behind them.
fn rewritten_before_numbers(words: Vec<String>) -> Vec<String> {
    let mut rewritten: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        // the mark of a number says nothing behind a word that says the same
        let before = rewritten.last().map_or("", String::as_str);
        let number_follows = words.get(at + 1).is_some_and(|next| names_a_part(next));
        if words[at] == "#" && number_follows && (before == "BOX" || unit(before).is_some()) {
            at += 1;
            continue;
        }
        let known = BEFORE_A_NUMBER.iter().find(|(spelled, _)| {
            let end = at + spelled.len();
            let mut behind = words.iter().skip(end).filter(|word| *word != "#");
            words.get(at..end).is_some_and(|found| found.iter().zip(*spelled).all(|(a, b)| a == b))
                && behind.next().is_some_and(|next| has_digit(next))
        });
        match known {
            Some((spelled, standard)) => {
                rewritten.extend(standard.iter().map(|&word| word.to_owned()));
                at += spelled.len();
            }
            None => {
                rewritten.extend(split_unit(&words[at], at));
                at += 1;
            }
        }
    }
    rewritten
}

/// `STE200` as two words; the first word of a line is never a part of a building.
fn split_unit(word: &str, at: usize) -> Vec<String> {
    let digits = word.find(|c: char| c.is_ascii_digit()).filter(|&digits| at > 0 && digits > 0);
    match digits.map(|digits| word.split_at(digits)) {
        Some((letters, number)) if unit(letters).is_some() => vec![letters.to_owned(), number.to_owned()],
        _ => vec![word.to_owned()],
    }
}

/// Takes apartment, suite, floor and the like off the end of the line, in their order.
fn take_parts_of_building(words: &mut Vec<String>) -> Vec<String> {
    let mut parts: Vec<[String; 2]> = Vec::new();
    loop {
        let part = match words.as_slice() {
            [.., word, number] if *word == "#" && names_a_part(number) => ["#".to_owned(), number.clone()],
            [.., number, word] if unit(word) == Some("FL") && floor(number).is_some() => {
                ["FL".to_owned(), floor(number).unwrap_or_default()]
            }
            [.., word, number] if names_a_part(number) => match unit(word) {
                Some(standard) => [standard.to_owned(), number.clone()],
                None => break,
            },
            [.., before, word] if ends_a_name(before) => match part_without_number(word) {
                Some(standard) => {
                    words.pop();
                    parts.push([standard.to_owned(), String::new()]);
                    continue;
                }
                None => break,
            },
            _ => break,
        };
        words.truncate(words.len() - 2);
        parts.push(part);
    }
    parts.into_iter().rev().flatten().filter(|word| !word.is_empty()).collect()
}

/// `2ND` or `SECOND`, as in `2ND FLOOR`: the figures.
fn floor(word: &str) -> Option<String> {
    let word = ordinal(word).unwrap_or(word);
    let figures = word.len().checked_sub(2).and_then(|end| word.get(..end))?;
    let ending = matches!(&word[figures.len()..], "ST" | "ND" | "RD" | "TH");
    let is_number = !figures.is_empty() && figures.bytes().all(|byte| byte.is_ascii_digit());
    (ending && is_number).then(|| figures.to_owned())
}

fn names_a_part(word: &str) -> bool {
    has_digit(word) || (word.len() == 1 && word != "#")
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

fn ends_a_name(word: &str) -> bool {
    suffix(word).is_some() || direction(word).is_some()
}

/// A street may be called by its number, but then as an ordinal: `5TH AVE`.
fn is_house_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && floor(word).is_none()
}

/// Directions and the last word of a street's name, wherever something is left that can be the name itself.
fn abbreviate(words: &mut Vec<String>) {
    let mut start = usize::from(words.first().is_some_and(|word| is_house_number(word)));
    start +=
        usize::from(start == 1 && words.get(1).is_some_and(|word| word.contains('/') && has_digit(word)));
    let last = abbreviate_last_direction(words, start);
    let mut end = words.len() - last;
    let named = |start: usize, end: usize| end > start + 1;
    let has_suffix = named(start, end) && suffix(&words[end - 1]).is_some();
    if has_suffix {
        let standard = suffix(&words[end - 1]).unwrap_or_default().to_owned();
        words[end - 1] = standard;
        end -= 1;
    }
    // what was one word or two is one now
    let before = words.len();
    start += abbreviate_first_direction(words, start, end);
    end -= before - words.len();
    match words.get(start..end) {
        Some([name]) if has_suffix => {
            if let Some(figures) = ordinal(name) {
                words[start] = figures.to_owned();
            }
        }
        Some([first, _, ..]) if first == "ST" => words[start] = "SAINT".to_owned(),
        _ => {}
    }
}

/// `MAIN ST NORTH WEST` as `MAIN ST NW`; how many words the direction has now.
fn abbreviate_last_direction(words: &mut Vec<String>, start: usize) -> usize {
    let ends =
        |words: &[String]| words.len() > start + 1 && words.last().is_some_and(|word| ends_a_street(word));
    if let [before @ .., first, second] = words.as_slice()
        && let Some(both) = direction_of_two(first, second)
        && ends(before)
    {
        words.truncate(words.len() - 2);
        words.push(both.to_owned());
        return 1;
    }
    if let [before @ .., word] = words.as_slice()
        && let Some(one) = direction(word)
        && ends(before)
    {
        words.pop();
        words.push(one.to_owned());
        return 1;
    }
    0
}

fn ends_a_street(word: &str) -> bool {
    suffix(word).is_some() || has_digit(word)
}

/// `NORTH WEST MAIN` as `NW MAIN`; how many words the direction has now. A street may be called `NORTH`.
fn abbreviate_first_direction(words: &mut Vec<String>, start: usize, end: usize) -> usize {
    let Some([first, rest @ ..]) = words.get(start..end) else { return 0 };
    if let [second, _, ..] = rest
        && let Some(both) = direction_of_two(first, second)
    {
        words.splice(start..start + 2, [both.to_owned()]);
        return 1;
    }
    match direction(first) {
        Some(one) if !rest.is_empty() => {
            words[start] = one.to_owned();
            1
        }
        _ => 0,
    }
}
