"""`ale-rs games`: fact sheets of the games, and what a sheet reads from a running game."""

import argparse
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ale_rs import _images, _native, games, roms

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FRAMES = 10_000
"""How long a sheet is watched unless another number is given."""
HELD = 12
"""The most frames an action of the random play is held."""
SHOWN = 12
"""How many events of one kind are listed."""


def add_cli(commands: "Commands") -> None:
    """Add `games` to the command line."""
    top = commands.add_parser(
        "games", help="facts of the games, and a check of your own", description="Facts of the games."
    )
    verbs = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    listing = verbs.add_parser("list", help="a table of all games", description="Print a table of all games.")
    listing.set_defaults(run=run_list)

    show = verbs.add_parser("show", help="the facts of a game", description="Print the facts of a game.")
    show.add_argument("game", metavar="GAME", help='the id of a game ("pong") or the path of a ROM')
    show.add_argument("--sheet", action="store_true", help="print the text of the sheet instead")
    show.set_defaults(run=run_show)

    check = verbs.add_parser(
        "check",
        help="play with a sheet of your own and tell what it sees",
        description="Read a fact sheet, play its game at random and tell what the sheet makes of it: score, "
        "rewards, lives, ends, every helper, and whether each mode can be reached.",
    )
    check.add_argument("sheet", metavar="SHEET", help="the file of the sheet, my_game.toml")
    check.add_argument("--rom", metavar="FILE", help="the ROM; without it only the sheet is read")
    check.add_argument("--frames", type=int, default=FRAMES, help=f"frames to play (default {FRAMES})")
    check.add_argument("--seed", type=int, default=0, help="seed of the random play (default 0)")
    check.add_argument("--mode", type=int, help="the mode to play (default: the sheet's)")
    check.add_argument("--difficulty", type=int, default=0, help="the difficulty to play (default 0)")
    check.add_argument("--corrected", action="store_true", help="use the [corrected] rules")
    check.set_defaults(run=run_check)


def run_list(_: argparse.Namespace) -> int:
    """Print the table of games."""
    for game in games.list_games():
        paddles = "paddles" if game.uses_paddles else "joystick"
        modes = "mode " if len(game.modes) == 1 else "modes"
        print(f"{game.name:20} {game.title:26} {paddles:9} {len(game.modes):3} {modes}  {game.md5}")
    return 0


def run_show(given: argparse.Namespace) -> int:
    """Print the facts of a game."""
    known = games.get(given.game) if given.game in games.names() else games.by_rom(roms.load(given.game).data)
    if known is None:
        raise ValueError(f"no game is known for the ROM {given.game}")
    print(known.source if given.sheet else facts(known))
    return 0


def facts(game: games.Game) -> str:
    """The facts of a game as lines of text."""
    starting = ", ".join(_runs(game.starting_actions)) or "none"
    rows = {
        "game": f"{game.name} ({game.title})",
        "MD5 of the ROM": game.md5,
        "controllers": f"{game.controllers[0]} left, {game.controllers[1]} right",
        "minimal actions": " ".join(action.name for action in game.minimal_actions),
        "legal actions": "all" if len(game.legal_actions) == 18 else f"{len(game.legal_actions)} of 18",
        "starting actions": starting,
        "modes": f"{_listed(game.modes)}; default {game.default_mode}",
        "difficulties": _listed(game.difficulties),
        "lives at first": "those after a reset" if game.lives_initial is None else str(game.lives_initial),
    }
    if game.settings_overrides:
        rows["forced settings"] = ", ".join(f"{k} = {v}" for k, v in game.settings_overrides.items())
    if game.corrected is not None:
        rows["corrected"] = " ".join(game.corrected.notes) or "yes"
    lines = [f"{key:17} {value}" for key, value in rows.items()]
    return "\n".join(lines + [f"- {note}" for note in game.notes])


@dataclass
class Seen:
    """What a play showed of a quantity."""

    least: int
    greatest: int
    last: int
    changes: int = 0

    def take(self, value: int) -> None:
        """Take in one more frame."""
        self.changes += value != self.last
        self.least, self.greatest, self.last = min(self.least, value), max(self.greatest, value), value


@dataclass
class Play:
    """What happened in a play."""

    frames: int = 0
    resets: int = 0
    starts: list[str] = field(default_factory=list)
    rewards: Counter[int] = field(default_factory=Counter)
    ends: list[int] = field(default_factory=list)
    lives: list[str] = field(default_factory=list)
    dead_on_arrival: bool = False
    seen: dict[str, Seen] = field(default_factory=dict)


def run_check(given: argparse.Namespace) -> int:
    """Play with a sheet and tell what it sees; 1 if something must be wrong."""
    path = Path(given.sheet).expanduser()
    sheet = _native.read_sheet(path.name, path.read_text(encoding="utf-8"), False)
    game = games.read(path)
    if given.corrected:
        if sheet.corrected is None or game.corrected is None:
            raise ValueError(f"{path.name}: has no [corrected] rules")
        sheet, game = sheet.corrected, game.corrected
    print(f"{path.name}: the sheet is well formed\n{facts(game)}\n")
    warnings = [f"vars.{name}: nothing uses this helper" for name in sheet.unused()]
    if given.rom is not None:
        warnings += _check_with_rom(given, sheet, game)
    else:
        print("No ROM was given, so nothing was played; give one with --rom FILE.")
    for warning in warnings:
        print(f"! {warning}")
    return int(bool(warnings))


