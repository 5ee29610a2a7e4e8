"""EnvPool's functions: the names of `ale_rs.faces.envpool`.

>>> from ale_rs.compat import envpool
>>> envpool.make_spec("Glowdelve-v5").action_space
Discrete(18)

A script that says `import envpool` runs unchanged by `python -m ale_rs.compat.envpool SCRIPT ARGUMENTS`.
"""

import sys

from ale_rs.faces.envpool import (
    DEFAULTS,
    EnvPool,
    EnvSpec,
    GymnasiumEnvPool,
    __version__,
    list_all_envs,
    main,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_spec,
)

__all__ = [
    "DEFAULTS",
    "EnvPool",
    "EnvSpec",
    "GymnasiumEnvPool",
    "__version__",
    "list_all_envs",
    "main",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
