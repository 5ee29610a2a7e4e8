"""Deep agents in JAX: DQN, COMPER and PPO.

>>> from ale_rs import deep  # doctest: +SKIP
>>> deep.parameters("dqn_machado2018")  # doctest: +SKIP
1693362

JAX and optax come with the extra `deep`; importing `ale_rs` alone imports neither.
"""

import importlib.util

from ale_rs.deep.presets import Preset, presets

_MISSING = [name for name in ("jax", "optax") if importlib.util.find_spec(name) is None]
if _MISSING:
    raise ImportError(
        f"ale_rs.deep needs {' and '.join(_MISSING)}; install with: pip install 'ale-rs[deep]' "
        "(for a GPU: pip install 'jax[cuda12]' as well)"
    )

from ale_rs.deep.comper import Comper  # noqa: E402
from ale_rs.deep.dqn import Dqn  # noqa: E402
from ale_rs.deep.networks import parameters  # noqa: E402
from ale_rs.deep.policy import policy  # noqa: E402
from ale_rs.deep.ppo import PpoConfig, ppo  # noqa: E402
from ale_rs.deep.training import Trial, load, train  # noqa: E402

__all__ = [
    "Comper", "Dqn", "PpoConfig", "Preset", "Trial", "load", "parameters", "policy", "ppo", "presets",
    "train",
]  # fmt: skip
