//! Makes the table of known games from `games/*.toml`: one row for each sheet, see `src/catalogue.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("games");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    let table = table(&folder).unwrap_or_else(|mistake| panic!("{mistake}"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("catalogue.rs");
    fs::write(out, table).expect("cargo made the folder");
}

/// The rows as Rust source, in the order in which games are listed: by name, or by what a sheet says in `sort_as`.
///
/// # Errors
/// When the folder cannot be read or a sheet lacks its checksum.
pub(crate) fn table(folder: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let md5 = value(&text, "md5").ok_or_else(|| format!("{}: md5 is missing", path.display()))?;
        let players = value(&text, "players").unwrap_or("1");
        let place = value(&text, "sort_as").unwrap_or(&name).to_owned();
        let row = format!(
            "    KnownGame {{ name: {name:?}, md5: {md5:?}, players: {players}, sheet: include_str!({:?}) }},",
            path.display().to_string()
        );
        rows.push((place, row));
    }
    rows.sort();
    let mut table = format!("[KnownGame; {}] = [\n", rows.len());
    for (_, row) in &rows {
        writeln!(table, "{row}").expect("a String takes all");
    }
    Ok(format!("/// One row for each sheet.\npub static GAMES: {table}];\n"))
}

/// The value of a key at the top of a sheet: a text without its quotation marks, or a number.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let top = text.lines().take_while(|line| !line.starts_with('['));
    let mut pairs = top.filter_map(|line| line.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim() == key)?;
    let value = value.trim();
    match value.strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => value.split('#').next().map(str::trim),
    }
}
