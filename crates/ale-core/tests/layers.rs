//! Data flows one way: a module imports only what lies below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the crate with its height. A module may import those of smaller height.
const HEIGHTS: [(&str, u8); 14] = [
    ("action", 0),
    ("error", 0),
    ("frame", 0),
    ("rng", 0),
    ("lzw", 1),
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
    let text = "use crate::rom::Rom; // crate::vector\nuse crate::{env::{Env, config}, game};\nlet x = crate::frame::WIDTH;";
    assert_eq!(imports(text), ["env", "frame", "game", "rom"].map(String::from).into());
}

/// The first names after `crate::` in a source text, comments left out.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
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
