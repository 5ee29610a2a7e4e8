"""Write `docs/corrections.md`, the list of corrected rules, from the sheets and the recorded experiments.

python scripts/corrections_doc.py           write the file
python scripts/corrections_doc.py --check   only tell whether it is up to date
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from ale_rs import games

ROOT = Path(__file__).parents[1]
DOC = ROOT / "docs" / "corrections.md"
PROOFS: dict[str, Any] = json.loads((ROOT / "tests" / "golden" / "corrections.json").read_text())

HEAD = """\
# Corrected rules

Rewards, ends and lives are those of `ale_py` 0.12.1, its mistakes included, because results are compared by them.
The mistakes listed here are put right on request:

```python
env = gymnasium.make("ALE/Asterix-v5", corrected=True)
envs = ale_rs.AtariVectorEnv("asterix", num_envs=8, corrected=True)

ale = ale_rs.ALEInterface()
ale.setBool("corrected", True)  # before loadROM
```

In Rust it is `EnvConfig { corrected: true, .. }`. The option is off by default; a game without corrected rules plays
as always. A state or snapshot fits only the rules it was taken under. In a fact sheet the corrected rules are the
table [`[corrected]`](games-format.md#corrected); `ale-rs games show asterix` names them.

The table and the figures are written by `python scripts/corrections_doc.py`.

## Scores that start again at 0

A game shows so many digits; the points after the last 9 are made all the same, but the reference takes the fall of
the score for a loss. At the wrap of Asterix it pays {asterix:,} for {asterix_points} points.

The experiment, `python tests/golden/record_corrections.py [game ...]` (needs `ale-py`): play at random until points
are made, go back ten frames, write a score just below the limit into memory and play the same actions again. The
score wraps if the game goes on and its score is then what it would be, minus the limit. What the corrected rule pays is
what the undisturbed play paid.

Three games do not start again but put marks (`!!!!!!`) where the score was, and count no more. The reference reads
the marks as digits; the corrected rule keeps the last score, so the reward is 0.

`tests/golden/corrections.json` keeps seed, frame and bytes written, and
`tests/parity/test_corrections.py` repeats every one of them: on the reference, on ours (equal to the reference), on
ours with the option (the points of the undisturbed play).

| game | id | limit | experiment: seed, frame, cells written | right reward | reward of the reference |
|---|---|---|---|---|---|
"""  # noqa: E501  # lines of the width of the documents

MIDDLE = """
A score counts as wrapped when it falls from the last tenth below the limit to the first tenth above 0 within one
frame; any other fall is paid as before (games restart, some take points away).

Asteroids, Galaxian and Space Invaders wrap too, and the reference knows it. Assault and Beam Rider stay at 999,999;
Chopper Command, Dark Chambers and Seaquest end at the limit. In the other games that are not listed no wrap could be
shown: they end before it (Boxing, Kaboom!, Pong and others), or random play makes no points in them.

## Lives and ends

`truncate_on_loss_of_life` compares the lives with those that the reference believes a game begins with, and agents
that treat a lost life as an end watch the number. The lives a game begins with were read after a reset in every mode and
difficulty, and followed until the first was lost; `tests/parity/test_corrections.py` repeats that, beside the
reference.

| game | id | what is put right |
|---|---|---|
"""  # noqa: E501  # lines of the width of the documents

TAIL = """
## Looked at and left alone

- The digits of the scores were compared with those on the screen, by writing 123456 into memory (or as many digits as
  there are) and looking at the picture. Wherever a score is shown during play the reference reads the same digits in the
  same places, in Battle Zone, Defender and Video Pinball too: there only the wrap is wrong. Atlantis counts its
  millions in a byte that the screen shows in the last place, and the reference reads that too: from 999,900 it goes on
  to 1,000,000.
- Casino repeats a reward while no input is taken, and Word Zapper while its clock stands. In 360,000 and 120,000 frames
  of random play neither happened, so no right rule could be shown.
- Casino, Atlantis and Q*bert do not pay what changes on the frame a game is over.
"""  # noqa: E501  # lines of the width of the documents


def text() -> str:
    """The whole document."""
    asterix = PROOFS["asterix"]
    parts = [
        HEAD.replace("{asterix:,}", f"{asterix['reference']:,}").replace(
            "{asterix_points}", str(asterix["reward"])
        )
    ]
    for game in games.list_games():
        proof = PROOFS.get(game.name)
        if proof is not None:
            cells = ", ".join(f"`{int(cell):02X}`={value:02X}" for cell, value in proof["writes"].items())
            limit = f"{proof['wraps_at']:,}" if "wraps_at" in proof else f"{proof['stops_at']:,}, marks"
            experiment = f"{proof['seed']}, {proof['frame']}, {cells}"
            parts.append(
                f"| {game.title} | `{game.name}` | {limit} | {experiment} "
                f"| {proof['reward']:,} | {proof['reference']:,} |\n"
            )
    parts.append(MIDDLE)
    for game in games.list_games():
        rules = game.source.partition("[corrected]")[2]
        if game.corrected is not None and re.search(r"^(lives|terminal)", rules, re.MULTILINE):
            notes = [note for note in game.corrected.notes if not note.startswith("The score starts again")]
            parts.append(f"| {game.title} | `{game.name}` | {' '.join(notes)} |\n")
    parts.append(TAIL)
    return "".join(parts)


def main() -> int:
    """Write or check; 1 means out of date."""
    if "--check" in sys.argv[1:]:
        same = DOC.is_file() and DOC.read_text(encoding="utf-8") == text()
        print(
            f"{DOC.name} is {'up to date' if same else 'out of date: run python scripts/corrections_doc.py'}"
        )
        return 0 if same else 1
    DOC.write_text(text(), encoding="utf-8")
    print(f"wrote {DOC.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
