"""`ale_py` beside us: whose ids they are, and our package under its name."""

import subprocess
import sys

import pytest

BOTH = """
import sys, warnings, gymnasium
warnings.simplefilter("error")
warnings.simplefilter("always", UserWarning)
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BOTH + code], capture_output=True, text=True, check=False)


@pytest.fixture
def both() -> None:
    if python("import ale_py").returncode != 0:
        pytest.skip("ale-py is not installed")


@pytest.mark.usefixtures("both")
class TestBothInstalled:
    def test_one_warning_says_that_ids_were_taken_over(self) -> None:
        done = python(
            "import ale_rs\nimport ale_py\nale_rs.AtariEnv('glowdelve')\nimport ale_py.registration"
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("Warning") == 1
        assert "ale_py has taken over 352 gymnasium ids from ale_rs" in done.stderr
        assert "ale_rs.register(override=True)" in done.stderr
        assert '"ale_rs/Pong-v5"' in done.stderr

    def test_ids_behind_our_name_stay_ours(self) -> None:
        code = """
import ale_rs, ale_py
for id_ in ("ale_rs/Pong-v5", "ale_rs/PongNoFrameskip-v4"):
    assert gymnasium.registry[id_].entry_point == "ale_rs.env:AtariEnv"
assert gymnasium.registry["ALE/Pong-v5"].entry_point == "ale_py.env:AtariEnv"
assert ale_rs.registration.owners() == {"ale_py": 352}
ale_rs.register(override=True)
assert ale_rs.registration.owners() == {"ale_rs": 352}
"""
        done = python(code)
        assert done.returncode == 0, done.stderr

    def test_a_later_registration_is_told_when_something_of_ours_is_used(self) -> None:
        code = """
import ale_py, ale_rs
ale_rs.register(override=True)
for id_ in ("ALE/Pong-v5", "PongNoFrameskip-v4"):
    del gymnasium.registry[id_]
    gymnasium.register(id_, entry_point="ale_py.env:AtariEnv")
ale_rs.AtariVectorEnv("glowdelve", 1)
ale_rs.AtariEnv("glowdelve")
"""
        done = python(code)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("ale_py has taken over 2 gymnasium ids") == 1

    def test_who_is_first_keeps_the_ids_and_nothing_is_said(self) -> None:
        done = python("import ale_py, ale_rs\nassert ale_rs.registration.owners() == {'ale_py': 352}")
        assert (done.returncode, done.stderr) == (0, "")

    def test_resources_of_ale_py_can_still_be_read(self) -> None:
        code = (
            "import ale_rs, importlib.resources, ale_py; assert importlib.resources.files('ale_py').is_dir()"
        )
        assert python(code).returncode == 0

    def test_the_alias_finds_the_roms_of_the_package_that_it_hides(self) -> None:
        code = """
import os, tempfile
os.environ["ALE_RS_DATA_DIR"] = tempfile.mkdtemp()
import ale_rs
sys.modules["ale_py"] = ale_rs
assert ale_rs.roms.locate("pong").parts[-3:] == ("ale_py", "roms", "pong.bin")
"""
        done = python(code)
        assert done.returncode == 0, done.stderr


def test_modules_of_the_alias_are_ours_and_not_copies() -> None:
    code = """
import ale_rs
sys.modules["ale_py"] = ale_rs
import ale_py.roms, ale_py.env
from ale_py.vector_env import AtariVectorEnv
from ale_py._ale_py import ALEVectorInterface
from ale_py.registration import register_v5_envs
assert ale_py.roms is ale_rs.roms and ale_rs.roms.__spec__.name == ale_rs.roms.__name__ == "ale_rs.roms"
assert AtariVectorEnv is ale_rs.AtariVectorEnv and ALEVectorInterface is ale_rs.ALEVectorInterface
assert ale_py.env.AtariEnv is ale_rs.AtariEnv
try:
    import ale_py.nothing
except ModuleNotFoundError as problem:
    assert "ale_py.nothing" in str(problem)
else:
    raise AssertionError
"""
    done = python(code)
    assert done.returncode == 0, done.stderr
