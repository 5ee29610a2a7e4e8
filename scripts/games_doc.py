"""Write `docs/games.md`, the table of all games, from the fact sheets.

python scripts/games_doc.py           write the file
python scripts/games_doc.py --check   only tell whether it is up to date
"""

import sys
from pathlib import Path

from ale_rs import games, roms

DOC = Path(__file__).parents[1] / "docs" / "games.md"

# Table 10 of Machado et al. (2018), "Revisiting the Arcade Learning Environment": modes, difficulties.
PAPER = {
    "alien": (4, 4),
    "amidar": (1, 2),
    "assault": (1, 1),
    "asterix": (1, 1),
    "asteroids": (33, 2),
    "atlantis": (4, 1),
    "bank_heist": (8, 4),
    "battle_zone": (3, 1),
    "beam_rider": (1, 2),
    "berzerk": (12, 1),
    "bowling": (3, 2),
    "boxing": (1, 4),
    "breakout": (12, 2),
    "carnival": (1, 1),
    "centipede": (2, 1),
    "chopper_command": (2, 2),
    "crazy_climber": (4, 2),
    "defender": (10, 2),
    "demon_attack": (4, 2),
    "double_dunk": (16, 1),
    "elevator_action": (1, 1),
    "enduro": (1, 1),
    "fishing_derby": (1, 4),
    "freeway": (8, 2),
    "frostbite": (2, 1),
    "gopher": (2, 2),
    "gravitar": (5, 1),
    "hero": (5, 1),
    "ice_hockey": (2, 4),
    "jamesbond": (2, 1),
    "journey_escape": (1, 2),
    "kangaroo": (2, 1),
    "krull": (4, 1),
    "kung_fu_master": (1, 1),
    "montezuma_revenge": (1, 1),
    "ms_pacman": (4, 1),
    "name_this_game": (3, 2),
    "phoenix": (1, 1),
    "pitfall": (1, 1),
    "pong": (2, 2),
    "pooyan": (4, 1),
    "private_eye": (5, 4),
    "qbert": (1, 2),
    "riverraid": (1, 2),
    "road_runner": (1, 1),
    "robotank": (1, 1),
    "seaquest": (1, 2),
    "skiing": (10, 1),
    "solaris": (1, 1),
    "space_invaders": (16, 2),
    "star_gunner": (4, 1),
    "tennis": (2, 4),
    "time_pilot": (1, 3),
    "tutankham": (4, 1),
    "up_n_down": (1, 4),
    "venture": (1, 4),
    "video_pinball": (2, 2),
    "wizard_of_wor": (1, 2),
    "yars_revenge": (4, 2),
    "zaxxon": (4, 1),
}

HEAD = """\
# Games

Made from the fact sheets by `python scripts/games_doc.py`; do not edit by hand. What a sheet can say is in
[games-format.md](games-format.md). A fresh environment plays the first mode listed and difficulty 0, also
where 0 is not listed. `actions` is the minimal action set; "all 18" is every action of the joystick. Games
with paddles turn them with LEFT and RIGHT.
"""


def spans(numbers: tuple[int, ...]) -> str:
    """Numbers with runs of equal step written short: `0-3`, `0, 4, … 44`."""
    if len(numbers) < 5:
        return ", ".join(map(str, numbers))
    step = numbers[1] - numbers[0]
    length = next((i for i in range(1, len(numbers)) if numbers[i] - numbers[i - 1] != step), len(numbers))
    if length < 5:
        return ", ".join(map(str, numbers[:6])) + (f", … {numbers[-1]}" if len(numbers) > 6 else "")
    first, last = numbers[0], numbers[length - 1]
    run = f"{first}-{last}" if step == 1 else f"{first}, {numbers[1]}, … {last}"
    return run if length == len(numbers) else f"{run}, {spans(numbers[length:])}"


def row(game: games.Game, rom: str) -> str:
    """A line of the table."""
    count = len(game.minimal_actions)
    actions = "all 18" if count == 18 else f"{count}: " + " ".join(a.name for a in game.minimal_actions)
    if len(game.legal_actions) < 18:
        actions += f" (legal: {len(game.legal_actions)})"
    modes = f"{len(game.modes)}: {spans(game.modes)}"
    difficulties = f"{len(game.difficulties)}: {spans(game.difficulties)}"
    controller = "paddles" if game.uses_paddles else "joystick"
    cells = game.title, f"`{game.name}`", modes, difficulties, actions, controller, rom
    return "| " + " | ".join(cells) + " |"


def differences(known: dict[str, games.Game]) -> list[str]:
    """Where the paper's table says something else."""
    lines = []
    for name, (modes, difficulties) in PAPER.items():
        game = known[name]
        ours = len(game.modes), len(game.difficulties)
        if ours != (modes, difficulties):
            lines.append(f"| {game.title} | {modes}, {difficulties} | {ours[0]}, {ours[1]} |")
    return lines


def document() -> str:
    """The whole text."""
    own = roms.embedded_ids()
    shown = games.list_games()
    columns = (
        "| game | id | modes | difficulties | actions | controller | MD5 of the ROM |\n" + "|---" * 7 + "|"
    )
    known = {game.name: game for game in shown}
    reference = [game for game in shown if game.name not in own]
    extra = [game for game in reference if game.name not in PAPER]
    changed = differences(known)
    return "\n".join(
        [
            HEAD,
            f"## The {len(reference)} games of `ale_py`\n",
            columns,
            *(row(game, f"`{game.md5}`") for game in reference),
            "\n## Games of our own\n",
            "They are part of the library and need no ROM file; see [roms/](../roms/README.md).\n",
            columns,
            *(row(game, "in the library") for game in shown if game.name in own),
            "\n## Table 10 of Machado et al. (2018)\n",
            f"The paper counts modes and difficulties of {len(PAPER)} games. `ale_py` 0.12.1, and so this",
            f"library, has {len(extra)} games more and differs in {len(changed)} of the paper's:\n",
            "| game | paper: modes, difficulties | here: modes, difficulties |\n|---|---|---|",
            *changed,
            "",
        ]
    )


if __name__ == "__main__":
    text = document()
    if "--check" in sys.argv[1:]:
        current = DOC.exists() and DOC.read_text(encoding="utf-8") == text
        print("docs/games.md is up to date" if current else "docs/games.md is old: run scripts/games_doc.py")
        sys.exit(not current)
    DOC.write_text(text, encoding="utf-8")
