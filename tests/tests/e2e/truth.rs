//! Does every line end as it should?

use sandbox::Plan;

use crate::support::{
    found::{check_books, compare_with_truth, endings},
    web::Web,
};

pub fn every_line_of_the_sandbox_ends_as_its_truth_says() {
    let web = Web::serve(&Plan::default());
    let home = web.home(1.0, &[]);
    home.crawl("r", &web.list).expect(0);
    let found = endings(&home, "r");
    let wrong = compare_with_truth(&web.world, &found);
    assert!(wrong.is_empty(), "{} of {} lines:\n{}", wrong.len(), found.len(), wrong.join("\n"));
    check_books(&home, "r", &found);
    eprintln!("{} lines of {} sites ended as the truth says", found.len(), web.world.sites().len());
}
