"""Run logs: bytes, checks with file and line, and crashes at any byte."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ale_rs import evaluation as ev

RUN = ev.Run("dqn", "pong", 3, "machado2018", env={"frameskip": 5}, versions={"ale_rs": "0.1.0"}, rom_md5="6")


def play(log: ev.Writer, episodes: int = 5) -> None:
    """Deterministic episodes behind those that are there."""
    for index in range(len(log.episodes), episodes):
        frames = 10 + index
        log.episode("train", index / 3, frames=frames, steps=2, terminated=True, truncated=False, seed=None)
    if not log.complete:
        log.end()


def written(root: Path, episodes: int = 5) -> bytes:
    with ev.Writer(root, RUN) as log:
        play(log, episodes)
    return (root / RUN.path).read_bytes()


def test_a_log_has_the_lines_of_the_specification(tmp_path: Path) -> None:
    lines = written(tmp_path, 2).decode().split("\n")
    assert lines == [
        '{"kind":"run","schema":1,"agent":"dqn","game":"pong","mode":0,"difficulty":0,"seed":3,'
        '"protocol":"machado2018","env":{"frameskip":5},"num_envs":1,"versions":{"ale_rs":"0.1.0"},'
        '"rom_md5":"6","agent_config":{}}',
        '{"kind":"episode","phase":"train","episode":0,"return":0.0,"frames":10,"total_frames":10,"steps":2,'
        '"terminated":true,"truncated":false,"seed":null}',
        '{"kind":"episode","phase":"train","episode":1,"return":0.3333333333333333,"frames":11,'
        '"total_frames":21,"steps":2,"terminated":true,"truncated":false,"seed":null}',
        '{"kind":"end","episodes":2,"total_frames":21,"reason":"budget"}',
        "",
    ]


def test_a_log_reads_back_to_the_same_bytes_also_compressed(tmp_path: Path) -> None:
    data = written(tmp_path)
    log = ev.read(tmp_path / RUN.path)
    assert log.to_bytes() == data
    packed = tmp_path / "log.jsonl.gz"
    packed.write_bytes(gzip.compress(data))
    assert ev.read(packed).to_bytes() == data


def test_every_prefix_of_a_log_resumes_to_the_same_file(tmp_path: Path) -> None:
    data = written(tmp_path / "whole", 3)
    root = tmp_path / "cut"
    path = root / RUN.path
    path.parent.mkdir(parents=True)
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        assert written(root, 3) == data, f"{size} bytes"


def test_a_checkpoint_behind_the_log_cuts_it_and_the_copy_goes_when_all_is_there_again(
    tmp_path: Path,
) -> None:
    data = written(tmp_path / "whole")
    with ev.Writer(tmp_path, RUN) as log:
        log.episode("train", 0, frames=10, steps=2, terminated=True, truncated=False)
        log.episode("train", 1 / 3, frames=11, steps=2, terminated=True, truncated=False)
    with ev.Writer(tmp_path, RUN, keep=1) as log:
        assert len(log.episodes) == 1
        assert log.path.with_name("s3.jsonl.partial").exists()
        play(log)
    assert (tmp_path / RUN.path).read_bytes() == data
    assert not log.path.with_name("s3.jsonl.partial").exists()


def test_a_kill_behind_the_last_line_leaves_no_copy_for_ever(tmp_path: Path) -> None:
    data = written(tmp_path)
    left = (tmp_path / RUN.path).with_name("s3.jsonl.partial")
    left.write_bytes(data[: len(data) // 2])
    with ev.Writer(tmp_path, RUN) as log:
        assert log.complete
    assert not left.exists()


def test_what_was_cut_and_did_not_come_again_stays(tmp_path: Path) -> None:
    with ev.Writer(tmp_path, RUN) as log:
        log.episode("train", 77, frames=10, steps=2, terminated=True, truncated=False)
    with ev.Writer(tmp_path, RUN, keep=0) as log:
        play(log)
    assert b"77.0" in log.path.with_name("s3.jsonl.partial").read_bytes()


def test_a_writer_that_is_killed_at_any_moment_can_be_continued(tmp_path: Path) -> None:
    program = """
import sys
from ale_rs import evaluation as ev
run = ev.Run("dqn", "pong", 3, "machado2018", env={"frameskip": 5}, versions={"ale_rs": "0.1.0"}, rom_md5="6")
with ev.Writer(sys.argv[1], run) as log:
    print("go", flush=True)
    for index in range(len(log.episodes), 20_000):
        frames = 10 + index
        log.episode("train", index / 3, frames=frames, steps=2, terminated=True, truncated=False, seed=None)
    log.complete or log.end()
