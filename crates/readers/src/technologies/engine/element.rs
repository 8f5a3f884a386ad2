//! Is an element on the page that a rule speaks of?

use super::{
    super::{
        parts::unescaped,
        pattern::Matcher,
        selector::{Place, Selector},
    },
    around::span_around,
    reading::{MAX_RULE_BYTES, MAX_SNIPPET_BYTES, MAX_TRIED_BYTES, MAX_VALUE_BYTES, Reading, Scratch},
};

/// What it costs to look for the tag around a hit, in bytes tried.
const TAG_COST: usize = 64;
/// What an element costs when the tree is built, once for a page, in bytes tried.
const ELEMENT_COST: usize = 8;
/// How many elements a rule may pass by, for their names alone, for one byte tried.
const PASSED_BY: usize = 4;

impl Reading<'_> {
    /// Tries a rule on the element that holds the byte at `at` in its tag or in the text behind that.
    pub(super) fn try_element(&mut self, number: u32, at: usize) {
        if self.is_over(number) {
            return;
        }
        let rule = &self.engine.rules[number as usize];
        let mut cost = TAG_COST;
        let place = self.state.tag.read_around(self.html, at, &mut cost);
        self.tried += cost;
        let reads_text = rule.attribute.is_none() && !matches!(rule.matcher, Matcher::Anything);
        let is_near = place == Some(Place::Inside) || (place == Some(Place::Behind) && reads_text);
        if is_near && self.is_first_look(number) && self.compound_fits(number) {
            self.check_element(number);
        }
        // the look at all elements comes once: it ends with the rule's tries spent
        if rule.selectors.iter().any(|one| !one.is_compound()) && !self.is_over(number) {
            self.try_relatives(number);
        }
    }

    /// Whether a rule has not just looked at the tag that was read last; whichever hit led to it, it would see the same.
    fn is_first_look(&mut self, number: u32) -> bool {
        let Scratch { tag, looked_at, touched, .. } = &mut *self.state;
        let tag = tag.start() as u32 + 1;
        let last = std::mem::replace(&mut looked_at[number as usize], tag);
        if last == 0 {
            touched.push(number);
        }
        last != tag
    }

    /// Whether the tag that was read last is all that one of a rule's selectors asks for.
    fn compound_fits(&mut self, number: u32) -> bool {
        let Scratch { tag, .. } = &*self.state;
        let (html, tried) = (self.html, &mut self.tried);
        let fits = |one: &Selector| {
            *tried += tag.length();
            one.fits(html, tag)
        };
        let rule = &self.engine.rules[number as usize];
        let named = |one: &&Selector| one.is_compound() && one.names(html, tag.start());
        rule.selectors.iter().filter(named).any(fits)
    }

    /// Tries a rule that speaks of an element's relatives on all elements.
    fn try_relatives(&mut self, number: u32) {
        let rule = &self.engine.rules[number as usize];
        if self.state.tree.build(self.html, &self.state.parts) {
            self.tried += ELEMENT_COST * self.state.tree.len();
        }
        self.tried += self.state.tree.len() / PASSED_BY;
        // the relatives of all elements together have a bound of their own
        let mut relatives_cost = 0;
        for place in 0..self.state.tree.len() {
            if self.tried + relatives_cost >= MAX_TRIED_BYTES {
                break;
            }
            let start = self.state.tree.start(place);
            let mut selectors = rule.selectors.iter().filter(|one| one.names(self.html, start)).peekable();
            if selectors.peek().is_none() {
                continue;
            }
            self.state.tag.read_at(self.html, start);
            let Scratch { tree, tag, .. } = &*self.state;
            let (html, tried) = (self.html, &mut self.tried);
            let fits = |one: &Selector| {
                *tried += tag.length();
                one.fits(html, tag) && one.relatives_fit(html, tree, place, &mut relatives_cost)
            };
            if selectors.any(fits) {
                self.check_element(number);
                if self.is_over(number) {
                    break;
                }
            }
        }
        self.tried += relatives_cost;
        if self.may_try(number, 0) {
            self.state.spent[number as usize] = MAX_RULE_BYTES;
        }
    }

    /// Tries a rule's pattern on the element whose tag was read last.
    fn check_element(&mut self, number: u32) {
        let rule = &self.engine.rules[number as usize];
        let Scratch { tag, parts, .. } = &*self.state;
        let start = tag.start();
        // markup in a script or a comment is no element
        if [&parts.inline, &parts.styles, &parts.comments].iter().any(|raw| span_around(raw, start).is_some())
        {
            return;
        }
        let value = match (&rule.attribute, &rule.matcher) {
            (Some(attribute), _) => match tag.value(self.html, attribute) {
                Some(value) => value,
                None => return,
            },
            (None, Matcher::Anything) => start..(start + MAX_SNIPPET_BYTES).min(self.html.len()),
            (None, _) => tag.text(self.html),
        };
        let value = value.start..value.end.min(value.start + MAX_VALUE_BYTES);
        self.try_value(number, &unescaped(&self.html[value.clone()]), value.start);
    }
}
