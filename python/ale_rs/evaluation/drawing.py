"""A picture as a list of shapes: written as SVG by itself, or as PNG by matplotlib (extra `plot`)."""

import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["SERIES", "STYLE", "Picture", "ticks"]

Point = tuple[float, float]

LIGHT = {
    "ink": "#1c1f24", "muted": "#667080", "grid": "#dfe3e8", "paper": "#ffffff",
    "s0": "#2563c9", "s1": "#d1622b", "s2": "#2e8b57", "s3": "#8f4fc2", "s4": "#b8860b", "s5": "#c2386b",
    "s6": "#0e8a93", "s7": "#6b6f76",
}  # fmt: skip
DARK = {
    "ink": "#e8eaee", "muted": "#9aa3b0", "grid": "#343a43", "paper": "#15181d",
    "s0": "#74a7ff", "s1": "#ff9d66", "s2": "#6fd39b", "s3": "#c99bf5", "s4": "#e6c05c", "s5": "#ff86ad",
    "s6": "#5fd0d8", "s7": "#b3b8c0",
}  # fmt: skip
SERIES = tuple(name for name in LIGHT if name[0] == "s")
"""Names of the colours of series, in order."""


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


STYLE = (
    f":root{{{_variables(LIGHT)}}}@media(prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    f"@media print{{:root{{{_variables(LIGHT)}}}}}"
    "svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .small{font-size:10px;fill:var(--muted)}"
    "svg .title{font-size:13px;font-weight:600}"
)
"""The style sheet of pictures, for light and dark screens and for paper."""


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from `low` to `high`.

    >>> ticks(0, 1), ticks(0, 200_000_000, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 50000000.0, 100000000.0, 150000000.0, 200000000.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next((factor * unit for factor in (1, 2, 5, 10) if factor * unit >= raw * 0.999), 10 * unit)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) for index in range(first, last + 1)]


@dataclass
class Picture:
    """Shapes on a canvas; colours are names of the style sheet.

    Attributes:
        width: in pixels.
        height: in pixels.
        title: what it shows, for readers that cannot see it.
        shapes: (kind, attributes) in the order of drawing.
    """

    width: float
    height: float
    title: str = ""
    shapes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def line(self, points: Sequence[Point], colour: str, width: float = 1.5, dash: bool = False) -> None:
        """A line through points."""
        self.shapes.append(("line", {"points": list(points), "colour": colour, "width": width, "dash": dash}))

    def area(self, points: Sequence[Point], colour: str, opacity: float = 0.2) -> None:
        """A filled polygon."""
        self.shapes.append(("area", {"points": list(points), "colour": colour, "opacity": opacity}))

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: str,
        opacity: float = 1.0,
        tip: str = "",
    ) -> None:
        """A filled rectangle; `tip` shows when it is pointed at."""
        shape = {"x": x, "y": y, "w": width, "h": height, "colour": colour, "opacity": opacity, "tip": tip}
        self.shapes.append(("rect", shape))

    def dot(self, x: float, y: float, colour: str, radius: float = 3.5, tip: str = "") -> None:
        """A filled circle."""
        self.shapes.append(("dot", {"x": x, "y": y, "colour": colour, "radius": radius, "tip": tip}))

    def text(
        self, x: float, y: float, text: str, anchor: str = "start", role: str = "", turn: float = 0
    ) -> None:
        """A text; `role` is `""`, `"small"` or `"title"`, `turn` degrees clockwise."""
        shape = {"x": x, "y": y, "text": text, "anchor": anchor, "role": role, "turn": turn}
        self.shapes.append(("text", shape))

    def add(self, other: "Picture", x: float, y: float = 0) -> None:
        """Draw all of another picture with its corner at a place."""
        for kind, shape in other.shapes:
            moved = dict(shape)
            if "points" in shape:
                moved["points"] = [(a + x, b + y) for a, b in shape["points"]]
            else:
                moved |= {"x": shape["x"] + x, "y": shape["y"] + y}
            self.shapes.append((kind, moved))

    def svg(self, standalone: bool = False) -> str:
        """The picture as SVG; a standalone one has the style sheet and a background."""
        inside = "".join(_svg(kind, shape) for kind, shape in self.shapes)
        size = f'viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
        head = f"<title>{html.escape(self.title)}</title>" if self.title else ""
        if not standalone:
            return f'<svg {size} width="{_n(self.width)}" role="img">{head}{inside}</svg>'
        paper = '<rect width="100%" height="100%" style="fill:var(--paper)"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{_n(self.width)}" '
            f'height="{_n(self.height)}">{head}<style>{STYLE}</style>{paper}{inside}</svg>\n'
        )

    def save(self, path: str | Path) -> None:
        """Write the picture: `.svg`, or `.png` where matplotlib is installed."""
        target = Path(path)
        if target.suffix == ".svg":
            target.write_text(self.svg(standalone=True), encoding="utf-8")
        elif target.suffix == ".png":
            target.write_bytes(self.png())
        else:
            raise ValueError(f"{target}: pictures are written as .svg or .png")

    def png(self, scale: float = 2.0) -> bytes:
        """The picture as PNG, on white paper."""
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise ValueError("PNG needs matplotlib; install with: pip install 'ale-rs[plot]'") from None
        figure = Figure(figsize=(self.width / 72, self.height / 72), dpi=72 * scale, facecolor=LIGHT["paper"])
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.axis("off")
        for order, (kind, shape) in enumerate(self.shapes):
            _paint(axes, kind, shape, order)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()


