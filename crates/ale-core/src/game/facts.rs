//! A fact sheet: TOML text → [`Game`]. Every complaint names the key and the reason.

use std::sync::Arc;

use toml::{Table, Value};

use super::compile::{Quantities, Quantity, Row};
use super::console_facts;
use super::script::Script;
use super::state::{GameState, Keep};
use super::{Game, StartingAction};
use crate::action::Action;

const KEYS: [&str; 25] = [
    "title",
    "md5",
    "sort_as",
    "players",
    "score",
    "reward",
    "wraps_at",
    "terminal",
    "lives",
    "lives_initial",
    "vars",
    "latches",
    "initial",
    "unsaved",
    "on_restore",
    "minimal_actions",
    "illegal_actions",
    "starting_actions",
    "modes",
    "default_mode",
    "difficulties",
    "set_mode",
    "settings_overrides",
    "console",
    "notes",
];

/// Frames of starting actions a sheet may ask for.
const MAX_STARTING_FRAMES: usize = 10_000;

/// Reads a sheet with its corrected variant.
pub(super) fn read(file_name: &str, text: &str) -> Result<Game, String> {
    let name = game_name(file_name)?;
    let mut table: Table = text.parse().map_err(|error| syntax(text, &error))?;
    let corrections = table.remove("corrected");
    let mut game = build(&name, text, &table)?;
    if let Some(corrections) = corrections {
        merge(&mut table, corrections)?;
        let mut corrected = build(&name, text, &table).map_err(|reason| format!("corrected: {reason}"))?;
        corrected.identity = Some(format!("{name}, corrected"));
        game.corrected = Some(Arc::new(corrected));
    }
    Ok(game)
}

/// The expressions of a game that was read before, one by one, and the names of those that nothing uses.
pub(super) fn explain(game: &Game) -> Result<(Vec<Row>, Vec<String>), String> {
    let mut table: Table = game.source.parse().map_err(|error| syntax(&game.source, &error))?;
    match table.remove("corrected") {
        Some(corrections) if game.is_corrected() => merge(&mut table, corrections)?,
        _ => {}
    }
    Sheet(&table).quantities()?.explain()
}

/// The file's name without folder and extension.
fn game_name(file_name: &str) -> Result<String, String> {
    let last = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let stem = last.strip_suffix(".toml").unwrap_or(last);
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if stem.is_empty() || !stem.chars().all(good) {
        return Err(format!(
            "a game is named by its file; '{stem}' must be lower-case letters, digits and _"
        ));
    }
    Ok(stem.to_owned())
}

fn syntax(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim().replace('\n', ", ");
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("line {line}, column {column}: {message}")
        }
        None => message,
    }
}

/// Puts the corrected keys over the others; tables entry by entry.
fn merge(table: &mut Table, corrections: Value) -> Result<(), String> {
    let Value::Table(corrections) = corrections else {
        return Err("corrected: must be a table".to_owned());
    };
    if corrections.contains_key("wraps_at") {
        table.remove("reward");
    }
    for (key, value) in corrections {
        if ["title", "md5", "corrected"].contains(&key.as_str()) {
            return Err(format!("corrected.{key}: cannot be corrected"));
        }
        match (table.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => old.extend(new),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
    Ok(())
}

fn build(name: &str, text: &str, table: &Table) -> Result<Game, String> {
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let hint = super::registry::nearest(key, KEYS.iter().copied());
        let hint = hint.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
        return Err(format!("unknown key '{key}'{hint}"));
    }
    let sheet = Sheet(table);
    let md5 = sheet.text("md5")?.ok_or("md5: is missing")?.to_ascii_lowercase();
    if md5.len() != 32 || !md5.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!("md5: '{md5}' is not 32 hexadecimal digits"));
    }
    let title = sheet.text("title")?.ok_or("title: is missing")?.to_owned();

    match table.get("players").map(Value::as_integer) {
        None | Some(Some(1)) => {}
        Some(_) => return Err("players: must be 1; games for more have no rules here".to_owned()),
    }

    let quantities = sheet.quantities()?;
    let compiled = quantities.compile()?;
    let mut initial = GameState { values: [0; super::program::SLOTS] };
    let lives_at_reset = table.get("lives_initial").and_then(Value::as_str) == Some("reset");
    if !lives_at_reset {
        initial.values[super::state::LIVES] = sheet.number("lives_initial")?.unwrap_or(1);
    }
    for (name, value) in &quantities.initial {
        let slot = compiled.slot(name).ok_or_else(|| {
            format!("initial.{name}: nothing is remembered under this name; use prev({name}) or a latch")
        })?;
        initial.values[usize::from(slot)] = *value;
    }

    let script = Script::compile(&sheet.texts("set_mode")?.unwrap_or_default(), &compiled)
        .map_err(|(step, complaint)| format!("set_mode: step {step}: {complaint}"))?;
    let modes = sheet.choices("modes", i32::MAX as u32)?;
    let default_mode = match sheet.number("default_mode")? {
        None => modes[0],
        Some(mode) if modes.contains(&(mode as u32)) => mode as u32,
        Some(mode) => return Err(format!("default_mode: {mode} is not one of the modes")),
    };
    if script.is_empty() && modes != [0] {
        return Err("set_mode: is missing; without steps the only mode is 0".to_owned());
    }

    let illegal = sheet.actions("illegal_actions")?.unwrap_or_default();
    let minimal_actions = sheet.actions("minimal_actions")?.ok_or("minimal_actions: is missing")?;
    if minimal_actions.is_empty() {
        return Err("minimal_actions: must not be empty".to_owned());
    }
    if illegal.contains(&Action::Noop) {
        return Err("illegal_actions: NOOP is always legal".to_owned());
    }
    if let Some(both) = minimal_actions.iter().find(|action| illegal.contains(action)) {
        return Err(format!("minimal_actions: {} is illegal", both.name()));
    }

    Ok(Game {
        name: name.to_owned(),
        title,
        md5,
        source: text.into(),
        notes: sheet.texts("notes")?.unwrap_or_default(),
        legal_actions: Action::ALL.into_iter().filter(|action| !illegal.contains(action)).collect(),
        minimal_actions,
        starting_actions: sheet.starting_actions()?,
        modes,
        default_mode,
        difficulties: sheet.choices("difficulties", 3)?,
        settings: sheet.settings()?,
        properties: table.get("console").map(console_facts::properties).transpose()?,
        script,
        program: compiled.program,
        initial,
        lives_at_reset,
        slots: compiled.slots,
        after_restore: compiled.after_restore,
        identity: None,
        corrected: None,
    })
}

