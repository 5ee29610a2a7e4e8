"""An `ale_py` beside us: who owns gymnasium's ids, and what `sys.modules["ale_py"] = ale_rs` means.

`ale_py` registers the same ids as this package and takes them over when it is imported later. A finder in
`sys.meta_path` sees that import, so that one warning can say so at that moment; it finds nothing itself. It
also answers imports of submodules of the alias: `ale_py.roms` is then `ale_rs.roms`, not a second copy of it.
"""

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ale_rs import registration

__all__ = ["watch"]

NEIGHBOUR = "ale_py"
PACKAGE = "ale_rs"


def watch() -> None:
    """Begin to watch for imports of `ale_py`; more than one call changes nothing."""
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher(MetaPathFinder):
    """Sees `ale_py` being imported, and names our modules where `ale_py` is another name of this package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `ale_py` with a warning after it, or of an aliased submodule; `None` for the rest."""
        if fullname == NEIGHBOUR:
            return self._neighbour(fullname, path, target)
        if not fullname.startswith(f"{NEIGHBOUR}.") or not _is_alias():
            return None
        ours = PACKAGE + fullname.removeprefix(NEIGHBOUR)
        if importlib.util.find_spec(ours) is None:
            return None
        return ModuleSpec(fullname, _Alias(ours))

    def _neighbour(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    _tell_afterwards(spec.loader)
                return spec
        return None


class _Alias(Loader):
    """Gives a module that is loaded under our name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself; the import system is about to change its spec."""
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Put the spec back; the module has run already."""
        module.__spec__ = self.spec


def _is_alias() -> bool:
    return sys.modules.get(NEIGHBOUR) is sys.modules.get(PACKAGE) is not None


def _tell_afterwards(loader: Any) -> None:
    """Let a loader say in one warning, instead of gymnasium's 352, that ids were taken over."""
    run: Callable[[ModuleType], None] = loader.exec_module

    def run_and_tell(module: ModuleType) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*Overriding environment .* already in registry")
            run(module)
        registration.warn_if_taken()

    try:
        loader.exec_module = run_and_tell
    except AttributeError:  # a loader without attributes of its own: the next use of ours tells
        return
