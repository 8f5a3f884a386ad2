//! Learns how common grams are from the files in a folder, and writes `src/technologies/rarity.bin`.

use std::{env, fs, path::Path};

use readers::technologies::rarity::{logarithm, slot};

fn main() -> std::io::Result<()> {
    let folder = env::args().nth(1).expect("usage: learn_rarity FOLDER, which holds sample pages");
    let mut counts = vec![0u64; 1 << 16];
    let mut waiting = vec![Path::new(&folder).to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(&path)?
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect::<Result<Vec<_>, _>>()?,
            );
            continue;
        }
        for gram in fs::read(&path)?.array_windows::<4>() {
            counts[slot(u32::from_le_bytes(*gram) | 0x2020_2020)] += 1;
        }
    }
    let learned: Vec<u8> = counts.into_iter().map(logarithm).collect();
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/technologies/rarity.bin"), learned)
}
