"""Sweeps and vector environments on a real Ray cluster of two nodes on this machine."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariVectorEnv
from ale_rs import evaluation as ev
from ale_rs.evaluation import executors, sweep
from ale_rs.ray import RayVectorEnv
from api.evaluation.sweeping import GAME, rules, tree

ray = pytest.importorskip("ray", reason="Ray cannot be installed here")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore"),  # of Ray's own
]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head and a second node with two cores each."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    tests = str(Path(__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")]))
    head = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    made.second = made.add_node(num_cpus=2, object_store_memory=80 << 20)
    try:
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def agents() -> list[ev.AgentSpec]:
    return [ev.agent("random"), ev.agent("api.evaluation.sweeping:learner", as_name="learner")]


def test_two_nodes_give_the_serial_bytes_also_when_one_is_lost(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "training.toml"
    rules(tmp_path, "training")
    path.write_text(path.read_text().replace("6_000", "30_000").replace("trials = 2", "trials = 3"))
    found = ev.protocol(path)
    assert ev.evaluate(agents(), found, [GAME], out=tmp_path / "serial").complete
    whole = tree(tmp_path / "serial")

    assert ev.evaluate(agents(), found, [GAME], out=tmp_path / "ray", ray=True).complete
    assert tree(tmp_path / "ray") == whole

    # The second node is killed after some records have come: nothing is lost, nothing is there twice.
    monkeypatch.setattr(executors, "CHUNK_MESSAGES", 1)
    take, seen = sweep._Driver.take, []

    def count(driver: Any, job: ev.Job, message: Any) -> None:
        take(driver, job, message)
        seen.append(message)
        if len(seen) == 8:
            cluster.remove_node(cluster.second, allow_graceful=False)

    monkeypatch.setattr(sweep._Driver, "take", count)
    result = ev.evaluate(agents(), found, [GAME], out=tmp_path / "lost", ray=True)
    assert (result.played, result.failed) == (6, ())
    assert len(ray.nodes()) == 2
    # The cluster notices a lost node after some missed heartbeats.
    end = time.monotonic() + 60
    while sum(node["Alive"] for node in ray.nodes()) > 1 and time.monotonic() < end:
        time.sleep(0.5)
    assert sum(node["Alive"] for node in ray.nodes()) == 1
    assert tree(tmp_path / "lost") == whole


def make_policy() -> Any:
    """A policy that depends on the environment's place only; Ray sends it by value."""

    def policy(observations: Any, step: int, first: int) -> Any:
        return [(7 * step + 3 * (first + i)) % 6 for i in range(len(observations))]

    return policy


def test_four_shards_of_four_play_what_one_environment_of_sixteen_plays(cluster: Any) -> None:
    options: dict[str, Any] = {"max_num_frames_per_episode": 120, "noop_max": 5}
    steps, policy = 45, make_policy()
    single = AtariVectorEnv(GAME, 16, num_threads=1, **options)
    observations, _ = single.reset(seed=11)
    expected = [np.array(observations)]
    rewards, ends = [], []
    for step in range(steps):
        observations, reward, terminated, truncated, _ = single.step(np.array(policy(observations, step, 0)))
        expected.append(np.array(observations))
        rewards.append(np.array(reward))
        ends.append(terminated | truncated)
    envs = RayVectorEnv(GAME, 16, shards=4, num_cpus=0, **{"num_threads": 1, **options})
    assert (envs.reset(seed=11) == expected[0]).all()
    fragments = [envs.rollout(policy, 40), envs.rollout(policy, 4)]
    stepped = envs.step(policy(expected[0], 44, 0))
    envs.close()
    played = np.concatenate([fragments[0].observations, fragments[1].observations[1:], stepped[0][None]])
    assert played.tobytes() == np.stack(expected).tobytes()
    got = np.concatenate([fragments[0].rewards, fragments[1].rewards, stepped[1][None]])
    assert (got == np.stack(rewards)).all()
    assert np.stack(ends).any()
    assert fragments[0].actions.shape == (40, 16)


def test_a_machine_with_another_version_or_rom_is_refused(tmp_path: Path) -> None:
    (job, *_) = ev.jobs_of("random", rules(tmp_path, "training"), [GAME])
    with pytest.raises(ValueError, match=r"has ale_rs .*, the driver has 9\.9"):
        executors.check_machine(job, "9.9", "")
    from ale_rs import _native

    with pytest.raises(ValueError, match=f"has another ROM of {GAME}"):
        executors.check_machine(job, _native.__version__, "0" * 32)


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="10 environments in 4 shards"):
        RayVectorEnv(GAME, 10, shards=4)
    with pytest.raises(ValueError, match="2 games for 4 environments"):
        RayVectorEnv([GAME, GAME], 4)