def _n(value: float) -> str:
    """A number with at most two digits after the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _path(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _svg(kind: str, shape: dict[str, Any]) -> str:
    tip = f"<title>{html.escape(shape['tip'])}</title>" if shape.get("tip") else ""
    if kind == "line":
        dash = ' stroke-dasharray="4 3"' if shape["dash"] else ""
        style = f"fill:none;stroke:var(--{shape['colour']});stroke-width:{_n(shape['width'])}"
        return f'<polyline points="{_path(shape["points"])}" style="{style}"{dash}/>'
    if kind == "area":
        style = f"fill:var(--{shape['colour']});opacity:{_n(shape['opacity'])}"
        return f'<polygon points="{_path(shape["points"])}" style="{style}"/>'
    if kind == "rect":
        place = (
            f'x="{_n(shape["x"])}" y="{_n(shape["y"])}" width="{_n(shape["w"])}" height="{_n(shape["h"])}"'
        )
        style = f"fill:var(--{shape['colour']});opacity:{_n(shape['opacity'])}"
        return f'<rect {place} style="{style}">{tip}</rect>'
    if kind == "dot":
        place = f'cx="{_n(shape["x"])}" cy="{_n(shape["y"])}" r="{_n(shape["radius"])}"'
        return f'<circle {place} style="fill:var(--{shape["colour"]})">{tip}</circle>'
    x, y = _n(shape["x"]), _n(shape["y"])
    role = f' class="{shape["role"]}"' if shape["role"] else ""
    turn = f' transform="rotate({_n(shape["turn"])} {x} {y})"' if shape["turn"] else ""
    anchor = f' text-anchor="{shape["anchor"]}"' if shape["anchor"] != "start" else ""
    return f'<text x="{x}" y="{y}"{anchor}{role}{turn}>{html.escape(shape["text"])}</text>'


def _paint(axes: Any, kind: str, shape: dict[str, Any], order: int) -> None:
    """Draw a shape with matplotlib."""
    from matplotlib import patches

    if kind == "text":
        size, weight = {"small": (10, "normal"), "title": (13, "bold"), "": (12, "normal")}[shape["role"]]
        colour = LIGHT["muted" if shape["role"] == "small" else "ink"]
        align = {"start": "left", "middle": "center", "end": "right"}[shape["anchor"]]
        axes.text(
            shape["x"], shape["y"], shape["text"].replace("$", r"\$"), fontsize=size, weight=weight, ha=align,
            va="baseline", color=colour, rotation=-shape["turn"], rotation_mode="anchor", zorder=order,
        )  # fmt: skip
        return
    colour = LIGHT[shape["colour"]]
    if kind == "line":
        xs, ys = zip(*shape["points"], strict=True)
        dash = "--" if shape["dash"] else "-"
        axes.plot(xs, ys, color=colour, linewidth=shape["width"], linestyle=dash, zorder=order)
    elif kind == "area":
        patch = patches.Polygon(shape["points"], color=colour, alpha=shape["opacity"], lw=0, zorder=order)
        axes.add_patch(patch)
    elif kind == "rect":
        place = (shape["x"], shape["y"])
        opacity = shape["opacity"]
        patch_ = patches.Rectangle(
            place, shape["w"], shape["h"], color=colour, alpha=opacity, lw=0, zorder=order
        )
        axes.add_patch(patch_)
    else:
        place = (shape["x"], shape["y"])
        axes.add_patch(patches.Circle(place, shape["radius"], color=colour, lw=0, zorder=order))
