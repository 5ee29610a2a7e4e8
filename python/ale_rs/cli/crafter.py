"""`ale-rs crafter`: play, draw maps, draw the textures."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ale_rs import _native, _png
from ale_rs.crafter import ACTIONS, CrafterEnv, Recorder, textures
from ale_rs.window import require_pygame

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

KEYS = {
    "a": "move_left",
    "d": "move_right",
    "w": "move_up",
    "s": "move_down",
    "space": "do",
    "tab": "sleep",
    "r": "place_stone",
    "t": "place_table",
    "f": "place_furnace",
    "p": "place_plant",
    "1": "make_wood_pickaxe",
    "2": "make_stone_pickaxe",
    "3": "make_iron_pickaxe",
    "4": "make_wood_sword",
    "5": "make_stone_sword",
    "6": "make_iron_sword",
}
"""What a key does; held down it repeats, and escape quits."""


def add_cli(commands: "Commands") -> None:
    """Add `crafter` to the command line."""
    top = commands.add_parser("crafter", help="the survival world Crafter: play it, draw its maps")
    parts = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    keys = ", ".join(f"{key} {action}" for key, action in KEYS.items())
    play = parts.add_parser(
        "play", help="play in a window", description=f"Keys: {keys}; escape quits.", epilog="Needs pygame."
    )
    play.add_argument("--seed", type=int, help="base seed (default: by chance)")
    play.add_argument(
        "--area", type=int, nargs=2, default=(64, 64), metavar=("X", "Y"), help="size of the world"
    )
    play.add_argument("--view", type=int, nargs=2, default=(9, 9), metavar=("X", "Y"), help="cells shown")
    play.add_argument("--window", type=int, nargs=2, default=(600, 600), metavar=("W", "H"), help="pixels")
    play.add_argument("--length", type=int, default=0, help="time limit (default: none)")
    play.add_argument("--fps", type=int, default=5, help="steps per second (default: %(default)s)")
    play.add_argument("--wait", action="store_true", help="time stands still while no key is pressed")
    play.add_argument(
        "--death", choices=("continue", "reset", "quit"), default="reset", help="what follows death"
    )
    play.add_argument("--record", type=Path, help="directory for a recording")
    play.add_argument("--steps", type=int, default=0, help="quit after so many steps (default: never)")
    _add_textures(play)
    play.set_defaults(run=run_play)
    terrain = parts.add_parser("terrain", help="draw the map of a world as PNG")
    terrain.add_argument("--seed", type=int, default=0, help="base seed (default: %(default)s)")
    terrain.add_argument("--episode", type=int, default=1, help="episode (default: %(default)s)")
    terrain.add_argument(
        "--area", type=int, nargs=2, default=(64, 64), metavar=("X", "Y"), help="size of the world"
    )
    terrain.add_argument("--cell", type=int, default=8, help="pixels of a cell (default: %(default)s)")
    terrain.add_argument("--out", type=Path, default=Path("crafter-terrain.png"), help="default: %(default)s")
    _add_textures(terrain)
    terrain.set_defaults(run=run_terrain)
    sheet = parts.add_parser("textures", help="draw all textures as PNG")
    sheet.add_argument("--scale", type=int, default=4, help="times the size (default: %(default)s)")
    sheet.add_argument("--out", type=Path, default=Path("crafter-textures.png"), help="default: %(default)s")
    _add_textures(sheet)
    sheet.set_defaults(run=run_textures)


def _add_textures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--textures", default="own", help='"own", "crafter" or a directory (default: %(default)s)'
    )


def run_terrain(given: argparse.Namespace) -> int:
    """Draw a map."""
    picture = terrain(given.seed, given.episode, tuple(given.area), given.cell, given.textures)
    _png.save(given.out, picture)
    print(f"{given.out}: world of seed {given.seed}, episode {given.episode}")
    return 0


def terrain(
    seed: int, episode: int, area: tuple[int, int], cell: int, source: textures.TextureSource
) -> NDArray[np.uint8]:
    """The map of a world, all of it."""
    if episode < 1:
        raise ValueError(f"episode {episode}; accepted: 1 and above")
    if cell < 2:
        raise ValueError(f"cells of {cell} pixels; accepted: 2 and above")
    env = CrafterEnv(seed, area=area, observation="semantic")
    for _ in range(episode):
        _, info = env.reset()
    tiles = _tiles(textures.load(source), cell)
    picture = tiles[info["semantic"].T]
    whole: NDArray[np.uint8] = picture.swapaxes(1, 2).reshape(area[1] * cell, area[0] * cell, 3)
    return whole


# The picture of each semantic id; creatures stand on grass.
_IDS = (
    "unknown", "water", "grass", "stone", "path", "sand", "tree", "lava", "coal", "iron", "diamond", "table",
    "furnace", "player-down", "cow", "zombie", "skeleton", "arrow-up", "plant",
)  # fmt: skip


def _tiles(pictures: _native.CrafterTextures, cell: int) -> NDArray[np.uint8]:
    named = dict(zip(textures.NAMES, pictures.images(), strict=True))
    tiles = np.zeros((len(_IDS), cell, cell, 3), np.uint8)
    for number, name in enumerate(_IDS):
        ground = _scaled(named["path" if name == "skeleton" else "grass"], cell)[..., :3]
        image = _scaled(named[name], cell)
        alpha = image[..., 3:] / 255
        tiles[number] = image[..., :3] * alpha + ground * (1 - alpha)
    return tiles


def _scaled(image: tuple[int, int, bytes], cell: int) -> NDArray[np.uint8]:
    width, height, data = image
    picture = np.frombuffer(data, np.uint8).reshape(height, width, 4)
    rows = (np.arange(cell) + 0.5) * height / cell
    columns = (np.arange(cell) + 0.5) * width / cell
    scaled: NDArray[np.uint8] = picture[rows.astype(int)][:, columns.astype(int)]
    return scaled


def run_textures(given: argparse.Namespace) -> int:
    """Draw the contact sheet."""
    if given.scale < 1:
        raise ValueError(f"scale {given.scale}; accepted: 1 and above")
    _png.save(given.out, sheet(given.textures, given.scale))
    print(f"{given.out}: {len(textures.NAMES)} textures of {given.textures!r}")
    return 0


def sheet(source: textures.TextureSource, scale: int) -> NDArray[np.uint8]:
    """All textures, large ones above and as small as in an observation below."""
    pictures = []
    for width, height, data in textures.load(source).images():
        picture = np.frombuffer(data, np.uint8).reshape(height, width, 4)
        alpha = picture[..., 3:] / 255
        opaque = (picture[..., :3] * alpha + np.array([96, 128, 88]) * (1 - alpha)).astype(np.uint8)
        pictures.append(opaque.repeat(scale, 0).repeat(scale, 1))
    return _png.tile(pictures, 12)


def run_play(given: argparse.Namespace) -> int:
    """Play in a window."""
    pygame = require_pygame()
    env = CrafterEnv(
        given.seed,
        area=given.area,
        view=given.view,
        size=given.window,
        length=given.length,
        textures=given.textures,
    )
    game = Recorder(env, given.record, save_video=given.record is not None)
    pygame.init()
    try:
        surface = pygame.display.set_mode(tuple(given.window))
        pygame.display.set_caption("Crafter")
        play(pygame, surface, game, given)
    finally:
        game.close()
        pygame.quit()
    return 0


def play(pygame: Any, surface: Any, game: Any, given: argparse.Namespace) -> None:
    """The loop of a game in a window."""
    clock = pygame.time.Clock()
    codes = {pygame.key.key_code(key): ACTIONS.index(action) for key, action in KEYS.items()}
    picture, _ = game.reset()
    total, steps = 0.0, 0
    while True:
        surface.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        clock.tick(max(given.fps, 1))
        action = None
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                return
            if event.type == pygame.KEYDOWN and event.key in codes:
                action = codes[event.key]
        if action is None:
            held = pygame.key.get_pressed()
            action = next((number for code, number in codes.items() if held[code]), None)
        if action is None and given.wait:
            continue
        picture, reward, dead, over, info = game.step(action or 0)
        total, steps = total + reward, steps + 1
        for name in info["unlocked"]:
            unlocked = sum(count > 0 for count in info["achievements"].values())
            print(f"step {steps}: {name} ({unlocked} of {len(info['achievements'])})")
        if (dead or over) and given.death != "continue":
            print(f"end after {steps} steps, return {total:.1f}")
            if given.death == "quit":
                return
            picture, _ = game.reset()
            total, steps = 0.0, 0
        if given.steps and steps >= given.steps:
            return
