"""Old versions of gymnasium, which have no vector environments of today."""

import subprocess
import sys

WITHOUT = """
import gymnasium, gymnasium.vector
del gymnasium.vector.AutoresetMode
import ale_rs
from gymnasium.error import DependencyNotInstalled
"""


def python(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_one_environment_works_and_many_say_what_they_need() -> None:
    python("""
env = gymnasium.make("ale_rs/Glowdelve-v5")
env.reset(seed=0)
env.step(0)
try:
    ale_rs.AtariVectorEnv("glowdelve", 2)
except DependencyNotInstalled as problem:
    assert "AtariVectorEnv needs gymnasium 1.1 or newer" in str(problem)
    assert 'pip install "gymnasium>=1.1"' in str(problem)
else:
    raise AssertionError
""")


def test_the_faces_of_other_libraries_work() -> None:
    python("""
from ale_rs.compat import envpool
for form in ("gym", "gymnasium"):
    envs = envpool.make("Glowdelve-v5", form, num_envs=2)
    envs.reset()
    envs.step(__import__("numpy").zeros(2, int))
    envs.close()
""")
