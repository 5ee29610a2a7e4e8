"""The package as a whole: names, version, build."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import ale_rs
from ale_rs import _native

ROOT = Path(__file__).parents[2]


def test_the_version_is_that_of_the_workspace() -> None:
    workspace = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert workspace is not None
    assert ale_rs.__version__ == workspace[1] == importlib.metadata.version("ale-rs")


def test_every_public_name_exists() -> None:
    for name in ale_rs.__all__:
        assert hasattr(ale_rs, name), name


def test_ale_py_as_another_name_has_its_native_module() -> None:
    code = "import sys, ale_rs; sys.modules['ale_py'] = ale_rs; import ale_py; ale_py._ale_py.ALEInterface()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_numpy_and_gymnasium_are_required() -> None:
    metadata = importlib.metadata.metadata("ale-rs")
    required = [text for text in metadata.get_all("Requires-Dist", []) if "extra ==" not in text]
    # tomllib is part of Python from 3.11 on; for 3.10 there is tomli.
    required = [text for text in required if not re.match(r"tomli\b.*python_(full_)?version < '3\.11'", text)]
    assert [re.split("[<>=~!]", text)[0] for text in required] == ["numpy", "gymnasium"]
    assert set(metadata.get_all("Provides-Extra", [])) >= {"roms", "play", "plot", "dev"}


def test_the_tested_build_is_optimised() -> None:
    assert _native.OPTIMISED


def test_a_build_without_optimisation_warns_at_import() -> None:
    code = (
        "import sys, types, warnings; import ale_rs._native as native; native.OPTIMISED = False;"
        "del sys.modules['ale_rs']; warnings.simplefilter('error');"
        "import ale_rs"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "built without optimisation" in done.stderr


def test_importing_the_package_does_not_import_ale_py() -> None:
    code = "import ale_rs, sys; sys.exit('ale_py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
