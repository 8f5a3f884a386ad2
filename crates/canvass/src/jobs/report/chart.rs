//! How do a few numbers become a small picture?

use super::html::{Text, put};

const WIDTH: f64 = 88.0;
const HEIGHT: f64 = 22.0;
const MARGIN: f64 = 3.0;

/// A line through the values of the months, with a dot on the last; nothing below three months, which a line does not tell
/// better than two numbers.
pub fn sparkline(values: &[f64], label: &str) -> String {
    if values.len() < 3 {
        return String::new();
    }
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    let span = (high - low).max(0.001);
    let step = (WIDTH - 2.0 * MARGIN) / (values.len() - 1) as f64;
    let place = |(index, value): (usize, &f64)| {
        let across = MARGIN + step * index as f64;
        let down = HEIGHT - MARGIN - (value - low) / span * (HEIGHT - 2.0 * MARGIN);
        (across, down)
    };
    let mut svg = format!(
        "<svg class=\"spark\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\"><polyline points=\"",
        Text(label)
    );
    let mut last = (0.0, 0.0);
    for point in values.iter().enumerate().map(place) {
        put!(svg, "{:.1},{:.1} ", point.0, point.1);
        last = point;
    }
    put!(svg, "\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/></svg>", last.0, last.1);
    svg
}

/// A bar of so many percent.
pub fn bar(percent: f64) -> String {
    format!(
        "<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:{:.1}%\"></i></span>",
        percent.clamp(0.0, 100.0)
    )
}

/// A part of a whole, in a bar of several parts.
pub struct Slice<'a> {
    /// The class that colours it.
    pub class: &'a str,
    /// What it is.
    pub label: &'a str,
    /// How much of it there is.
    pub count: u64,
}

/// One bar that shows how a whole is divided.
pub fn divided(slices: &[Slice<'_>]) -> String {
    let all: u64 = slices.iter().map(|slice| slice.count).sum();
    let mut html = String::from("<div class=\"divided\" aria-hidden=\"true\">");
    for Slice { class, label, count } in slices.iter().filter(|slice| slice.count > 0) {
        let percent = super::gather::share(*count, all);
        put!(html, "<i class=\"{class}\" style=\"width:{percent:.2}%\" title=\"{}\"></i>", Text(label));
    }
    html.push_str("</div>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_within_its_picture_whatever_the_values() {
        for values in [vec![0.0, 0.0, 0.0], vec![1.0, 100.0, 50.0], vec![3.0; 12]] {
            let svg = sparkline(&values, "a \"label\"");
            let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            for point in points.split_whitespace() {
                let (x, y) = point.split_once(',').unwrap();
                assert!((0.0..=WIDTH).contains(&x.parse().unwrap()), "{svg}");
                assert!((0.0..=HEIGHT).contains(&y.parse().unwrap()), "{svg}");
            }
            assert_eq!(points.split_whitespace().count(), values.len());
        }
        assert_eq!(sparkline(&[1.0, 2.0], ""), "");
    }
}
