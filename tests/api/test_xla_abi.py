"""The C structs of `crates/ale-xla/src/abi.rs` against the headers that jaxlib ships, by a C compiler."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

ABI = Path(__file__).parents[2] / "crates" / "ale-xla" / "src" / "abi.rs"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

# Our struct → the header's, and those fields whose names differ.
STRUCTS = {
    "Extension": ("XLA_FFI_Extension_Base", {"kind": "type"}),
    "ApiVersion": ("XLA_FFI_Api_Version", {"major": "major_version"}),
    "ErrorCreateArgs": ("XLA_FFI_Error_Create_Args", {"code": "errc"}),
    "Api": ("XLA_FFI_Api", {"version": "api_version", "error_create": "XLA_FFI_Error_Create"}),
    "Buffer": ("XLA_FFI_Buffer", {}),
    "Buffers": ("XLA_FFI_Args", {"kinds": "types", "items": "args"}),
    "Attributes": ("XLA_FFI_Attrs", {}),
    "CallFrame": ("XLA_FFI_CallFrame", {"arguments": "args", "results": "rets", "attributes": "attrs"}),
    "Metadata": ("XLA_FFI_Metadata", {"version": "api_version"}),
    "MetadataExtension": ("XLA_FFI_Metadata_Extension", {}),
}
# Structs that newer headers may make longer: we read their front.
GROWS = {"Api", "Metadata"}
VALUES = {
    "METADATA_EXTENSION": "XLA_FFI_Extension_Metadata",
    "BUFFER": "XLA_FFI_ArgType_BUFFER",
    "EXECUTE": "XLA_FFI_ExecutionStage_EXECUTE",
}


def constants() -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"const (\w+): \w+ = (\d+);", ABI.read_text())}


def layout() -> list[str]:
    """What abi.rs asserts of its own structs, said of the header's structs in C."""
    text, known = ABI.read_text(), constants()
    facts = []
    for struct, field, value in re.findall(r"offset_of!\((\w+), (\w+)\)\s*== (\w+)", text):
        theirs, names = STRUCTS[struct]
        number = int(value) if value.isdigit() else known[value]
        facts.append(f"offsetof({theirs}, {names.get(field, field)}) == {number}")
    for struct, value in re.findall(r"size_of::<(\w+)>\(\)\s*== (\w+)", text):
        number = int(value) if value.isdigit() else known[value]
        facts.append(f"sizeof({STRUCTS[struct][0]}) {'>=' if struct in GROWS else '=='} {number}")
    facts += [f"{theirs} == {known[ours]}" for ours, theirs in VALUES.items()]
    # Results have the layout of arguments, which is why one struct of ours stands for both.
    facts += [
        f"offsetof(XLA_FFI_Rets, {theirs}) == offsetof(XLA_FFI_Args, {ours})"
        for theirs, ours in (("size", "size"), ("types", "types"), ("rets", "args"))
    ]
    return facts


def compiles(facts: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    source = folder / "abi.c"
    asserts = "\n".join(f'_Static_assert({fact}, "{fact}");' for fact in facts)
    source.write_text(f'#include <stddef.h>\n#include "xla/ffi/api/c_api.h"\n{asserts}\n')
    command = [COMPILER or "cc", "-std=c11", "-fsyntax-only", "-I", jax.ffi.include_dir(), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


def test_structs_have_the_layout_of_the_headers(tmp_path: Path) -> None:
    facts = layout()
    assert len(facts) > 30
    result = compiles(facts, tmp_path)
    assert result.returncode == 0, result.stderr


def test_a_wrong_offset_does_not_compile(tmp_path: Path) -> None:
    wrong = [fact.replace("== 40", "== 48") for fact in layout()]
    assert "static assertion failed" in compiles(wrong, tmp_path).stderr


def test_the_minor_version_is_one_that_was_compared() -> None:
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h").read_text()
    (minor,) = re.findall(r"#define XLA_FFI_API_MINOR (\d+)", header)
    known = constants()
    assert known["OLDEST_MINOR"] <= int(minor) <= known["NEWEST_MINOR"]
