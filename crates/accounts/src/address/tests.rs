use proptest::prelude::*;

use super::*;

fn us(street: &str) -> String {
    Address { street: street.to_owned(), country: "US".to_owned(), ..Address::default() }.normalised().street
}

/// Each line as Publication 28 writes it, worked out by hand.
#[test]
fn spellings_of_one_street_become_one() {
    for (standard, spellings) in [
        (
            "123 N MAIN ST STE 200",
            &[
                "123 North Main Street, Suite 200",
                "123 N. MAIN ST., STE #200",
                " 123  north main street  suite200 ",
                "123 N Main St\nSuite 200",
            ][..],
        ),
        ("45 NW 5TH AVE", &["45 North West Fifth Avenue", "45 N.W. 5th Ave.", "45 Northwest 5th Av"]),
        (
            "800 OAK BLVD SE",
            &["800 Oak Boulevard Southeast", "800 Oak Blvd. S.E.", "800 oak boul south east"],
        ),
        ("PO BOX 123", &["P.O. Box 123", "Post Office Box 123", "p o box #123", "POB 123", "PO Drawer 123"]),
        ("RR 2 BOX 15", &["Rural Route 2 Box 15", "R.R. 2, Box #15", "RFD 2 Box 15"]),
        ("100 COUNTY ROAD 20", &["100 Co Rd 20", "100 County Rd. 20", "100 CR 20"]),
        ("7 US HIGHWAY 1 N", &["7 U.S. Hwy 1 North", "7 US HWY 1 N"]),
        ("9 ELM CT APT B", &["9 Elm Court, Apartment B", "9 elm ct apt # b"]),
        ("1 STATE ST FL 2", &["1 State Street 2nd Floor", "1 State St., Floor 2", "1 State St Second Floor"]),
        ("10 BAY RD BLDG 3 RM 12", &["10 Bay Road Building 3 Room 12", "10 Bay Rd, Bldg 3, Rm 12"]),
        ("10 BAY RD REAR", &["10 Bay Road, Rear"]),
        ("39 1/2 S ELM ST", &["39 1/2 South Elm Street"]),
        ("5 OBRIEN LN", &["5 O'Brien Lane", "5 O’Brien Ln"]),
        ("12 SAINT CHARLES AVE", &["12 Saint Charles Avenue", "12 St. Charles Ave"]),
        ("8 OAK ST # 5", &["8 Oak Street #5", "8 Oak St # 5"]),
    ] {
        for spelling in spellings {
            assert_eq!(us(spelling), standard, "{spelling:?}");
        }
    }
}

#[test]
fn a_word_that_is_the_name_itself_is_not_abbreviated() {
    for (line, kept) in [
        ("10 North Avenue", "10 NORTH AVE"),
        ("10 Court Street", "10 COURT ST"),
        ("10 Street", "10 STREET"),
        ("10 E Street", "10 E ST"),
        ("10 Avenue of the Americas", "10 AVENUE OF THE AMERICAS"),
        ("10 First Baptist Church Road", "10 FIRST BAPTIST CHURCH RD"),
        ("10 Main Street Court", "10 MAIN STREET CT"),
        ("10 Front Street", "10 FRONT ST"),
        ("12 34th Street", "12 34TH ST"),
        ("12-A Main Street", "12-A MAIN ST"),
        ("Broadway", "BROADWAY"),
        ("", ""),
    ] {
        assert_eq!(us(line), kept);
    }
}

