//! Which organisations does a partner know, and where do they live?

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::{Site, World, chance::Chance};

/// One line of the partner's table: an account and one of its sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The partner's own key for the organisation.
    pub account_id: String,
    /// The organisation's name, as the partner writes it.
    pub name: String,
    /// The key of the site in the list.
    pub website_id: String,
    /// The site's address.
    pub website: String,
    /// Street and number, as somebody typed them.
    pub street: String,
    /// The city, as somebody typed it.
    pub city: String,
    /// The state, spelt out, abbreviated or in between.
    pub region: String,
    /// The ZIP code, with or without its last four digits.
    pub postcode: String,
    /// The country, in one of its many names, or nothing.
    pub country: String,
}

const STREETS: &[&str] = &[
    "N. Main St.",
    "west oak avenue",
    "SW 5th Ave, Suite #200",
    "Martin Luther King Jr. Blvd.",
    "Old   Mill Road",
    "E. 42nd Street Apt. 3B",
    "COUNTY HIGHWAY 12",
    "Saint Mary's Ct",
];
const PLACES: &[(&str, &str, &str)] = &[
    ("Springfield", "Illinois", "62704"),
    ("PORTLAND", "OR", "97204-1420"),
    ("st. paul", "Minn.", "55102"),
    ("Tulsa ", "Oklahoma", "74103"),
    ("Winston-Salem", "N.C.", "27101-3912"),
    ("Albuquerque", "new mexico", "87102"),
    ("Boston", "MA", "02108"),
];
const COUNTRIES: &[&str] = &["US", "USA", "United States", "U.S.A.", "united states of america", ""];

impl World {
    /// The partner's table: most sites have an account, some accounts have two sites, and some sites have none. Empty
    /// unless the plan is of accounts.
    #[must_use]
    pub fn accounts(&self) -> Vec<Account> {
        if !self.plan().technographics {
            return Vec::new();
        }
        self.sites().iter().filter_map(|site| self.account_of(site)).collect()
    }

    /// Writes the partner's table as CSV.
    ///
    /// # Errors
    /// Whatever `to` says.
    pub fn write_accounts(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(b"account_id,name,website_id,website,street,city,region,postcode,country\n")?;
        for account in self.accounts() {
            let Account { account_id, name, website_id, website, street, city, region, postcode, country } =
                &account;
            let fields = [account_id, name, website_id, website, street, city, region, postcode, country];
            let fields = fields.map(|field| format!("\"{}\"", field.replace('"', "\"\"")));
            writeln!(to, "{}", fields.join(","))?;
        }
        Ok(())
    }

    /// The key of the account that a site belongs to, if the partner knows it.
    pub(crate) fn account_id_of(&self, site: &Site) -> Option<String> {
        let stranger = site.siblings.is_none() && site.number % 9 == 4;
        (!stranger).then(|| format!("ACC-{:05}", site.siblings.unwrap_or(site.number) + 1))
    }

    fn account_of(&self, site: &Site) -> Option<Account> {
        let account_id = self.account_id_of(site)?;
        let head = &self.sites()[site.siblings.unwrap_or(site.number)];
        let mut chance = Chance::new(head.seed, 9);
        let &(city, region, postcode) = &PLACES[chance.below(PLACES.len())];
        let street = match chance.below(6) {
            0 => format!("P.O. Box {}", chance.between(10, 9_999)),
            _ => format!("{} {}", chance.between(1, 12_000), chance.pick(STREETS)),
        };
        let name = head.organisation().name;
        Some(Account {
            account_id,
            name: if chance.below(7) == 0 { format!("{name}, Inc. \"{city}\"") } else { name },
            website_id: site.key(),
            website: site.url("/"),
            street,
            city: city.to_owned(),
            region: region.to_owned(),
            postcode: postcode.to_owned(),
            country: chance.pick(COUNTRIES).to_owned(),
        })
    }
}
