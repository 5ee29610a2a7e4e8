"""The soak in its short form."""

from soak.soak import main, soak


def test_some_seconds_of_all_games(fresh_seed: int) -> None:
    report = soak(frames=20_000, minutes=0.25, envs=16, seed=fresh_seed, quiet=True)
    assert report.same, report
    assert not report.grew, report
    assert report.replayed_from_seed >= 20
    assert report.replayed_from_snapshot > 0


def test_the_command() -> None:
    assert main(["--frames", "2000", "--envs", "4", "--seed", "3"]) == 0
