//! Data flows one way: a crate, a layer and a part of the console import only what lies below them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the crate with its height. A module may import those of smaller height.
const HEIGHTS: [(&str, u8); 13] = [
    ("action", 0),
    ("error", 0),
    ("frame", 0),
    ("rng", 0),
    ("palette", 1),
    ("rom", 0),
    ("catalogue", 1),
    ("console", 2),
    ("embedded", 1),
    ("game", 3),
    ("env", 4),
    ("preprocess", 5),
    ("vector", 6),
];

/// Every part of the console with its height, in the same way.
const PARTS: [(&str, u8); 12] = [
    ("counters", 0),
    ("cpu", 0),
    ("jit", 0),
    ("properties", 0),
    ("cart", 1),
    ("input", 1),
    ("codec", 2),
    ("riot", 2),
    ("tia", 3),
    ("board", 4),
    ("run", 5),
    ("state", 6),
];

/// The crates of this workspace that each of them may depend on. The bindings and the fuzz targets may use all.
const CRATES: [(&str, &[&str]); 11] = [
    ("ale-sim", &[]),
    ("ale-lend", &[]),
    ("ale-jit", &[]),
    ("ale-stats", &[]),
    ("ale-xla", &[]),
    ("ale-batch", &["ale-lend", "ale-sim"]),
    ("ale-core", &["ale-batch", "ale-jit", "ale-sim"]),
    ("ale-crafter", &["ale-batch", "ale-sim"]),
    ("ale-features", &["ale-sim"]),
    ("ale-planning", &["ale-features", "ale-sim"]),
    ("ale-learning", &["ale-core", "ale-features", "ale-sim"]),
];

#[test]
fn a_crate_depends_only_on_those_below() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let allowed = BTreeMap::from(CRATES);
    for entry in fs::read_dir(crates).expect("a readable directory") {
        let folder = entry.expect("a readable entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        if ["ale-py", "ale-fuzz"].contains(&name.as_str()) || !folder.join("Cargo.toml").exists() {
            continue;
        }
        let allowed = allowed.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not in this test"));
        let manifest = read(&folder.join("Cargo.toml"));
        let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or("");
        let lines = section.lines().take_while(|line| !line.starts_with('['));
        for line in lines.filter(|line| line.starts_with("ale-")) {
            let other = line.split(['.', ' ', '=']).next().unwrap_or(line);
            assert!(allowed.contains(&other), "{name} depends on {other}; accepted: {allowed:?}");
        }
    }
}

#[test]
fn no_part_of_the_console_knows_one_above() {
    let console = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console");
    let heights = BTreeMap::from(PARTS);
    let exports = exports(&read(&console.join("mod.rs")));
    let mut wrong = Vec::new();
    for file in files(&console) {
        let relative = file.strip_prefix(&console).expect("below the console").to_owned();
        let part = module_of(&relative);
        let folders = relative.components().count();
        let is_root = relative.file_stem().is_some_and(|stem| stem == "mod");
        if part == "mod" || relative.iter().any(|name| name == "tests" || name == "tests.rs") {
            continue;
        }
        let Some(height) = heights.get(part.as_str()) else {
            wrong.push(format!("{}: {part} has no height in this test", relative.display()));
            continue;
        };
        let text = read(&file);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
        let mut names = names_behind(code, &"super::".repeat(folders - usize::from(is_root)));
        names.extend(names_behind(code, "crate::console::"));
        for name in names {
            let target = exports.get(&name).unwrap_or(&name);
            // What the console itself is, only the bytes of its whole state know.
            let is_whole = part == "state" && ["Console", "Machine"].contains(&target.as_str());
            let fine = *target == part || heights.get(target.as_str()).is_some_and(|other| other < height);
            if !fine && !is_whole {
                wrong.push(format!("{}: imports {name} of the console", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the flow:\n{}", wrong.join("\n"));
}

#[test]
fn no_layer_knows_the_next() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let heights = BTreeMap::from(HEIGHTS);
    let exports = exports(&read(&source.join("lib.rs")));
    let mut wrong = Vec::new();
    for file in files(&source) {
        let relative = file.strip_prefix(&source).expect("below src").to_owned();
        let module = module_of(&relative);
        if module == "lib" {
            continue;
        }
        let Some(height) = heights.get(module.as_str()) else {
            wrong.push(format!("{}: the module {module} has no height in this test", relative.display()));
            continue;
        };
        for name in imports(&read(&file)) {
            let target = exports.get(&name).unwrap_or(&name);
            let fine = *target == module || heights.get(target.as_str()).is_some_and(|other| other < height);
            if !fine {
                wrong.push(format!("{}: imports crate::{name}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the flow:\n{}", wrong.join("\n"));
}

#[test]
fn an_import_is_seen_in_every_spelling() {
    let inside =
        "use super::super::cart::Plain;\nuse super::super::{board, input::Levels};\nuse super::decode::Flow;";
    assert_eq!(names_behind(inside, "super::super::"), ["board", "cart", "input"].map(String::from).into());
    let text = "use crate::rom::Rom; // crate::vector\nuse crate::{env::{Env, config}, game};\nlet x = crate::frame::WIDTH;";
    assert_eq!(imports(text), ["env", "frame", "game", "rom"].map(String::from).into());
}

/// The first names after `crate::` in a source text, comments left out.
fn imports(text: &str) -> BTreeSet<String> {
    names_behind(text, "crate::")
}

/// The first names after a path in a source text, comments left out.
fn names_behind(text: &str, path: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(path) {
        let rest = &code[at + path.len()..];
        if code[..at].ends_with("super::") || rest.starts_with("super::") {
            continue; // another module's
        }
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group_names(group)),
            None => names.extend(first_name(rest)),
        }
    }
    names
}

/// The names at the top of `a::{b, c}, d}`: `a` and `d`.
fn group_names(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            ',' if depth == 0 => {
                names.extend(first_name(&group[start..at]));
                start = at + 1;
            }
            '}' if depth == 0 => {
                names.extend(first_name(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// `Rom` → `rom` for each `pub use rom::Rom;` of the crate's root.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for line in root.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let path = line.trim_end_matches(';');
        let Some((module, names)) = path.split_once("::") else { continue };
        if module.starts_with("ale_") {
            continue; // another crate's: `cargo` keeps cycles of crates out
        }
        for name in names.rsplit("::").next().unwrap_or("").trim_matches(['{', '}']).split(',') {
            exports.insert(name.trim().to_owned(), module.to_owned());
        }
    }
    exports
}

/// `console/cpu/mod.rs` → `console`, `rom.rs` → `rom`.
fn module_of(relative: &Path) -> String {
    let first = relative.components().next().expect("a file name");
    Path::new(first.as_os_str()).file_stem().expect("a stem").to_string_lossy().into_owned()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("a readable file")
}