"""
    path = tmp_path / RUN.path
    for delay in (0.0, 0.03, 0.07):
        process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        ev.read(path)
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, stdout=subprocess.DEVNULL)
    assert path.read_bytes() == written(tmp_path / "whole", 20_000)


def test_a_finished_log_is_left_alone(tmp_path: Path) -> None:
    data = written(tmp_path)
    with ev.Writer(tmp_path, RUN, keep=0) as log:
        assert log.complete
        with pytest.raises(ev.LogError, match="complete"):
            log.episode("train", 0, frames=1, steps=1, terminated=True, truncated=False)
    assert (tmp_path / RUN.path).read_bytes() == data


def test_a_log_of_another_run_is_refused(tmp_path: Path) -> None:
    written(tmp_path)
    other = ev.Run("dqn", "pong", 3, "machado2018", env={"frameskip": 4}, versions=RUN.versions, rom_md5="6")
    with pytest.raises(
        ev.LogError, match=r"s3\.jsonl:1: .*env was \{'frameskip': 5\}, is \{'frameskip': 4\}"
    ):
        ev.Writer(tmp_path, other)


@pytest.mark.skipif(sys.platform == "win32", reason="the lock of Windows is tested with the driver")
def test_two_writers_of_one_log_are_refused(tmp_path: Path) -> None:
    with ev.Writer(tmp_path, RUN), pytest.raises(ev.LogError, match="another process"):
        ev.Writer(tmp_path, RUN)


EPISODE: dict[str, Any] = {
    "kind": "episode", "phase": "train", "episode": 0, "return": 1.0, "frames": 10, "total_frames": 10,
    "steps": 2, "terminated": True, "truncated": False, "seed": None,
}  # fmt: skip
END = {"kind": "end", "episodes": 1, "total_frames": 10, "reason": "budget"}
HEAD = RUN.to_dict()
WRONG: list[tuple[list[Any], int, str]] = [
    ([EPISODE], 1, "kind is 'episode', expected 'run'"),
    ([HEAD | {"schema": 2}], 1, "schema is 2"),
    ([{k: v for k, v in HEAD.items() if k != "game"}], 1, "the key 'game' is missing"),
    ([HEAD | {"seed": True}], 1, "seed is True, expected an int"),
    ([HEAD | {"seed": -1}], 1, "seed is -1"),
    ([HEAD | {"agent": ".."}], 1, "agent is '..'"),
    ([HEAD | {"num_envs": 0}], 1, "num_envs is 0"),
    ([HEAD, EPISODE | {"episode": 1}], 2, "episode is 1 of phase train, expected 0"),
    ([HEAD, EPISODE | {"phase": "test"}], 2, "phase is 'test'"),
    ([HEAD, EPISODE | {"frames": 0}], 2, "frames is 0"),
    ([HEAD, EPISODE | {"frames": 9}], 2, "total_frames is 10, expected 0 \\+ 9 = 9"),
    ([HEAD, EPISODE, EPISODE | {"episode": 1, "total_frames": 9}], 3, "total_frames falls from 10 to 9"),
    ([HEAD, EPISODE | {"return": "1"}], 2, "return is '1', expected a number"),
    ([HEAD, EPISODE | {"return": float("nan")}], 2, "NaN is not a finite number"),
    ([HEAD, EPISODE | {"return": float("-inf")}], 2, "-Infinity is not a finite number"),
    ([HEAD, EPISODE | {"terminated": 1}], 2, "terminated is 1, expected true or false"),
    ([HEAD, EPISODE | {"achievements": {"wake_up": -1}}], 2, "achievements is"),
    ([HEAD, EPISODE, END | {"episodes": 2}], 3, "episodes is 2, but the records before it make 1"),
    ([HEAD, EPISODE, END, EPISODE], 4, "stands after the `end` record"),
    ([HEAD, [1]], 2, "is not a JSON object"),
]


@pytest.mark.parametrize(("records", "line", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_every_check_names_file_and_line(tmp_path: Path, records: list[Any], line: int, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(ev.LogError, match=rf"x\.jsonl:{line}: {message}"):
        ev.read(path)
    found = [problem for problem in ev.check(path) if problem.severe]
    assert found
    assert found[0].line == line


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\n", b"{\n", b"[" * 100_000 + b"\n", b"\0" * 64, b"null\n"])
def test_bytes_that_are_no_log_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(ev.LogError, match=r"x\.jsonl:1: "):
        ev.read(path)


def test_check_reports_all_problems_of_all_logs(tmp_path: Path) -> None:
    data = written(tmp_path)
    (tmp_path / "copy.jsonl").write_bytes(data[:-20])
    problems = ev.check(tmp_path)
    texts = "\n".join(map(str, problems))
    assert "copy.jsonl:7: is half-written" in texts
    assert "unfinished" in texts
    assert "is the same trial as" in texts
    with pytest.raises(ev.LogError, match="same trial"):
        ev.load(tmp_path)


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    records = [HEAD | {"machine": "gpu"}, EPISODE | {"best_return": 4.5}, END | {"note": "x"}]
    data = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode()
    path.write_bytes(data)
    assert ev.read(path).to_bytes() == data


def test_several_environments_give_total_frames_themselves(tmp_path: Path) -> None:
    run = ev.Run("dqn", "pong", 0, "machado2018", num_envs=8)
    with ev.Writer(tmp_path, run) as log:
        log.episode("train", 1, frames=100, steps=20, total_frames=800, terminated=True, truncated=False)
        log.episode("train", 1, frames=90, steps=20, total_frames=800, terminated=True, truncated=False)
        with pytest.raises(ValueError, match="total_frames is needed"):
            log.episode("train", 1, frames=90, steps=20, terminated=True, truncated=False)
        with pytest.raises(ev.LogError, match=r":4: total_frames falls from 800 to 700"):
            log.episode("train", 1, frames=1, steps=1, total_frames=700, terminated=True, truncated=False)
        log.end()
    assert len(ev.load(tmp_path).logs[0].episodes) == 2


def test_the_table_does_not_show_the_order_of_finishing(tmp_path: Path) -> None:
    for agent, seed in (("b", 1), ("a", 0), ("b", 0)):
        with ev.Writer(tmp_path, ev.Run(agent, "pong", seed, "machado2018")) as log:
            play(log, 2)
    table = ev.load(tmp_path).table()
    rows = list(zip(table["agent"], table["seed"], table["episode"], strict=True))
    assert rows == sorted(rows)
    assert len(table) == 6


def test_names_cannot_leave_the_directory() -> None:
    assert str(ev.Run("../x", "pong", 0, "p").path) == "p/..%2Fx/pong/m0d0/s0.jsonl"


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ev.load(tmp_path / "nowhere")
