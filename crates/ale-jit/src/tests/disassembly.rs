//! Bytes as text, in Intel's syntax.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, OpKind};

fn formatter() -> IntelFormatter {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    options.set_branch_leading_zeros(false);
    formatter
}

/// All instructions of some code; panics at a byte that is none.
pub(super) fn decoded(code: &[u8]) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut all = Vec::new();
    while decoder.can_decode() {
        let instruction = decoder.decode();
        assert!(!instruction.is_invalid(), "byte {:#x} begins no instruction", instruction.ip());
        all.push(instruction);
    }
    all
}

/// One instruction as text. Panics if the bytes are not exactly one.
pub(super) fn one(code: &[u8]) -> String {
    let all = decoded(code);
    let [instruction] = &all[..] else { panic!("{code:02x?} are {} instructions", all.len()) };
    let mut text = String::new();
    formatter().format(instruction, &mut text);
    text
}

fn jumps_to(instruction: &Instruction) -> Option<usize> {
    let near = instruction.op_count() == 1 && instruction.op0_kind() == OpKind::NearBranch64;
    near.then(|| instruction.near_branch_target() as usize)
}

/// A listing of a part of the code. Names are given to positions; other targets of jumps are numbered as they come, so that
/// a longer instruction does not change every line below. `constants` names numbers that differ from run to run.
pub(super) fn listing(
    code: &[u8],
    parts: &[Range<usize>],
    names: &BTreeMap<usize, String>,
    constants: &[(u64, &str)],
) -> String {
    let all = decoded(code);
    let listed = |position: usize| parts.iter().any(|part| part.contains(&position));
    let mut labels = names.clone();
    for instruction in all.iter().filter(|instruction| listed(instruction.ip() as usize)) {
        if let Some(target) = jumps_to(instruction) {
            let next = format!(".{}", labels.len() - names.len());
            labels.entry(target).or_insert(next);
        }
    }
    let mut formatter = formatter();
    let mut out = String::new();
    for instruction in all.iter().filter(|instruction| listed(instruction.ip() as usize)) {
        if let Some(name) = labels.get(&(instruction.ip() as usize)) {
            writeln!(out, "{name}:").expect("a string");
        }
        let mut text = String::new();
        formatter.format(instruction, &mut text);
        if let Some(target) = jumps_to(instruction) {
            let mnemonic = text.split(' ').next().unwrap_or_default().to_owned();
            let size = if text.contains("short") { " short" } else { "" };
            text = format!("{mnemonic}{size} {}", labels[&target]);
        } else if instruction.is_ip_rel_memory_operand() {
            let to = instruction.ip_rel_memory_address() as usize;
            text = format!("lea rax, [rip: {}]", labels.get(&to).map_or("?", String::as_str));
        } else {
            for (number, name) in constants {
                text = text.replace(&format!("{number:#x}"), name);
            }
        }
        writeln!(out, "    {text}").expect("a string");
    }
    out
}
