"""The soak in its short form, and its verdict on made-up measurements."""

import pytest

from soak.player import EVENTS, Player, games
from soak.soak import INTERVALS, Report, Sample, main, report, soak


def test_some_seconds_of_all_games(fresh_seed: int) -> None:
    result = soak(frames=30_000, minutes=0.5, envs=16, seed=fresh_seed, quiet=True)
    # Throughput of a second says nothing on a machine that does other things, too.
    assert result.constant_memory, result
    assert result.equal_replay, result
    assert result.replayed_from_seed >= 20
    assert result.replayed_from_snapshot > 0


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--frames", "2000", "--envs", "4", "--seed", "3"])
    verdict = capsys.readouterr().out.splitlines()[-1]
    assert "equal replay (20 steps from the seed, " in verdict
    assert code == (0 if "constant" in verdict and "steady" in verdict else 1)


def test_every_kind_of_event_is_repeated_by_another_number_of_threads(
    fresh_seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soak.player.EVENTS", dict.fromkeys(EVENTS, 0.5))
    # Two games four times each, so that branches and restores have somewhere to go.
    monkeypatch.setattr("soak.player.games", lambda count: [games(2)[index % 2] for index in range(count)])
    one, two = Player(fresh_seed, 8, threads=1), Player(fresh_seed, 8, threads=2)
    for _ in range(30):
        one.play()
        two.play()
    assert all(one.events.values()), one.events
    assert one.sums == two.sums
    # The checksums do depend on what happens.
    other = Player(fresh_seed + 1, 8)
    other.play()
    assert other.sums[0] != one.sums[0]
    # What is saved goes on alike.
    saved = one.save()
    one.play()
    other.load(saved)
    other.seed = fresh_seed
    other.play()
    assert other.sums[-1] == one.sums[-1]


def judged(resident: list[int], rates: list[float], same: bool = True) -> Report:
    samples = [Sample(rate, rate, memory) for rate, memory in zip(rates, resident, strict=True)]
    return report(Player(0, 1), samples, (0, 3600.0), (same, 20, 20))


def test_a_verdict_can_fail_in_each_part() -> None:
    flat, steady = [100_000_000] * INTERVALS, [50_000.0] * INTERVALS
    assert judged(flat, steady).good
    assert judged(flat, steady).verdict().count("(") == 3

    growing = [100_000_000 + 1_000_000 * minute for minute in range(INTERVALS)]
    assert not judged(growing, steady).constant_memory
    assert "GROWING memory" in judged(growing, steady).verdict()

    fading = [50_000.0 - 300.0 * minute for minute in range(INTERVALS)]
    assert not judged(flat, fading).steady_throughput
    assert "UNSTEADY throughput" in judged(flat, fading).verdict()

    stalled = [*steady[:-1], 20_000.0]
    assert not judged(flat, stalled).steady_throughput

    assert "DIFFERENT replay" in judged(flat, steady, same=False).verdict()
