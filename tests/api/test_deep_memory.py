"""The memory of COMPER: sets of similar transitions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra [deep] is optional")
optax = pytest.importorskip("optax", reason="the extra [deep] is optional")

from ale_rs import deep  # noqa: E402
from ale_rs.deep import memory  # noqa: E402


def transition(mark: int, value: float = 0.0, done: bool = False) -> memory.Transition:
    state = np.full((1, 4, 4), mark, np.uint8)
    return memory.Transition(state, 1, 1.0, state + 1, value, done)


def test_copies_of_a_transition_make_one_set() -> None:
    sets = memory.TransitionMemory(10, memory.HashIndex())
    for value in range(5):
        sets.add(transition(1, value))
    sets.add(transition(2))
    assert sets.histogram() == {1: 1, 5: 1}
    assert [member.value for member in sets.take(1)[0]] == [0, 1, 2, 3, 4]
    assert len(sets) == 1
    sets.add(transition(1))  # forgotten, so a new set
    assert len(sets) == 2


def test_the_oldest_set_goes() -> None:
    sets = memory.TransitionMemory(3, memory.HashIndex())
    for mark in range(5):
        sets.add(transition(mark))
    assert [group[0].state[0, 0, 0] for group in sets.sets.values()] == [2, 3, 4]


def test_similar_transitions_share_a_set() -> None:
    sets = memory.TransitionMemory(10, memory.BruteForceIndex(0.1))
    for mark in (100, 101, 200):
        sets.add(transition(mark))
    assert sets.histogram() == {1: 1, 2: 1}
    pytest.importorskip("faiss", reason="faiss is optional")
    other = memory.TransitionMemory(10, memory.FaissIndex(0.1, 34))
    for mark in (100, 101, 200):
        other.add(transition(mark))
    assert other.histogram() == sets.histogram()


def test_distances_without_faiss_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match="pip install faiss-cpu, or use similarity=0"):
        deep.Comper(deep.presets["comper_single"].with_(similarity=0.1), 3, (8, 8))


def test_the_reduction_moves_every_set_once() -> None:
    preset = deep.presets["comper_single"].with_(
        qt="mlp", fit_epochs=1, sets_per_fit=30, network="dense", hidden=8
    )
    agent = deep.Comper(preset, 3, (4, 4))
    for mark in range(50):
        agent.transitions.add(transition(mark, done=mark == 0))
    agent.reduce()
    assert (len(agent.transitions), len(agent.reduced)) == (20, 30)
    assert [member.state[0, 0, 0] for member in agent.reduced.members] == list(range(30))
    agent.reduce()
    assert (len(agent.transitions), len(agent.reduced)) == (0, 50)