#[test]
fn cities_states_and_zip_codes_are_written_in_one_way() {
    let address = |city: &str, region: &str, postcode: &str, country: &str| Address {
        city: city.to_owned(),
        region: region.to_owned(),
        postcode: postcode.to_owned(),
        country: country.to_owned(),
        ..Address::default()
    };
    for (typed, normal) in [
        (("St. Louis", "Missouri", "63101-0000", "usa"), ("SAINT LOUIS", "MO", "63101", "US")),
        (("boston ", "Mass.", "2134", "United  States"), ("BOSTON", "MA", "02134", "US")),
        (("Ft Worth", "tx", "761021234", "U.S.A."), ("FORT WORTH", "TX", "76102-1234", "US")),
        (("Boston", "MA", "2134.0", ""), ("BOSTON", "MA", "02134", "US")),
        (("San Juan", "PR", "00901", "Puerto Rico"), ("SAN JUAN", "PR", "00901", "PR")),
        (("New York", "N.Y.", "10001 1234", "America"), ("NEW YORK", "NY", "10001-1234", "US")),
        (("Somewhere", "Elsewhere", "1234X", "US"), ("SOMEWHERE", "ELSEWHERE", "1234X", "US")),
        // Western Australia is no Washington: its code is no ZIP code of the west, but nothing else speaks against it
        (("Perth", "WA", "WA 6000", ""), ("PERTH", "WA", "WA 6000", "")),
        (("Köln", "nrw", "50667", "Deutschland"), ("KÖLN", "NRW", "50667", "DE")),
        (("London", "", "sw1a  1aa", "England"), ("LONDON", "", "SW1A 1AA", "GB")),
        (("Zürich", "ZH", "8001", " Neverland "), ("ZÜRICH", "ZH", "8001", "Neverland")),
    ] {
        let (city, region, postcode, country) = typed;
        let found = address(city, region, postcode, country).normalised();
        let (city, region, postcode, country) = normal;
        assert_eq!(found, address(city, region, postcode, country), "{typed:?}");
    }
}

#[test]
fn every_standard_word_of_the_tables_stands_for_itself() {
    for line in include_str!("../../data/street_suffixes.txt").lines().filter(|line| !line.starts_with('#')) {
        for spelling in line.split(' ') {
            let standard = line.split(' ').next().unwrap();
            assert_eq!(us(&format!("1 Xyz {spelling}")), format!("1 XYZ {standard}"));
        }
    }
    let countries: Vec<&str> =
        include_str!("../../data/countries.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(countries.len(), 249, "as many as ISO 3166-1 has");
    for line in countries {
        for name in line.split('|') {
            assert_eq!(country_code(&name.to_lowercase()), line.split('|').next(), "{name}");
        }
    }
}

/// Lines of the words that the rules look for, in any order: real addresses are tame beside them.
fn any_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "12",
        "5",
        "1/2",
        "#",
        "# 5",
        "N",
        "North",
        "W",
        "South West",
        "NE",
        "Main",
        "St",
        "Street",
        "Saint",
        "Ave",
        "Ct",
        "P",
        "O",
        "B",
        "Box",
        "PO",
        "POB",
        "Post Office",
        "RR",
        "R",
        "Rural Route",
        "Hwy",
        "Highway",
        "U.S.",
        "Rte",
        "CR",
        "Co Rd",
        "State",
        "Apt",
        "Apt5",
        "Suite",
        "STE200",
        "Unit B",
        "Floor",
        "2nd",
        "Second",
        "FL",
        "Rear",
        "Office",
        "Front",
        "PH",
        "E",
        "A",
        "-",
        "12-A",
        "&",
        "é",
        "ß",
        "'",
        "Trailer",
        "H",
        "C",
        "Contract",
    ]);
    prop_oneof![
        prop::collection::vec(word, 0..9).prop_map(|words| words.join(" ")),
        any::<String>(),
        "\\PC{0,30}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn an_address_that_is_normal_stays_as_it_is(
        street in any_line(),
        city in any_line(),
        region in "\\PC{0,8}|NY|new york|calif\\.",
        postcode in "[0-9]{0,10}|[0-9]{5}-[0-9]{4}|\\PC{0,8}|[0-9]{4}\\.0",
        country in "US|usa|\\PC{0,8}||Germany",
    ) {
        let once = Address { street, city, region, postcode, country }.normalised();
        prop_assert_eq!(once.normalised(), once);
    }
}
