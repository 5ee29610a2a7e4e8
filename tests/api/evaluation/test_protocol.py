"""Protocols as data, and the score that each kind makes of a trial."""

import dataclasses
from pathlib import Path

import pytest

from ale_rs import evaluation as ev
from ale_rs import games
from ale_rs.evaluation import seeds
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from ale_rs.evaluation.trials import area, curve, mean_and_sd
from api.evaluation.golden import GOLDEN

G = GOLDEN["protocol"]
NOTHING = dict.fromkeys(ACHIEVEMENTS, 0)


def log_of(
    returns: list[float],
    frames: list[int],
    protocol: str = "machado2018",
    phase: str = "train",
    **extra: object,
) -> ev.RunLog:
    total = 0
    episodes = []
    for index, (score, count) in enumerate(zip(returns, frames, strict=True)):
        total += count
        achievements = dict(NOTHING, **extra.get("achievements", [{}] * 99)[index]) if extra else None  # type: ignore[index]
        episodes.append(
            ev.Episode(phase, index, score, count, total, 1, True, False, achievements=achievements)
        )
    run = dataclasses.replace(ev.protocol(protocol).run("dqn", "pong", 0), mode=0)
    return ev.RunLog(run, tuple(episodes), ev.End(len(episodes), total, "budget"), "log")


def scored(name: str, log: ev.RunLog, partial: bool = False, **changes: object) -> list[ev.TrialScore]:
    protocol = dataclasses.replace(ev.protocol(name), **changes)  # type: ignore[arg-type]
    return list(protocol.scores([log], partial=partial).rows)


def test_checkpoints_take_the_episode_that_crosses() -> None:
    log = log_of(G["episodes"]["returns"], G["episodes"]["frames"])
    marks = [row["frames"] for row in G["checkpoints_k3"]]
    rows = scored("machado2018", log, score={"window": 3, "checkpoints": marks})
    assert [(row.score, row.episodes) for row in rows] == [
        (row["score"], row["episodes"]) for row in G["checkpoints_k3"]
    ]


@pytest.mark.parametrize(
    ("key", "returns"), [("tertiles_k3", "episodes"), ("tertiles_k5_of_16", "sixteen_returns")]
)
def test_tertiles(key: str, returns: str) -> None:
    values = G[returns]["returns"] if returns == "episodes" else G[returns]
    log = log_of(values, [10_000] * len(values), "comper100k")
    rows = scored("comper100k", log)[:3]
    assert [(row.score, row.episodes) for row in rows] == [(g["score"], g["episodes"]) for g in G[key]]
    assert [row.sd for row in rows] == pytest.approx([g["sd"] for g in G[key]], abs=1e-9)


def test_tertiles_of_two_episodes_and_of_an_unfinished_run_are_missing() -> None:
    rows = scored("comper100k", log_of([1.0, 3.0], [60_000, 60_000], "comper100k"))
    assert [row.score for row in rows] == [None, None, None, 2.0]
    rows = scored("comper100k", log_of([1.0, 3.0], [10, 10], "comper100k"))
    assert [row.score for row in rows] == [None] * 4


def test_the_end_window_has_ten_episodes_from_ten_on() -> None:
    rows = scored("comper100k", log_of([float(i) for i in range(10)], [10_000] * 10, "comper100k"))
    assert (rows[3].score, rows[3].episodes) == (4.5, 10)


def test_evaluation_needs_all_its_episodes_unless_partial() -> None:
    log = log_of([2.0, 4.0], [10, 10], "bellemare2013_planning", "evaluate")
    assert scored("bellemare2013_planning", log)[0].score is None
    assert scored("bellemare2013_planning", log, partial=True)[0].score == 3.0
    twelve = log_of([1.0] * 10 + [99.0] * 2, [10] * 12, "bellemare2013_planning", "evaluate")
    assert scored("bellemare2013_planning", twelve)[0] == ev.TrialScore("dqn", "pong", 0, None, 1.0, 10)


def test_crafter_leaves_the_crossing_episode_out() -> None:
    unlocked = [{"wake_up": 3}, {}, {"wake_up": 1, "eat_cow": 1}]
    log = log_of([0.0] * 3, [400_000, 600_000, 1], "crafter", achievements=unlocked)
    (row,) = scored("crafter", log)
    assert row.episodes == 2
    assert row.rates is not None
    assert (row.rates["wake_up"], row.rates["eat_cow"]) == (50.0, 0.0)


def test_a_missing_achievement_is_an_error_not_a_zero() -> None:
    log = log_of([0.0], [1_000_000], "crafter")
    with pytest.raises(ValueError, match="log: episode 0 has no achievements"):
        scored("crafter", log)


def test_the_spread_over_trials() -> None:
    summary = G["trial_summary"]
    assert mean_and_sd(summary["trial_scores"]) == pytest.approx((13.0, summary["sd_sample"]), abs=1e-9)
    assert mean_and_sd(summary["trial_scores"], "population")[1] == pytest.approx(
        summary["sd_population"], abs=1e-9
    )
    assert mean_and_sd([5.0]) == (5.0, 0.0)


