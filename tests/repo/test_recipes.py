"""docs/recipes.md and the clients that run it agree; running them takes `make clients`."""

import importlib.util
import sys
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[1] / "clients"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="make clients needs tomllib")
def test_every_section_is_run_by_a_client_and_is_code() -> None:
    import tomllib

    spec = importlib.util.spec_from_file_location("clients_run", CLIENTS / "run.py")
    assert spec is not None
    assert spec.loader is not None
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    table = tomllib.loads((CLIENTS / "clients.toml").read_text())
    recipes = run.recipes()
    assert sorted(client["recipe"] for client in table["clients"].values()) == sorted(recipes)
    for client in table["clients"].values():
        assert client["environment"] in table["environments"]
        assert "check" not in client or (CLIENTS / client["check"]).is_file()
    for name, blocks in recipes.items():
        assert blocks, name
        for language, code in blocks:
            assert language == "sh" or compile(code, name, "exec")
