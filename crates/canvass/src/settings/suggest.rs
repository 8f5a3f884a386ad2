//! Which name was probably meant?

/// The one of `known` that is nearest to `typed`, if it is near enough to be a slip of the fingers.
pub(crate) fn nearest<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Long names are nobody's slip, and the distance takes time quadratic in the length.
    if typed.len() > 64 {
        return None;
    }
    let plain = |text: &str| text.to_ascii_lowercase().replace('-', "_");
    let typed = plain(typed);
    known
        .map(|name| (strsim::osa_distance(&typed, &plain(name)), name))
        .filter(|(distance, name)| *distance <= (name.len().max(typed.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["user_agent", "concurrency", "http2"];
        let meant = |typed| nearest(typed, known.into_iter());
        assert_eq!(meant("user_agnet"), Some("user_agent"));
        assert_eq!(meant("User-Agent"), Some("user_agent"));
        assert_eq!(meant("concurency"), Some("concurrency"));
        assert_eq!(meant("http"), Some("http2"));
        assert_eq!(meant("banana"), None);
        assert_eq!(meant(&"user_agent".repeat(99)), None);
    }
}