def test_seeds_are_those_of_the_specification() -> None:
    for key, expected in G["seeds"]["examples"].items():
        assert seeds.job_hash(key) == int(expected["job_hash"])
        assert [ev.episode_seed(key, i) for i in range(4)] == expected["first_seeds"]
        assert ev.agent_seed(key) == expected["agent_seed"]
    assert ev.job_key("crafter", "crafter") == "crafter/crafter/m0d0/s0"


def test_logs_with_other_settings_are_not_scored_unless_forced() -> None:
    log = log_of([1.0], [10])
    other = dataclasses.replace(log, run=dataclasses.replace(log.run, env={**log.run.env, "frameskip": 4}))
    scores = ev.protocol("machado2018").scores([other])
    assert scores.rows == ()
    assert scores.excluded == (("log", "env.frameskip is 4, the protocol machado2018 says 5"),)
    forced = ev.protocol("machado2018").scores([other], force=True)
    assert len(forced.rows) == 4
    assert forced.forced == scores.excluded


def test_a_life_lost_never_ends_a_scored_episode() -> None:
    log = log_of([1.0], [10])
    run = dataclasses.replace(log.run, env={**log.run.env, "terminal_on_life_loss": True})
    assert ev.protocol("machado2018").mismatch(dataclasses.replace(log, run=run)) is not None


def test_summaries_count_trials_without_a_score() -> None:
    logs = []
    for seed, frames in ((0, 10_000_000), (1, 100)):
        log = log_of([4.0], [frames])
        logs.append(dataclasses.replace(log, run=dataclasses.replace(log.run, seed=seed)))
    first = ev.protocol("machado2018").scores(logs).summary()[0]
    assert (first.checkpoint, first.mean, first.sd, first.trials, first.of) == (10_000_000, 4.0, 0.0, 1, 2)


def test_curves_leave_gaps() -> None:
    log = log_of([1.0, 3.0, 5.0], [10, 5, 40])
    assert curve(log, 10) == [1.0, 3.0, None, None, None, 5.0]
    assert area(curve(log, 10)) == 3.0


def test_all_shipped_protocols_are_read() -> None:
    assert {"machado2018", "bellemare2013", "bellemare2013_planning", "comper100k", "atari100k"} < set(
        ev.protocols()
    )
    for name in ev.protocols():
        assert ev.protocol(name).name == name
    assert ev.protocol("comper100k").budget == {"frames": 100_000}
    assert ev.protocol("atari100k").note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kidn = 1", 'unknown key "kidn", did you mean "kind"'),
        ('kind = "trainig"\nworld = "atari"', 'unknown kind "trainig", did you mean "training"'),
        ('kind = "evaluation"\nworld = "atari"\n[score]\nepisodes = 0', "episodes is 0"),
        ('kind = "evaluation"\nworld = "atari"\n[score]\nepisode = 1', 'unknown key "episode"'),
        ('kind = "evaluation"\nworld = "atari"', "'episodes' is missing"),
        (
            'kind = "evaluation"\nworld = "atari"\n[score]\nepisodes=1\n[env]\nframe_skip=4',
            'did you mean "frameskip"',
        ),
        ('kind = "evaluation"\nworld = "atari"\ntrials = 0\n[score]\nepisodes=1', "trials is 0"),
        ('kind = "evaluation"\nworld = "atari"\ntune_on = "atari6"\n[score]\nepisodes=1', "atari6"),
        ('kind = "evaluation"\nworld = "atari"\n[score]\nepisodes=1\n[budget]\nframes=1', "does not learn"),
        ("kind = ", "is not TOML"),
    ],
)
def test_a_wrong_protocol_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        ev.protocol(path)
    assert "mine.toml" in str(error.value) or "atari6" in str(error.value)


def test_an_unknown_protocol_names_the_nearest() -> None:
    with pytest.raises(ValueError, match='did you mean "machado2018"'):
        ev.protocol("machado2081")


def test_subsets_are_those_of_the_specification_and_exist() -> None:
    expected = {name: tuple(listed) for name, listed in GOLDEN["subsets"].items()}
    assert ev.subsets() == expected
    known = set(games.names())
    assert all(set(listed) <= known for listed in expected.values())
    assert len(ev.subset("atari60_machado2018")) == 60
    assert set(ev.subset("atari60_machado2018")) - set(ev.subset("atari57")) == {
        "carnival", "elevator_action", "journey_escape", "pooyan",
    }  # fmt: skip
    assert ev.subset("atari55_bellemare2013") == ev.subset("train5") + ev.subset("test50")


def test_games_are_chosen_from_left_to_right() -> None:
    assert ev.select_games(["atari3,pong", "-phoenix", "freeway@m1d0"]) == [
        "battle_zone", "name_this_game", "pong", "freeway@m1d0",
    ]  # fmt: skip
    with pytest.raises(ValueError, match='did you mean "atari5"'):
        ev.select_games(["atari75"])
    with pytest.raises(ValueError, match="no game is left"):
        ev.select_games(["pong", "-pong"])
    with pytest.raises(ValueError, match="has the modes"):
        ev.select_games(["pong@m99d0"])
