//! How is a long answer read in pages, each of which stands alone?
//!
//! A page begins behind the last key of the one before it, so nothing leans on a cursor and no statement takes long.

use crate::{Kind, Value};

/// The first text that may stand behind `after`, so that a statement can say `>=`: the smallest text of all where
/// nothing was read yet, since an empty key is a key too.
///
/// Text is compared byte by byte and holds no NUL character, so there is nothing between a text and the same with
/// the character 1 behind it.
pub(crate) fn behind(after: Option<&str>) -> Value {
    Value::Text(after.map_or_else(String::new, |after| format!("{after}\u{1}")))
}

/// The last text that may stand in an answer, or no limit.
pub(crate) fn up_to(upto: Option<&str>) -> Value {
    Value::optional(upto, Kind::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_can_be_stored_stands_between_a_text_and_what_is_behind_it() {
        let Value::Text(first) = behind(Some("site")) else { panic!("a key is text") };
        assert!(first.as_str() > "site");
        for next in ["site\u{1}", "site ", "sitf", "site\u{10ffff}"] {
            assert!(next >= first.as_str(), "{next:?} would be passed over");
        }
        assert_eq!(behind(None), Value::from(""));
    }
}
