//! Which fingerprints does the program bring along?
//!
//! The files of `fingerprints/` in the repository, so that a program without it can load them.

use std::collections::HashSet;

use readers::technologies::Pack;

use super::PackFile;

/// The name of the pack in the catalog.
pub const PACK: &str = "canvass";

macro_rules! texts {
    ($folder:literal, $extension:literal: $($name:literal)*) => {
        &[$((
            concat!($name, $extension),
            include_str!(concat!("../../../../fingerprints/", $folder, $name, $extension)),
        )),*]
    };
}

/// The files, by name.
const FILES: &[(&str, &str)] = texts!["", ".yaml":
    "ab-testing" "accessibility" "advertising" "affiliate" "analytics" "booking" "caching"
    "call-tracking" "cdn" "church-management" "church-platforms" "church-streaming" "church-tools"
    "cms" "comments" "consent" "crm" "customer-data-platforms" "databases" "digital-asset-and-images"
    "documentation" "ecommerce" "error-tracking" "events-and-tickets" "feature-flags" "fonts" "forms"
    "fundraising-tools" "giving" "health-practice" "helpdesk" "hosting" "js-frameworks" "js-libraries"
    "lead-intelligence" "learning-management" "live-chat" "loyalty" "maps" "marketing-automation"
    "memberships" "page-builders" "payment" "performance-monitoring" "personalisation"
    "podcasts-and-audio" "programming-languages" "push-notifications" "real-estate" "recruiting"
    "restaurant-ordering" "reviews" "school-platforms" "school-portals" "search-and-merchandising"
    "seo" "session-replay" "shipping-and-returns" "shopify-apps" "site-builders" "social-widgets"
    "static-site-generators" "student-recruiting" "subscriptions" "surveys-and-feedback" "tag-managers"
    "translation" "ui-frameworks" "video" "waf-and-bot-protection" "web-frameworks" "web-servers"
    "wordpress-plugins" "wordpress-themes"];

/// Pages that name products and run none.
const NEGATIVES: &[(&str, &str)] = texts!["negatives/", ".html": "article" "manual" "plain"];

/// The files of the pack.
#[must_use]
pub fn files() -> Vec<PackFile> {
    let file = |(name, text): &(&str, &str)| PackFile { name: (*name).to_owned(), text: (*text).to_owned() };
    FILES.iter().map(file).collect()
}

/// The pack, understood.
#[must_use]
pub fn packs() -> Vec<Pack> {
    let parse = |(_, text): &(&str, &str)| Pack::parse(text).expect("a test reads what is brought along");
    FILES.iter().map(parse).collect()
}

/// The names of its signals.
#[must_use]
pub fn signal_names() -> HashSet<String> {
    packs().into_iter().flat_map(|pack| pack.signals).map(|signal| signal.name).collect()
}

/// Pages on which no fingerprint may see anything, with their names.
#[must_use]
pub fn negatives() -> Vec<(String, Vec<u8>)> {
    NEGATIVES.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::rules::files::files_in;

    #[test]
    fn the_program_brings_every_file_of_the_folder_and_no_other() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fingerprints");
        let names = |folder: &Path, extension: &str| -> Vec<String> {
            let files = files_in(folder, &[extension]).unwrap();
            files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let brought = |files: &[(&str, &str)]| -> Vec<String> {
            files.iter().map(|(name, _)| (*name).to_owned()).collect()
        };
        assert_eq!(brought(FILES), names(&folder, "yaml"));
        assert_eq!(brought(NEGATIVES), names(&folder.join("negatives"), "html"));
    }
}
