//! What does one line of a robots.txt say?

/// What a line is about, if it means something to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
}

/// The names of the directives, with the misspellings that are common enough for the large crawlers to read them.
const NAMES: &[(&str, Directive)] = &[
    ("user-agent", Directive::UserAgent),
    ("useragent", Directive::UserAgent),
    ("user agent", Directive::UserAgent),
    ("allow", Directive::Allow),
    ("disallow", Directive::Disallow),
    ("dissallow", Directive::Disallow),
    ("dissalow", Directive::Disallow),
    ("disalow", Directive::Disallow),
    ("diasllow", Directive::Disallow),
    ("disallaw", Directive::Disallow),
    ("crawl-delay", Directive::CrawlDelay),
    ("crawldelay", Directive::CrawlDelay),
    ("crawl delay", Directive::CrawlDelay),
];

/// The lines of a body: ended by LF, CR or both together, without a byte order mark.
pub(super) fn physical_lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', text) else {
            rest = None;
            return Some(text);
        };
        let ended_by = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = Some(&text[end + ended_by..]);
        Some(&text[..end])
    })
}

/// The directive on a line and its value, if it is one of ours.
pub(super) fn directive(line: &[u8]) -> Option<(Directive, &[u8])> {
    let text = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
    let (name, value) = match memchr::memchr(b':', text) {
        Some(colon) => (&text[..colon], &text[colon + 1..]),
        None => two_words(text.trim_ascii())?,
    };
    let name = name.trim_ascii();
    let (_, directive) = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()))?;
    Some((*directive, value.trim_ascii()))
}

/// A forgotten colon is forgiven where exactly two words leave no doubt.
fn two_words(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let gap = text.iter().position(u8::is_ascii_whitespace)?;
    let value = text[gap..].trim_ascii();
    (!value.iter().any(u8::is_ascii_whitespace)).then_some((&text[..gap], value))
}
