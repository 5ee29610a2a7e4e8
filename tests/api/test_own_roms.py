"""The games in roms/: sources, images and fact sheets belong together."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ale_rs import roms

FOLDER = Path(__file__).parents[2] / "roms"
GAMES = sorted(path.stem for path in FOLDER.glob("*.asm"))


def md5_in_sheet(game: str) -> str:
    found = re.search(r'^md5 = "([0-9a-f]{32})"$', (FOLDER / f"{game}.toml").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("game", GAMES)
def test_the_source_assembles_to_the_image(game: str, tmp_path: Path) -> None:
    dasm = shutil.which("dasm")
    if dasm is None:
        pytest.skip("the assembler dasm is not installed")
    output = tmp_path / f"{game}.bin"
    subprocess.run([dasm, f"{game}.asm", "-f3", f"-o{output}"], cwd=FOLDER, check=True, capture_output=True)
    assert output.read_bytes() == (FOLDER / f"{game}.bin").read_bytes()


@pytest.mark.parametrize("game", GAMES)
def test_the_image_is_a_cartridge_with_the_checksum_of_its_sheet(game: str) -> None:
    image = (FOLDER / f"{game}.bin").read_bytes()
    assert len(image) in (2048, 4096)
    assert hashlib.md5(image).hexdigest() == md5_in_sheet(game)


def test_the_names_are_new() -> None:
    assert not set(GAMES) & set(roms.get_all_rom_ids())
    assert sorted(roms.embedded_ids()) == GAMES