def _check_with_rom(given: argparse.Namespace, sheet: _native.GameFacts, game: games.Game) -> list[str]:
    rom = Path(given.rom).expanduser()
    data = _images.read_image(rom)
    md5 = _images.md5(data)
    warnings = []
    print(f"{rom.name}: {len(data)} bytes, MD5 {md5}")
    if md5 != game.md5:
        warnings.append(f"md5: the ROM has {md5}; a ROM is known by its checksum, so this one will not be")
    probe = _native.GameProbe(sheet, data, given.seed & 0xFFFFFFFF)
    mode = game.default_mode if given.mode is None else given.mode
    play = _play(probe, game, mode, given)
    print(_told(play, mode, given))
    warnings += _doubts(play, game)
    print("\nmodes: frame number after a reset, lives, score")
    for number in game.modes:
        try:
            probe.reset(number, given.difficulty)
        except ValueError as error:
            warnings.append(f"set_mode: {error}")
        else:
            state = "over" if probe.terminal() else "running"
            print(
                f"  {number:5}: {probe.episode_frame_number():5} {probe.lives():5} {probe.score():7}  {state}"
            )
    print()
    return warnings


def _play(probe: _native.GameProbe, game: games.Game, mode: int, given: argparse.Namespace) -> Play:
    chance = random.Random(given.seed)
    play = Play()
    over, action, held = True, 0, 0
    while play.frames < given.frames:
        if over:
            probe.reset(mode, given.difficulty)
            play.resets += 1
            play.starts.append(f"lives {probe.lives()}, score {probe.score()}")
            if probe.terminal():
                play.dead_on_arrival = True
                break
        if held == 0:
            action, held = chance.choice(game.minimal_actions).value, chance.randint(1, HELD)
        held -= 1
        lives = probe.lives()
        reward = probe.act(action)
        play.frames += 1
        if reward:
            play.rewards[reward] += 1
        if probe.lives() != lives:
            play.lives.append(f"{lives} to {probe.lives()} (frame {play.frames})")
        for name, value in probe.values().items():
            play.seen.setdefault(name, Seen(value, value, value)).take(value)
        over = probe.terminal()
        if over:
            play.ends.append(play.frames)
    return play


def _told(play: Play, mode: int, given: argparse.Namespace) -> str:
    starts = ", then ".join(dict.fromkeys(play.starts))
    rewards = ", ".join(f"{reward} ({count}x)" for reward, count in play.rewards.most_common(SHOWN))
    total = sum(reward * count for reward, count in play.rewards.items())
    lines = [
        f"played {play.frames} frames at random: "
        f"mode {mode}, difficulty {given.difficulty}, seed {given.seed}",
        f"  at the start  {starts}",
        f"  rewards       {rewards or 'none'}; sum {total}",
        f"  lives         {'; '.join(play.lives[:SHOWN]) or 'never changed'}",
        f"  ends          {', '.join(f'frame {frame}' for frame in play.ends[:SHOWN]) or 'none'}",
        "",
        f"  {'quantity':18} {'least':>10} {'greatest':>10} {'last':>10} {'changes':>8}",
    ]
    for name, seen in play.seen.items():
        row = f"{seen.least:10} {seen.greatest:10} {seen.last:10} {seen.changes:8}"
        lines.append(f"  {name:18} {row}")
    return "\n".join(lines)


def _doubts(play: Play, game: games.Game) -> list[str]:
    """What is probably not meant."""
    if play.dead_on_arrival:
        return ["terminal: the game is over right after a reset; no step can be played"]
    doubts = []
    if not play.rewards:
        doubts.append(
            "reward: none was given; is the score in these cells, and does random play score at all?"
        )
    if not play.ends:
        doubts.append("terminal: was never true; play longer with --frames, or look at its quantities above")
    started = int(play.starts[0].split(",")[0].removeprefix("lives "))
    if game.lives_initial is not None and started < game.lives_initial:
        doubts.append(
            f"lives_initial: is {game.lives_initial}, but a game starts with {started} lives: "
            "with truncation on loss of life it would be over at once"
        )
    return doubts


def _runs(items: tuple[str, ...]) -> list[str]:
    runs: list[tuple[str, int]] = []
    for item in items:
        count = runs.pop()[1] if runs and runs[-1][0] == item else 0
        runs.append((item, count + 1))
    return [f"{item} x{count}" for item, count in runs]


def _listed(numbers: tuple[int, ...]) -> str:
    if len(numbers) > SHOWN:
        shown = ", ".join(map(str, numbers[:SHOWN]))
        return f"{shown}, … {numbers[-1]} ({len(numbers)} of them)"
    return ", ".join(map(str, numbers))
