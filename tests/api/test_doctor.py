"""`ale-rs doctor`."""

import importlib.metadata
from pathlib import Path

import pytest

import ale_rs
from ale_rs import _native, registration, roms
from ale_rs.cli import doctor, main


def test_it_prints_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    for text in (ale_rs.__version__, importlib.metadata.version("numpy"), "JIT", "features", "what to type"):
        assert text in said
    for title in ("versions", "gymnasium ids", "ROMs", "processor", "optional packages"):
        assert f"{title}\n" in said


def test_it_names_the_owner_of_the_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "owners", lambda: {"ale_py": 350, "ale_rs": 2})
    rows = doctor.examine().sections["gymnasium ids"]
    assert rows["ALE/* and *-v0, *-v4"] == "ale_py (350 ids), ale_rs (2 ids)"


def test_it_says_where_roms_come_from_and_how_to_get_them(no_roms: Path) -> None:
    report = doctor.examine()
    rows = report.sections["ROMs"]
    assert rows["108 ROMs"] == "missing"
    assert rows["  2 ROMs"] == roms.EMBEDDED
    assert rows["imported ROMs go to"] == str(no_roms)
    assert any(line.startswith("ale-rs roms install") for line in report.advice)


def test_it_says_what_to_type_for_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda _: None)
    report = doctor.examine()
    assert "not installed" in report.sections["optional packages"]["pygame"]
    assert any(line.startswith('pip install "ale-rs[play]"') for line in report.advice)
    assert "what to type\n  " in str(report)


@pytest.mark.parametrize(("on", "expected"), [(True, "on: because"), (False, "off: because")])
def test_it_says_whether_the_jit_is_on_and_why(
    on: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_native, "jit_status", lambda: (on, "because"), raising=False)
    assert doctor.examine().sections["processor"]["JIT"] == expected


def test_nothing_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(doctor.Report({"a": {"b": "c"}})).endswith("what to type\n  nothing is missing")
