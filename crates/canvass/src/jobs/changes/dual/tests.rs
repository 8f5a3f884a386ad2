use proptest::prelude::*;

use super::{
    super::simulated::{Site, any_site_with_failures, captured, changes_of, missed},
    *,
};

/// Chats of four vendors; the third is of the second's family.
fn chat(signal: i64) -> Product {
    let (name, vendor, family) = match signal {
        1 => ("Intercom", "Intercom", "Intercom"),
        2 => ("Drift", "Salesloft", "Drift"),
        3 => ("Drift Video", "Salesloft", "Drift"),
        _ => ("Crisp", "Crisp IM", "Crisp"),
    };
    let [name, vendor, family] = [name, vendor, family].map(str::to_owned);
    Product { signal, name, vendor, family, category: "live-chat".to_owned() }
}

fn holdings(site: &Site) -> Vec<Holding> {
    let hold = |change: super::super::answer::Change| Holding {
        product: chat(change.signal),
        kind: change.kind,
        certainty: change.certainty,
        since: change.since,
        evidence: change.evidence,
    };
    changes_of(site).into_iter().map(hold).collect()
}

fn duals(sites: &[Site]) -> Vec<DualVendor> {
    let mut account = Account::default();
    for holding in sites.iter().flat_map(holdings) {
        account.add(holding);
    }
    account.dual_vendors()
}

fn told(duals: &[DualVendor]) -> Vec<(&str, &str, bool, &'static str)> {
    let mut told = Vec::new();
    for DualVendor { first, second, is_new, certainty } in duals {
        told.push((first.product.name.as_str(), second.product.name.as_str(), *is_new, certainty.name()));
    }
    told
}

#[test]
fn a_vendor_that_came_to_another_is_new_and_second() {
    let duals = duals(&[vec![[captured(&[1, 4]), captured(&[1])]]]);
    assert_eq!(told(&duals), [("Intercom", "Crisp", true, "certain")]);
    let DualVendor { first, second, .. } = &duals[0];
    assert!(first.since < second.since);
    assert_eq!(second.sighting.url, "https://a.example/");
}

#[test]
fn two_vendors_that_were_there_before_are_not_new_and_come_by_name() {
    let duals = duals(&[vec![[captured(&[1, 4]), captured(&[1, 4])]]]);
    assert_eq!(told(&duals), [("Crisp", "Intercom", false, "certain")]);
}

#[test]
fn a_vendor_that_was_replaced_is_a_switch_and_no_second_vendor() {
    assert!(duals(&[vec![[captured(&[4]), captured(&[1])]]]).is_empty());
}

#[test]
fn products_of_one_family_are_one_vendor() {
    assert!(duals(&[vec![[captured(&[2, 3]), captured(&[2])]]]).is_empty());
    let three = duals(&[vec![[captured(&[1, 2, 3]), captured(&[1])]]]);
    assert_eq!(told(&three), [("Intercom", "Drift", true, "certain")]);
    let upgrade = duals(&[vec![[captured(&[1, 3]), captured(&[1, 2])]]]);
    assert_eq!(told(&upgrade), [("Intercom", "Drift Video", false, "certain")]);
}

#[test]
fn the_sites_of_an_account_are_looked_at_together() {
    let (first, second) = (vec![[captured(&[1]), captured(&[1])]], vec![[captured(&[4]), captured(&[])]]);
    assert_eq!(told(&duals(&[first.clone(), second])), [("Intercom", "Crisp", true, "certain")]);
    let moved = vec![[captured(&[4]), captured(&[])]];
    let had_it = vec![[captured(&[1]), captured(&[1, 4])]];
    assert_eq!(told(&duals(&[moved, had_it])), [("Crisp", "Intercom", false, "certain")]);
    let unheard = vec![[captured(&[4]), missed()]];
    assert_eq!(told(&duals(&[first, unheard])), [("Intercom", "Crisp", false, "unknown")]);
}

#[test]
fn what_failed_last_month_is_in_use_and_not_new() {
    let site = vec![[captured(&[1]), captured(&[1])], [captured(&[4]), missed()]];
    assert_eq!(told(&duals(&[site])), [("Intercom", "Crisp", false, "unknown")]);
}

#[test]
fn where_nothing_is_known_of_before_what_was_added_came_last() {
    let site = vec![[captured(&[4]), captured(&[])], [captured(&[1]), missed()]];
    assert_eq!(told(&duals(&[site])), [("Intercom", "Crisp", true, "unknown")]);
}

#[test]
fn what_came_back_this_month_is_second_to_what_stayed() {
    let mut account = Account::default();
    for mut holding in holdings(&vec![[captured(&[1, 4]), captured(&[1])]]) {
        if holding.product.signal == 4 {
            holding.since = Moment(0);
        }
        account.add(holding);
    }
    assert_eq!(told(&account.dual_vendors()), [("Intercom", "Crisp", true, "certain")]);
}

#[test]
fn what_is_only_implied_or_unsure_makes_no_second_vendor() {
    let site = vec![[captured(&[1, 4]), captured(&[1])]];
    let weaken: [fn(&mut Sighting); 2] =
        [|sighting| sighting.implied = true, |sighting| sighting.confidence = 49];
    for weaken in weaken {
        let mut account = Account::default();
        for mut holding in holdings(&site) {
            if holding.product.signal == 4 {
                holding.evidence.now.as_mut().map(weaken);
            }
            account.add(holding);
        }
        assert!(account.dual_vendors().is_empty());
    }
}

proptest! {
    #[test]
    fn the_order_of_sites_does_not_matter((one, other) in any_site_with_failures()) {
        prop_assert_eq!(duals(&[one.clone(), other.clone()]), duals(&[other, one]));
    }

    #[test]
    fn a_page_that_fails_never_makes_a_second_vendor((site, failed) in any_site_with_failures()) {
        let (truth, seen) = (duals(&[site]), duals(&[failed]));
        prop_assert!(seen.is_empty() || !truth.is_empty());
        for dual in seen.iter().filter(|dual| dual.is_new && dual.certainty == Certainty::Certain) {
            let same_choice = |known: &DualVendor| !known.second.product.is_another_choice_than(&dual.second.product);
            prop_assert!(
                truth.iter().any(|known| known.is_new && same_choice(known)),
                "{dual:?} is not among {truth:?}"
            );
        }
    }
}
