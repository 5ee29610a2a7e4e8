"""What of `gymnasium.vector` this package uses, also where gymnasium is older than 1.1 and has it not."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import gymnasium

__all__ = ["AutoresetMode", "VectorEnv", "VectorWrapper", "require_vector"]

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
else:
    try:
        from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
    except ImportError:

        class AutoresetMode(enum.Enum):
            """When a sub-environment whose episode has ended is reset."""

            NEXT_STEP = "NextStep"
            SAME_STEP = "SameStep"
            DISABLED = "Disabled"

        class VectorEnv:
            """Stands for gymnasium's class, so that faces of other libraries can be built."""

            closed = False
            spec = None
            render_mode = None

            def __class_getitem__(cls, _: Any) -> type:
                """Types in brackets are for type checkers."""
                return cls

            def close(self, **_: Any) -> None:
                """Nothing is to be used after this."""
                self.closed = True

            @property
            def unwrapped(self) -> Any:
                """The environment itself."""
                return self

        class VectorWrapper(VectorEnv):
            """Stands for gymnasium's class: whatever is not its own is the wrapped environment's."""

            def __init__(self, env: Any) -> None:
                self.env = env

            def __getattr__(self, name: str) -> Any:
                if name == "env":
                    raise AttributeError(name)
                return getattr(self.env, name)

            def close(self, **options: Any) -> None:
                """Close the wrapped environment."""
                self.env.close(**options)

            @property
            def unwrapped(self) -> Any:
                """The environment itself."""
                return self.env.unwrapped


def require_vector(name: str) -> None:
    """Refuse to go on where gymnasium has no vector environments of today.

    Raises:
        gymnasium.error.DependencyNotInstalled: gymnasium is older than 1.1.
    """
    if VectorEnv.__module__ == __name__:
        raise gymnasium.error.DependencyNotInstalled(
            f"{name} needs gymnasium 1.1 or newer, and {gymnasium.__version__} is installed; "
            'pip install "gymnasium>=1.1". '
            "AtariEnv, its ids, ale_rs.sb3 and ale_rs.compat.envpool work with this one, too"
        )
