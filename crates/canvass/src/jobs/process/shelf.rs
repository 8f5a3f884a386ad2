//! Where does a segment stand, before and after it was read?
//!
//! A segment that was read moves with its hash from `segments/` to `processed/`. It is two renames, so a crash may come
//! between them: whatever was begun is ended first.

use std::{fs, io, path::Path};

use anyhow::{Context, Result};
use blobs::segment::{self, SegmentFile};

use crate::round::RoundFolder;

/// The closed segments of a round that stand in `segments/`, after what an earlier move left halfway was ended.
pub fn waiting(folder: &RoundFolder) -> Result<Vec<SegmentFile>> {
    end_moves(folder)?;
    Ok(closed(&folder.segments())?)
}

/// All closed segments of a round, wherever they stand, in order.
pub fn all(folder: &RoundFolder) -> Result<Vec<SegmentFile>> {
    end_moves(folder)?;
    Ok(folder.all_segments()?.into_iter().filter(|segment| segment.closed).collect())
}

/// Moves a segment that was read, and its hash, to `processed/`.
pub fn put_away(folder: &RoundFolder, segment: &SegmentFile) -> Result<()> {
    let to = folder.processed();
    fs::create_dir_all(&to).with_context(|| format!("cannot make {}", to.display()))?;
    for from in [segment::hash_file(&segment.path), segment.path.clone()] {
        move_into(&from, &to)?;
    }
    for changed in [to, folder.segments()] {
        blobs::sync_folder(&changed).with_context(|| format!("cannot sync {}", changed.display()))?;
    }
    Ok(())
}

fn closed(folder: &Path) -> Result<Vec<SegmentFile>, segment::SegmentError> {
    Ok(segment::list(folder)?.into_iter().filter(|segment| segment.closed).collect())
}

/// Brings together a segment and its hash that a crash left in two folders.
fn end_moves(folder: &RoundFolder) -> Result<()> {
    for segment in closed(&folder.segments())? {
        let hash = segment::hash_file(&segment.path);
        if !hash.exists() && beside(&folder.processed(), &hash).is_some_and(|moved| moved.exists()) {
            move_into(&segment.path, &folder.processed())?;
        }
    }
    for segment in closed(&folder.processed())? {
        let hash = segment::hash_file(&segment.path);
        if !hash.exists()
            && let Some(left) = beside(&folder.segments(), &hash).filter(|left| left.exists())
        {
            move_into(&left, &folder.processed())?;
        }
    }
    Ok(())
}

fn beside(folder: &Path, file: &Path) -> Option<std::path::PathBuf> {
    Some(folder.join(file.file_name()?))
}

fn move_into(from: &Path, folder: &Path) -> Result<()> {
    let Some(to) = beside(folder, from) else { return Ok(()) };
    match fs::rename(from, &to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && to.exists() => Ok(()),
        moved => moved.with_context(|| format!("cannot move {} to {}", from.display(), to.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round() -> (tempfile::TempDir, RoundFolder) {
        let home = tempfile::tempdir().unwrap();
        let folder = RoundFolder::new(home.path(), "r".parse().unwrap());
        fs::create_dir_all(folder.segments()).unwrap();
        fs::create_dir_all(folder.processed()).unwrap();
        (home, folder)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    const BOTH: [&str; 2] = ["segment-000001.zst", "segment-000001.zst.sha256"];

    #[test]
    fn a_move_that_was_cut_between_its_two_renames_is_ended() {
        for moved in BOTH {
            let (_home, folder) = round();
            for name in BOTH {
                let place = if name == moved { folder.processed() } else { folder.segments() };
                fs::write(place.join(name), "").unwrap();
            }
            assert!(waiting(&folder).unwrap().is_empty());
            assert_eq!(names(&folder.processed()), BOTH);
            assert!(names(&folder.segments()).is_empty());
        }
    }

    #[test]
    fn a_segment_moves_with_its_hash_and_an_open_one_stays() {
        let (_home, folder) = round();
        for name in BOTH.iter().chain(&["segment-000002.open"]) {
            fs::write(folder.segments().join(name), "").unwrap();
        }
        let segments = waiting(&folder).unwrap();
        put_away(&folder, &segments[0]).unwrap();
        put_away(&folder, &segments[0]).unwrap();
        assert_eq!(names(&folder.processed()), BOTH);
        assert_eq!(names(&folder.segments()), ["segment-000002.open"]);
        assert_eq!(all(&folder).unwrap().len(), 1);
    }
}
