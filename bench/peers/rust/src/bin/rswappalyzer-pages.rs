//! How fast does the rswappalyzer crate read technologies off pages, and what does it see?
//!
//! Arguments: the folder of the fingerprints, the folder of the pages, `time` or `see`, how often, and that it reads one
//! page of so many.

use std::{error::Error, fs, path::Path, time::Instant};

use rswappalyzer::{RuleConfig, TechDetector};
use serde_json::{Map, Value, json};

struct Page {
    file: String,
    url: String,
    body: Vec<u8>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, pages, what, rounds, stride] = &arguments[..] else {
        return Err("usage: rswappalyzer-pages RULES PAGES time|see ROUNDS STRIDE".into());
    };
    let work = std::env::temp_dir().join(format!("rswappalyzer-{}", std::process::id()));
    fs::create_dir_all(&work)?;
    let file = work.join("technologies.json");
    fs::write(&file, in_one(Path::new(rules))?)?;
    let started = Instant::now();
    let mut config = RuleConfig::local_file(&file);
    // it keeps what it has cleaned, and would find what an earlier run left
    config.options.cache_dir = work.join("cache");
    let detector = TechDetector::new(config).await?;
    println!("{}", json!({ "load_ms": started.elapsed().as_secs_f64() * 1e3 }));
    fs::remove_dir_all(&work)?;

    let pages = read(Path::new(pages), stride.parse()?)?;
    let names = |page: &Page| -> Result<Vec<String>, Box<dyn Error>> {
        let found = detector.detect(&http::HeaderMap::new(), &[&page.url], &page.body)?;
        Ok(found.technologies.into_iter().map(|technology| technology.name).collect())
    };
    if what == "see" {
        for page in &pages {
            println!("{}", json!({ "page": page.file, "technologies": names(page)? }));
        }
        return Ok(());
    }
    for round in 0..=rounds.parse()? {
        let (mut bytes, mut worst) = (0, 0f64);
        let (started, cpu) = (Instant::now(), cpu_seconds());
        for page in &pages {
            let began = Instant::now();
            std::hint::black_box(names(page)?);
            bytes += page.body.len();
            worst = worst.max(began.elapsed().as_secs_f64() * 1e3);
        }
        let seconds =
            cpu_seconds().zip(cpu).map_or(started.elapsed().as_secs_f64(), |(now, then)| now - then);
        // the first time round it compiles what it needs
        if round > 0 {
            println!(
                "{}",
                json!({ "pages": pages.len(), "bytes": bytes, "seconds": seconds, "worst_ms": worst })
            );
        }
    }
    Ok(())
}

/// The CPU time of this thread, in which nobody else's work counts.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// The fingerprints as one file, which is how it takes them.
fn in_one(rules: &Path) -> Result<String, Box<dyn Error>> {
    let mut all = Map::new();
    for entry in fs::read_dir(rules.join("technologies"))? {
        all.extend(serde_json::from_str::<Map<String, Value>>(&fs::read_to_string(entry?.path())?)?);
    }
    let categories: Value = serde_json::from_str(&fs::read_to_string(rules.join("categories.json"))?)?;
    Ok(json!({ "technologies": all, "categories": categories }).to_string())
}

fn read(folder: &Path, stride: usize) -> Result<Vec<Page>, Box<dyn Error>> {
    let list = fs::read_to_string(folder.join("pages.tsv"))?;
    let mut pages = Vec::new();
    for line in list.lines().step_by(stride) {
        let (file, url) = line.split_once('\t').ok_or("a line of pages.tsv without a tab")?;
        pages.push(Page { file: file.to_owned(), url: url.to_owned(), body: fs::read(folder.join(file))? });
    }
    Ok(pages)
}
