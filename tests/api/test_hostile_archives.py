"""`ale-rs roms import` and archives of strangers: each is reported, the good ROM beside it is imported."""

import io
import random
import re
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ale_rs import _images, roms
from ale_rs.cli import main

GOOD = bytes(range(256)) * 8


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch, no_roms: Path) -> None:
    """An image made up for the tests, known as `pong`."""
    checksums = {"pong": _images.md5(GOOD)}
    monkeypatch.setattr(roms, "_checksums", lambda: checksums)
    monkeypatch.setattr(roms, "_names", lambda: {md5: name for name, md5 in checksums.items()})


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def beside(hostile: bytes) -> bytes:
    """A zip file in which a hostile one comes before a good ROM."""
    return zipped(("hostile.zip", hostile), ("good.bin", GOOD))


def patched(data: bytes, local: tuple[int, bytes], central: tuple[int, bytes]) -> bytes:
    """The headers of the first member with some bytes put over them."""
    changed = bytearray(data)
    for begin, (offset, new) in ((0, local), (data.index(b"PK\x01\x02"), central)):
        changed[begin + offset : begin + offset + len(new)] = new
    return bytes(changed)


def symbolic_link() -> bytes:
    link = zipfile.ZipInfo("link.bin")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped((link, b"/etc/passwd"))


def encrypted() -> bytes:
    return patched(zipped(("secret.bin", GOOD)), (6, b"\x01\x00"), (8, b"\x01\x00"))


def method(number: int) -> bytes:
    both = number.to_bytes(2, "little")
    return patched(zipped(("odd.bin", GOOD)), (8, both), (10, both))


def damaged() -> bytes:
    whole = bytearray(zipped(("a.bin", random.Random(0).randbytes(4000))))
    whole[100:160] = bytes(60)
    return bytes(whole)


def lying_size() -> bytes:
    """Says 2 KiB in the headers and unpacks to 100 MB."""
    small = (2048).to_bytes(4, "little")
    return patched(zipped(("bomb.bin", bytes(100_000_000))), (22, small), (24, small))


def forged_directory() -> bytes:
    """Says that its directory has 3 GB."""
    data = bytearray(zipped(("a.bin", GOOD)))
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, 3_000_000_000)
    return bytes(data)