/// A sheet's table, read key by key.
struct Sheet<'t>(&'t Table);

impl<'t> Sheet<'t> {
    fn text(&self, key: &str) -> Result<Option<&'t str>, String> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("{key}: must be a text")),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, String> {
        let wrong = || format!("{key}: must be a list of texts");
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let items = value.as_array().ok_or_else(wrong)?;
        items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map(Some)
            .ok_or_else(wrong)
    }

    fn table(&self, key: &str) -> Result<impl Iterator<Item = (&'t String, &'t Value)>, String> {
        match self.0.get(key) {
            None => Ok(None.into_iter().flatten()),
            Some(Value::Table(table)) => Ok(Some(table).into_iter().flatten()),
            Some(_) => Err(format!("{key}: must be a table")),
        }
    }

    fn number(&self, key: &str) -> Result<Option<i32>, String> {
        self.0.get(key).map(|value| number(key, value)).transpose()
    }

    /// Modes or difficulties: distinct numbers, `[0]` if not given.
    fn choices(&self, key: &str, max: u32) -> Result<Vec<u32>, String> {
        let wrong = || format!("{key}: must be a list of distinct numbers from 0 to {max}");
        let Some(value) = self.0.get(key) else { return Ok(vec![0]) };
        let mut numbers = Vec::new();
        for item in value.as_array().filter(|items| !items.is_empty()).ok_or_else(wrong)? {
            let number = item.as_integer().and_then(|number| u32::try_from(number).ok());
            match number.filter(|&number| number <= max && !numbers.contains(&number)) {
                Some(number) => numbers.push(number),
                None => return Err(wrong()),
            }
        }
        Ok(numbers)
    }

    fn actions(&self, key: &str) -> Result<Option<Vec<Action>>, String> {
        let Some(names) = self.texts(key)? else { return Ok(None) };
        let mut actions = Vec::new();
        for name in names {
            match Action::from_name(&name) {
                None => return Err(format!("{key}: '{name}' is none of the 18 actions")),
                Some(action) if actions.contains(&action) => {
                    return Err(format!("{key}: {name} comes twice"));
                }
                Some(action) => actions.push(action),
            }
        }
        Ok(Some(actions))
    }

    /// `"FIRE x16"` is sixteen frames, `"RESET x1"` one with the console's switch.
    fn starting_actions(&self) -> Result<Vec<StartingAction>, String> {
        let mut actions = Vec::new();
        for item in self.texts("starting_actions")?.unwrap_or_default() {
            let (name, times) = item.split_once(" x").unwrap_or((&item, "1"));
            let action = match name {
                "RESET" => Some(StartingAction::Reset),
                _ => Action::from_name(name).map(StartingAction::Act),
            };
            let times = times.parse::<u32>().ok().filter(|&times| times > 0);
            let (Some(action), Some(times)) = (action, times) else {
                return Err(format!(
                    "starting_actions: '{item}' is not of the form 'FIRE x16' or 'RESET x1'"
                ));
            };
            if actions.len() + times as usize > MAX_STARTING_FRAMES {
                return Err(format!("starting_actions: more than {MAX_STARTING_FRAMES} frames"));
            }
            actions.extend(std::iter::repeat_n(action, times as usize));
        }
        Ok(actions)
    }

    fn settings(&self) -> Result<Vec<(String, i32)>, String> {
        self.table("settings_overrides")?
            .map(|(key, value)| {
                if !["paddle_min", "paddle_max"].contains(&key.as_str()) {
                    return Err(format!(
                        "settings_overrides: unknown setting '{key}' (accepted: paddle_min, paddle_max)"
                    ));
                }
                Ok((key.clone(), number(&format!("settings_overrides.{key}"), value)?))
            })
            .collect()
    }

    /// The change of the score; with `wraps_at` also across the point where the score starts again at 0.
    fn usual_reward(&self) -> Result<String, String> {
        let change = "score - prev(score)";
        let Some(modulus) = self.number("wraps_at")? else { return Ok(change.to_owned()) };
        if self.0.contains_key("reward") {
            return Err("wraps_at: needs the usual reward; leave reward out".to_owned());
        }
        if modulus < 10 {
            return Err(format!("wraps_at: {modulus} is too small; it must be at least 10"));
        }
        // A score that falls to 0 because a game ends is no wrap: only from the last tenth to the first.
        let tenth = modulus / 10;
        Ok(format!(
            "{change} + (if prev(score) >= {} and score < {tenth} then {modulus} else 0)",
            modulus - tenth
        ))
    }

    fn quantities(&self) -> Result<Quantities, String> {
        let mut quantities = Quantities::default();
        let reward = self.usual_reward()?;
        for (key, default) in [
            ("reward", reward.as_str()),
            ("score", "0"),
            ("terminal", "false"),
            ("lives", "if terminal then 0 else 1"),
        ] {
            let text = match self.0.get(key) {
                None => default.to_owned(),
                Some(value) => expression(key, value)?,
            };
            quantities.add(Quantity::new(key, key, text))?;
        }
        for (name, value) in self.table("latches")? {
            let key = format!("latches.{name}");
            let Value::Table(latch) = value else {
                return Err(format!("{key}: must be a table with init, update and perhaps saved"));
            };
            if let Some(other) = latch.keys().find(|k| !["init", "update", "saved"].contains(&k.as_str())) {
                return Err(format!("{key}: unknown key '{other}' (accepted: init, update, saved)"));
            }
            let init = latch.get("init").ok_or_else(|| format!("{key}: init is missing"))?;
            let update = latch.get("update").ok_or_else(|| format!("{key}: update is missing"))?;
            let keep = match latch.get("saved") {
                None | Some(Value::Boolean(true)) => Keep::Saved,
                Some(Value::Boolean(false)) => Keep::Live,
                Some(Value::String(text)) if text == "flag" => Keep::Flag,
                Some(_) => return Err(format!("{key}.saved: must be true, false or \"flag\"")),
            };
            quantities.initial.push((name.clone(), number(&format!("{key}.init"), init)?));
            let update_key = format!("{key}.update");
            let text = expression(&update_key, update)?;
            quantities.add(Quantity::latch(name, &update_key, text, keep))?;
        }
        for (name, value) in self.table("vars")? {
            let key = format!("vars.{name}");
            quantities.add(Quantity::new(name, &key, expression(&key, value)?))?;
        }
        for (name, value) in self.table("initial")? {
            quantities.initial.push((name.clone(), number(&format!("initial.{name}"), value)?));
        }
        for name in self.texts("unsaved")?.unwrap_or_default() {
            quantities.not_saved(&name)?;
        }
        for (name, value) in self.table("on_restore")? {
            let key = format!("on_restore.{name}");
            quantities.on_restore.push((name.clone(), expression(&key, value)?));
        }
        Ok(quantities)
    }
}

/// An expression is a text; a plain number or truth value will do.
fn expression(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Boolean(truth) => Ok(truth.to_string()),
        _ => Err(format!("{key}: must be an expression in a text")),
    }
}

fn number(key: &str, value: &Value) -> Result<i32, String> {
    match value {
        Value::Boolean(truth) => Ok((*truth).into()),
        Value::Integer(number) => {
            i32::try_from(*number).map_err(|_| format!("{key}: {number} does not fit into 32 bits"))
        }
        _ => Err(format!("{key}: must be a number")),
    }
}
