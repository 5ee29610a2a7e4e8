"""Where ROMs are found, and what is said when they are not."""

import gzip
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ale_rs import _images, roms

THREE_COMMANDS = ("ale-rs roms install", "ale-rs roms import DIR", "export ALE_ROM_DIR=DIR")


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Images made up for the tests, known as `pong` and `breakout`."""
    images = {"pong": bytes(range(256)) * 8, "breakout": bytes(reversed(range(256))) * 8}
    checksums = {name: _images.md5(data) for name, data in images.items()}
    monkeypatch.setattr(roms, "_checksums", lambda: checksums)
    monkeypatch.setattr(roms, "_names", lambda: {md5: name for name, md5 in checksums.items()})
    return images


def test_the_ids_are_those_of_ale_py_in_its_order() -> None:
    reference = pytest.importorskip("ale_py.roms", reason="ale-py is not installed")
    assert roms.get_all_rom_ids() == reference.get_all_rom_ids()
    assert roms.get_all_rom_ids() is roms.get_all_rom_ids()


def test_every_rom_of_ale_py_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reference = pytest.importorskip("ale_py.roms", reason="ale-py is not installed")
    monkeypatch.delenv("ALE_ROM_DIR", raising=False)
    monkeypatch.delenv("ALE_ROMS_DIR", raising=False)
    monkeypatch.setenv("ALE_RS_DATA_DIR", str(tmp_path))
    for name in roms.get_all_rom_ids():
        assert roms.get_rom_path(name) == reference.get_rom_path(name)


def test_ale_py_is_found_without_running_it() -> None:
    code = (
        "import sys; from ale_rs import roms; list(roms.installed_directories());"
        "sys.exit(any(name.split('.')[0] == 'ale_py' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("no_roms")
def test_a_missing_rom_names_the_three_commands_that_fix_it() -> None:
    with pytest.raises(roms.RomNotFoundError) as error:
        roms.load("pong")
    for command in THREE_COMMANDS:
        assert command in str(error.value)
    with pytest.raises(FileNotFoundError):
        roms.get_rom_path("pong")
    assert roms.locate("pong") is None


def test_an_unknown_id_warns_and_gives_none_as_in_ale_py() -> None:
    with pytest.warns(UserWarning, match=r"^Rom Pong not supported\.$"):
        assert roms.get_rom_path("Pong") is None


def test_load_of_an_unknown_game_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match='did you mean "pong"'):
        roms.load("pomg")


def test_the_places_are_tried_in_order(
    no_roms: Path, known: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, variable = tmp_path / "installed", tmp_path / "variable"
    for directory in (installed, no_roms, variable):
        directory.mkdir(parents=True)
    monkeypatch.setattr(roms, "_embedded", lambda: {"pong": known["pong"]})
    assert roms.load("pong").where == roms.EMBEDDED

    (installed / "pong.bin").write_bytes(known["pong"])
    monkeypatch.setattr(roms, "installed_directories", lambda: iter([installed]))
    assert roms.load("pong").where == installed / "pong.bin"

    (no_roms / "pong.bin").write_bytes(known["pong"])
    assert roms.load("pong").where == no_roms / "pong.bin"

    (variable / "any name.a26").write_bytes(known["pong"])
    monkeypatch.setenv("ALE_ROM_DIR", str(variable))
    assert roms.load("pong").where == variable / "any name.a26"

    explicit = tmp_path / "explicit.bin"
    explicit.write_bytes(known["pong"])
    assert roms.load(explicit) == roms.Rom("pong", _images.md5(known["pong"]), known["pong"], explicit)
    assert roms.load(str(explicit)).where == explicit


def test_a_file_with_the_name_of_a_game_and_other_bytes_is_not_that_game(
    no_roms: Path, known: dict[str, bytes]
) -> None:
    no_roms.mkdir(parents=True)
    (no_roms / "pong.bin").write_bytes(known["breakout"])
    assert roms.locate("pong") is None
    assert roms.locate("breakout") == no_roms / "pong.bin"


def test_a_changed_file_is_hashed_again(no_roms: Path, known: dict[str, bytes]) -> None:
    no_roms.mkdir(parents=True)
    path = no_roms / "pong.bin"
    path.write_bytes(known["pong"])
    assert roms.locate("pong") == path
    path.write_bytes(known["breakout"])
    os.utime(path, ns=(1, 1))
    assert roms.locate("pong") is None


def test_gzip_is_transparent(no_roms: Path, known: dict[str, bytes]) -> None:
    no_roms.mkdir(parents=True)
    (no_roms / "x.gz").write_bytes(gzip.compress(known["pong"]))
    assert roms.load("pong").data == known["pong"]


def test_an_explicit_file_of_an_unknown_game_is_named_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "My_Game.bin"
    path.write_bytes(b"\xea" * 2048)
    rom = roms.load(path)
    assert (rom.name, rom.known, rom.data) == ("my_game", False, b"\xea" * 2048)


@pytest.mark.parametrize("text", ["missing.bin", "no/such/file"])
def test_a_missing_file_is_named(text: str) -> None:
    with pytest.raises(roms.RomNotFoundError, match=f"ROM file {text} not found"):
        roms.load(text)


def test_find_gives_a_file_for_every_kind_of_game(no_roms: Path, tmp_path: Path) -> None:
    explicit = tmp_path / "x.bin"
    explicit.write_bytes(bytes(4))
    assert roms.find(explicit) == roms.find(str(explicit)) == explicit
    for game in roms.embedded_ids():
        assert roms.find(game) == roms.get_rom_path(game) == no_roms.parent / "embedded" / f"{game}.bin"
        assert roms.find(game).read_bytes() == roms.load(game).data
    with pytest.raises(roms.RomNotFoundError, match="One of these three commands fixes it"):
        roms.find("pong")
    with pytest.raises(ValueError, match='no game is known as "Pong"'):
        roms.find("Pong")


def test_a_directory_is_no_rom(tmp_path: Path) -> None:
    with pytest.raises(roms.RomNotFoundError, match="is a directory"):
        roms.load(tmp_path)


def test_images_past_the_limit_are_refused(tmp_path: Path) -> None:
    large, bomb = tmp_path / "large.bin", tmp_path / "bomb.gz"
    large.write_bytes(bytes(_images.MAX_SIZE + 1))
    bomb.write_bytes(gzip.compress(bytes(_images.MAX_SIZE + 1)))
    for path in (large, bomb):
        with pytest.raises(_images.ImageError, match="larger than 512 KiB"):
            roms.load(path)
        assert _images.file_md5(path) is None


def test_broken_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.gz"
    path.write_bytes(gzip.compress(bytes(range(200)))[:-9])
    with pytest.raises(_images.ImageError, match="broken gzip"):
        roms.load(path)


def test_import_copies_what_it_knows_from_directories_and_archives(
    no_roms: Path, known: dict[str, bytes], tmp_path: Path
) -> None:
    source = tmp_path / "source"
    (source / "deep" / "deeper").mkdir(parents=True)
    (source / "deep" / "deeper" / "Pong (1977).a26").write_bytes(known["pong"])
    (source / "readme.txt").write_text("hello")
    (source / "empty.bin").touch()
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("b.bin", known["breakout"])
        archive.writestr("odd.bin", b"odd")
    with zipfile.ZipFile(source / "outer.zip", "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())

    report = roms.import_roms(source)
    assert report.copied == {
        "pong": str(source / "deep" / "deeper" / "Pong (1977).a26"),
        "breakout": f"{source / 'outer.zip'}/inner.zip/b.bin",
    }
    assert set(report.unknown) == {
        str(source / "readme.txt"),
        str(source / "empty.bin"),
        f"{source / 'outer.zip'}/inner.zip/odd.bin",
    }
    assert (no_roms / "breakout.bin").read_bytes() == known["breakout"]
    assert sorted(roms.import_roms(source).present) == ["breakout", "pong"]


def test_import_survives_damaged_archives(no_roms: Path, known: dict[str, bytes], tmp_path: Path) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.bin", known["pong"])
    data = bytearray(whole.getvalue())
    data[45:60] = bytes(15)
    path = tmp_path / "damaged.zip"
    path.write_bytes(data)
    report = roms.import_roms(path)
    assert report.copied == {}
    assert list(report.unknown) == [f"{path}/a.bin"]
    assert not no_roms.exists()


def test_ale_roms_dir_is_strict_as_in_ale_py(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path / "none"))
    with pytest.raises(NotADirectoryError):
        roms.get_rom_path("pong")
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError):
        roms.get_rom_path("pong")
    (tmp_path / "pong.bin").write_bytes(b"not pong")
    with pytest.raises(OSError, match="does not match"):
        roms.get_rom_path("pong")
    with pytest.warns(UserWarning, match="Rom nothing not supported"):
        assert roms.get_rom_path("nothing") is None
    assert capsys.readouterr().out.splitlines()[-1] == f"Loading roms from {tmp_path}..."