def nested(levels: int) -> bytes:
    data = zipped(("deep.bin", b"not reached" * 100))
    for _ in range(levels):
        data = zipped(("in.zip", data))
    return data


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "damaged": (damaged, r"Error|CRC|incorrect|invalid"),
    "cut short": (lambda: zipped(("a.bin", GOOD))[:-30], r"not a zip file"),
    "no zip file": (lambda: b"MZ" + bytes(2000), r"not a zip file"),
    "nothing": (lambda: b"", r"not a zip file"),
    "a member without bytes": (lambda: zipped(("a.bin", b"")), r"empty"),
    "encrypted": (encrypted, r"encrypted"),
    "bzip2": (
        lambda: zipped(("a.bin", bytes(400_000)), method=zipfile.ZIP_BZIP2),
        r"method 12; accepted: 0 ",
    ),
    "lzma": (lambda: zipped(("a.bin", bytes(400_000)), method=zipfile.ZIP_LZMA), r"method 14; accepted: 0 "),
    "deflate64": (lambda: method(9), r"method 9; accepted: 0 \(stored\) and 8 \(deflate\)"),
    "no method at all": (lambda: method(0xFFFF), r"method 65535"),
    "a bomb": (lambda: zipped(("bomb.bin", bytes(50_000_000))), r"larger than 512 KiB"),
    "a bomb that lies": (lying_size, r"larger|CRC|Bad|Error"),
    "a bomb in a bomb": (
        lambda: zipped(("b.zip", zipped(("c.zip", bytes(70_000_000))))),
        r"larger than \d+ KiB",
    ),
    "too deep": (lambda: nested(6), r"unknown checksum|larger than"),
    "a forged directory": (
        forged_directory,
        r"directory of the archive has 2929687 KiB|not a zip|Bad|directory",
    ),
    "a symbolic link": (symbolic_link, r"a symbolic link"),
    "an absolute name": (lambda: zipped(("/etc/cron.d/evil", b"evil")), r"unknown checksum"),
    "a name with dots": (lambda: zipped(("../../../evil.bin", b"evil")), r"unknown checksum"),
    "a directory that is a file": (
        lambda: zipped(("a.bin", b"x"), ("a.bin/b.bin", b"y")),
        r"unknown checksum",
    ),
    "one name twice": (lambda: zipped(("a.bin", b"x"), ("A.BIN", b"y")), r"unknown checksum"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_each_is_reported_and_the_good_one_imported(
    what: str, no_roms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, reason = HOSTILE[what]
    hostile = make()
    source = tmp_path / "source"
    source.mkdir()
    # As a file beside a good one, and inside of an archive before a good member.
    (source / "a hostile.zip").write_bytes(hostile)
    (source / "good.a26").write_bytes(GOOD)
    outer = tmp_path / "outer.zip"
    outer.write_bytes(beside(hostile))

    def others() -> list[Path]:
        return sorted(path for path in tmp_path.rglob("*") if not path.is_relative_to(no_roms.parent))

    for place in (source, outer):
        (no_roms / "pong.bin").unlink(missing_ok=True)
        before = others()
        assert main(["roms", "import", str(place), "--verbose"]) == 0
        printed = capsys.readouterr().out
        assert "copied   pong  from " in printed
        assert (no_roms / "pong.bin").read_bytes() == GOOD
        assert [path.name for path in no_roms.iterdir()] == ["pong.bin"]
        # Nothing was written anywhere else.
        assert others() == before
        report = roms.import_roms(place)
        assert report.unknown, what
        if place == outer:
            assert any(re.search(reason, told) for told in report.unknown.values()), report.unknown


def test_names_are_printed_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["clear\x1b[2J\x1b]0;title\x07.bin", "turned\u202enib.bin", "line\nbreak.bin", "n" * 60_000]
    archive = tmp_path / "names.zip"
    archive.write_bytes(zipped(*((name, b"bytes of no game") for name in names), ("good.bin", GOOD)))
    # A name on a disk that is no UTF-8.
    with open(bytes(tmp_path) + b"/caf\xe9\x1b.bin", "wb") as file:  # noqa: PTH123
        file.write(b"bytes of no game")
    assert main(["roms", "import", str(tmp_path), "--verbose"]) == 0
    printed = capsys.readouterr().out
    assert all(letter.isprintable() or letter == "\n" for letter in printed)
    assert max(map(len, printed.splitlines())) < 1000
    for part in (
        r"clear\x1b[2J\x1b]0;title\x07.bin",
        r"turned\u202enib",
        r"line\nbreak",
        r"caf\udce9\x1b.bin",
    ):
        assert part in printed
    assert printed.count("unknown  ") == 5


def test_links_and_loops_on_the_disk(no_roms: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    try:
        (source / "loop").symlink_to(source, target_is_directory=True)
        (source / "self").symlink_to(source / "self")
        (source / "nowhere.bin").symlink_to(tmp_path / "nowhere")
        (source / "endless.bin").symlink_to("/dev/zero")
    except OSError as error:
        pytest.skip(f"no symbolic links here: {error}")
    (source / "good.bin").write_bytes(GOOD)
    assert roms.import_roms(source).copied == {"pong": str(source / "good.bin")}


def test_a_zip_file_unpacks_to_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_images, "MAX_UNPACKED", 3_000_000)
    path = tmp_path / "many.zip"
    path.write_bytes(zipped(*((f"{number:03}.bin", bytes(500_000)) for number in range(20))))
    (tmp_path / "good.bin").write_bytes(GOOD)
    report = roms.import_roms(tmp_path)
    assert report.copied == {"pong": str(tmp_path / "good.bin")}
    reasons = list(report.unknown.values())
    assert len(reasons) == 20
    assert sum("not read: the archive has more than 2 MiB" in reason for reason in reasons) >= 14


def test_a_directory_of_millions_of_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "names.zip"
    path.write_bytes(zipped(*((f"{number:060}", b"") for number in range(90_000)), method=zipfile.ZIP_STORED))
    (told,) = roms.import_roms(path).unknown.items()
    assert told[0] == str(path)
    assert "the directory of the archive has" in told[1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_bomb_takes_little_memory(tmp_path: Path) -> None:
    """Bombs of 128 MB by every method, in a process that may grow by 200 MB."""
    path = tmp_path / "bombs.zip"
    zeros = bytes(1 << 24)
    with zipfile.ZipFile(path, "w") as archive:
        for number, kind in enumerate((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA) * 2):
            entry = zipfile.ZipInfo(f"{number}.bin" if number < 3 else f"{number}.zip")
            entry.compress_type = kind
            with archive.open(entry, "w") as member:
                for _ in range(8):
                    member.write(zeros)
    script = (
        "import resource, sys; from ale_rs import roms; from pathlib import Path; "
        "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() + 200_000_000; "
        "resource.setrlimit(resource.RLIMIT_AS, (now, now)); "
        "print(len(roms.import_roms(sys.argv[1], Path(sys.argv[2])).unknown))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), str(tmp_path / "to")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.strip(), done.returncode) == ("6", 0), done.stderr


def test_random_damage_raises_nothing(tmp_path: Path, fresh_seed: int) -> None:
    rng = random.Random(fresh_seed)
    whole = zipped(
        ("a.bin", GOOD), ("in.zip", zipped(("b.bin", GOOD), ("c", b"c"))), ("d.gz", b"\x1f\x8b" + GOOD)
    )
    path = tmp_path / "damaged.zip"
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        path.write_bytes(data)
        for where, found in _images.walk_images(path):
            assert where.startswith(str(path))
            assert isinstance(found, str | bytes)
