//! Does what people wrote still point at what is there?

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

/// The files of the project whose names end so, but for what was built.
fn files_ending(suffix: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "data" {
                folders.push(path);
            } else if name.ends_with(suffix) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_link_leads_somewhere() {
    for document in files_ending(".md") {
        let text = fs::read_to_string(&document).unwrap();
        for link in text.split("](").skip(1).filter_map(|after| after.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let outside = link.starts_with("http") || file.is_empty();
            let there = document.parent().unwrap().join(file).exists();
            assert!(outside || there, "{}: {link} leads nowhere", document.display());
        }
    }
}

#[test]
fn every_direct_dependency_is_justified() {
    let table = read("ARCHITECTURE.md");
    let mut unjustified = BTreeSet::new();
    for manifest in files_ending("Cargo.toml") {
        let text = fs::read_to_string(manifest).unwrap();
        let mut listed = false;
        for line in text.lines() {
            if line.starts_with('[') {
                listed = line.contains("dependencies]") && !line.contains("workspace");
                continue;
            }
            let Some((name, _)) = line.split_once([' ', '.', '=']).filter(|_| listed) else { continue };
            let ours = line.contains("path =") || root().join("crates").join(name).exists();
            if !ours && !name.is_empty() && name != "#" && !table.contains(&format!("| `{name}` |")) {
                unjustified.insert(name.to_owned());
            }
        }
    }
    assert!(unjustified.is_empty(), "ARCHITECTURE.md does not say what these are for: {unjustified:?}");
}

#[test]
fn every_test_that_an_invariant_names_is_there() {
    let mut sources = String::new();
    for file in files_ending(".rs") {
        sources += &fs::read_to_string(file).unwrap();
    }
    let text = read("INVARIANTS.md");
    let names: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|word| is_sentence(word)).collect();
    assert!(names.len() > 40, "only {} tests are named", names.len());
    for name in names {
        assert!(sources.contains(&format!("fn {name}(")), "INVARIANTS.md names `{name}`, and there is none");
    }
}

/// Tests are named as sentences; nothing else has so many words.
fn is_sentence(word: &str) -> bool {
    word.matches('_').count() >= 4
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
}
