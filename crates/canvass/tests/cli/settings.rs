//! Is everything that is wrong with the settings told at once, with its place?

use insta::assert_snapshot;

use crate::program::{Home, assert_fits};

#[test]
fn check_names_each_problem_with_its_line_and_what_is_wanted() {
    let home = Home::empty();
    home.write("canvass.yaml", "crawl:\n  concurency: 8\n  http2: maybe\nlogs: {keep: -1}\n");
    let told = home.run(&["config", "check"]);
    assert_fits(&told);
    assert_snapshot!(told, @"
    canvass.yaml:2: unknown key `crawl.concurency`; did you mean `concurrency`?
    canvass.yaml:3: `crawl.http2` must be true or false, not `maybe`
    canvass.yaml:4: `logs.keep` must be a whole number from 0 to 10000, not `-1`
    canvass.yaml: 3 problems
    [exit 2]
    ");
}

#[test]
fn a_command_that_needs_settings_tells_the_same_problems() {
    let home = Home::empty();
    home.write("canvass.yaml", "crawl:\n  concurency: 8\n  http2: maybe\n");
    assert_snapshot!(home.run(&["ledger"]), @"
    ! error: canvass.yaml:2: unknown key `crawl.concurency`; did you mean `concurrency`?
    ! canvass.yaml:3: `crawl.http2` must be true or false, not `maybe`
    [exit 2]
    ");
    assert_snapshot!(home.run(&["--config", "absent.yaml", "config", "show"]), @"
    ! error: absent.yaml: there is no such file; `canvass init` writes one
    [exit 2]
    ");
    assert_snapshot!(home.run(&["config", "show", "--set", "crawl.http2"]), @"
    ! error: invalid value 'crawl.http2' for '--set <KEY=VALUE>': write it as KEY=VALUE, as in `--set crawl.concurrency=8`
    !
    ! For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn show_says_who_set_what() {
    let home = Home::empty();
    home.write("canvass.yaml", "crawl: {concurrency: 8}\n");
    let changed = ["config", "show", "--changed", "--set", "politeness.per_ip_concurrency=2"];
    assert_snapshot!(home.run(&changed), @"
    crawl:
      concurrency: 8                              # canvass.yaml:1
    politeness:
      per_ip_concurrency: 2  # --set politeness.per_ip_concurrency
    [exit 0]
    ");
    let all = home.run(&["config", "show"]);
    assert_fits(&all);
    assert_eq!(home.json(&["config", "show", "--json"])["crawl.concurrency"]["origin"], "canvass.yaml:1");
    assert_eq!(home.json(&["config", "schema"])["title"], "canvass settings");
}
