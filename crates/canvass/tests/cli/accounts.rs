//! Are accounts loaded line by line, and are bad lines named?

use insta::assert_snapshot;

use crate::program::Home;

const ACCOUNTS: &str = "\
account_id,name,website_id,website,street,city,region,postcode,country
a1,First Church,1,https://first.example/,1 Main St,Provo,UT,84601,US
a1,First Church,2,https://first-school.example/,1 Main St,Provo,UT,84601,US
a2,\"Second, Inc.\",3,,,,,,
,Nobody,4,,,,,,
a5,Short
";

#[test]
fn accounts_and_their_sites_are_loaded_and_loading_again_changes_nothing() {
    let home = Home::begun();
    home.write("accounts.csv", ACCOUNTS);
    assert_snapshot!(home.run(&["accounts", "list"]), @"
    no accounts yet; load some with `canvass accounts load FILE.csv`
    [exit 0]
    ");
    assert_snapshot!(home.run(&["accounts", "load", "accounts.csv"]), @"
    accounts.csv: 5 lines; new or changed: 2 accounts, 3 sites
    2 lines passed over:
      line 5: `account_id` is empty
      line 6: 2 fields where the header has 9
    [exit 1]
    ");
    assert_snapshot!(home.run(&["accounts", "load", "accounts.csv", "--json"]), @r#"
    {
      "lines": 5,
      "changed_accounts": 0,
      "changed_sites": 0,
      "bad_lines": 2,
      "first_bad_lines": [
        {
          "line": 5,
          "problem": "`account_id` is empty"
        },
        {
          "line": 6,
          "problem": "2 fields where the header has 9"
        }
      ]
    }
    [exit 1]
    "#);
    assert_snapshot!(home.run(&["accounts", "list"]), @"
    account        name                         place                sites
    a1             First Church                 Provo, UT            1 2
    a2             Second, Inc.                                      3
    [exit 0]
    ");
    assert_snapshot!(home.run(&["accounts", "list", "-n", "1"]), @"
    account        name                         place                sites
    a1             First Church                 Provo, UT            1 2
    more: `canvass accounts list --after a1`
    [exit 0]
    ");
    let rows = home.json(&["accounts", "list", "--after", "a1", "--json"]);
    assert_eq!(rows[0]["name"], "Second, Inc.");
    assert_eq!(rows[0]["sites"][0]["site"], "3");
}

#[test]
fn a_file_that_is_none_of_accounts_is_refused_with_the_reason() {
    let home = Home::begun();
    assert_snapshot!(home.run(&["accounts", "load", "absent.csv"]), @"
    ! error: cannot read absent.csv: No such file or directory (os error 2)
    [exit 2]
    ");
    assert_snapshot!(home.run(&["accounts", "load", "list.csv"]), @"
    ! error: cannot read list.csv: it has no column `account_id`: the first line must name account_id,name,website_id,website,street,city,region,postcode,country
    [exit 2]
    ");
    home.write("slip.csv", "acount_id,name\n1,a\n");
    assert_snapshot!(home.run(&["accounts", "load", "slip.csv"]), @"
    ! error: cannot read slip.csv: it has no column `account_id`: is it the one that is called `acount_id`?
    [exit 2]
    ");
}

#[test]
fn of_very_many_bad_lines_the_first_are_told() {
    let home = Home::begun();
    home.write("accounts.csv", format!("account_id,name\n{}", ",nobody\n".repeat(2_500)));
    let told = home.run(&["accounts", "load", "accounts.csv"]);
    assert!(told.contains("line 21: `account_id` is empty\n  and 2,480 more\n[exit 1]"), "{told}");
}
