"""Charts of the report and of the figures: lines with bands, intervals, bars, scatter, small curves."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ale_rs.evaluation.drawing import SERIES, Picture, ticks

__all__ = ["Curve", "bars", "colour", "curve_chart", "intervals", "number", "scatter", "spark"]

LEFT, RIGHT, TOP, BOTTOM = 58.0, 16.0, 30.0, 42.0
WIDEST = 1_500.0


@dataclass(frozen=True)
class Curve:
    """A line of a chart.

    Attributes:
        name: its name in the legend; an empty one has no entry.
        xs: where.
        ys: the values; `None` is a gap.
        low: lower end of its band; empty for none.
        high: upper end.
        colour: name of a colour.
        width: of the line.
        dash: whether it is dashed.
    """

    name: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    low: Sequence[float | None] = field(default=())
    high: Sequence[float | None] = field(default=())
    colour: str = "s0"
    width: float = 1.8
    dash: bool = False


def colour(index: int) -> str:
    """The colour of a series."""
    return SERIES[index % len(SERIES)]


def number(value: float) -> str:
    """A number for an axis.

    >>> number(200_000_000), number(0.25), number(-1500), number(0)
    ('200M', '0.25', '-1,500', '0')
    """
    size = abs(value)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            return f"{value / {'G': 1e9, 'M': 1e6, 'k': 1e3}[unit]:g}{unit}"
    return f"{value:,.0f}" if size >= 100 else f"{value:.4g}"


@dataclass
class _Axes:
    """A frame with axes; maps values to places."""

    picture: Picture
    x: tuple[float, float]
    y: tuple[float, float]
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    bottom: float = BOTTOM
    log_y: bool = False

    def px(self, value: float) -> float:
        low, high = self.x
        return self.left + (value - low) / ((high - low) or 1) * (self.picture.width - self.left - self.right)

    def py(self, value: float) -> float:
        low, high = map(self.scale, self.y)
        inner = self.picture.height - self.top - self.bottom
        return self.top + (high - self.scale(value)) / ((high - low) or 1) * inner

    def scale(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.log_y else value

    def draw(self, x_label: str, y_label: str, marks: Sequence[float] | None = None) -> None:
        """Grid, ticks and labels."""
        picture = self.picture
        floor, end = picture.height - self.bottom, picture.width - self.right
        y_marks = ticks(*self.y) if not self.log_y else _decades(*self.y)
        for value in y_marks:
            place = self.py(value)
            picture.line([(self.left, place), (end, place)], "grid", 1)
            picture.text(self.left - 6, place + 3.5, number(value), "end", "small")
        for value in ticks(*self.x) if marks is None else marks:
            picture.text(self.px(value), floor + 15, number(value), "middle", "small")
        picture.line([(self.left, floor), (end, floor)], "muted", 1)
        if x_label:
            picture.text((self.left + end) / 2, picture.height - 8, x_label, "middle")
        middle = (self.top + floor) / 2
        if y_label:
            picture.text(14, middle, y_label, "middle", "", -90)


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten, and twice and five times these where there are few."""
    low, high = max(low, 1e-12), max(high, 1e-12) * 1.001
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 2, 5)):
        marks = [step * 10.0**e for e in exponents for step in steps if low <= step * 10.0**e <= high]
        if len(marks) > 2:
            break
    return marks


def curve_chart(
    curves: Sequence[Curve],
    title: str,
    x_label: str,
    y_label: str,
    *,
    width: float = 640,
    height: float = 340,
    y: tuple[float, float] | None = None,
    log_y: bool = False,
) -> Picture:
    """Lines, with bands where they have some."""
    named = [curve for curve in curves if curve.name]
    rows = math.ceil(len(named) / 3) if len(named) > 1 else 0
    picture = Picture(width, height + 18 * rows, title)
    picture.text(LEFT, 18, title, role="title")
    values = [
        v for curve in curves for line in (curve.ys, curve.low, curve.high) for v in line if v is not None
    ]
    xs = [value for curve in curves for value in curve.xs]
    if not values or not xs:
        picture.text(LEFT, 60, "no data")
        return picture
    axes = _Axes(picture, (min(xs), max(xs)), y or _room(values), log_y=log_y, bottom=BOTTOM + 18 * rows)
    axes.draw("", y_label)
    picture.text((LEFT + width - RIGHT) / 2, height - 8, x_label, "middle")
    for curve in curves:
        _draw_curve(axes, curve)
    for index, curve in enumerate(named if rows else []):
        x0 = LEFT + (index % 3) * (width - LEFT - RIGHT) / 3
        y0 = height + 18 * (index // 3) + 8
        picture.line([(x0, y0 - 4), (x0 + 18, y0 - 4)], curve.colour, 2.5, curve.dash)
        picture.text(x0 + 24, y0, curve.name)
    return picture


def _draw_curve(axes: _Axes, curve: Curve) -> None:
    low, high = axes.y

    def place(x: float, y: float) -> tuple[float, float]:
        return axes.px(x), axes.py(min(max(y, low), high))

    if curve.low and curve.high:
        ends = zip(curve.xs, curve.low, curve.high, strict=True)
        known = [(x, a, b) for x, a, b in ends if a is not None and b is not None]
        band = [place(x, a) for x, a, _ in known] + [place(x, b) for x, _, b in reversed(known)]
        if band:
            axes.picture.area(band, curve.colour)
    part: list[tuple[float, float]] = []
    for x, y in [*zip(curve.xs, curve.ys, strict=True), (0.0, None)]:
        if y is not None:
            part.append(place(x, y))
            continue
        if len(part) == 1:
            axes.picture.dot(*part[0], curve.colour, 2)
        elif part:
            axes.picture.line(part, curve.colour, curve.width, curve.dash)
        part = []


def _room(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if low == high:
        return low - 1, high + 1
    room = 0.04 * (high - low)
    return (low if low == 0 else low - room), high + room


def intervals(groups: Mapping[str, Mapping[str, tuple[float, float | None, float | None]]]) -> Picture:
    """Point values with their intervals: metric -> agent -> (value, low, high), a panel per metric."""
    agents = list(dict.fromkeys(agent for found in groups.values() for agent in found))
    label, panel, row = 16 + 7.8 * max(map(len, agents), default=5), 190.0, 26.0
    picture = Picture(
        label + panel * len(groups) + RIGHT, 76 + row * len(agents), "aggregates with intervals"
    )
    for line, agent in enumerate(agents):
        picture.text(label - 8, 52 + row * line + row / 2 + 4, agent, "end")
    for column, (metric, found) in enumerate(groups.items()):
        left = label + panel * column
        ends = [value for triple in found.values() for value in triple if value is not None]
        picture.text(left + panel / 2, 20, metric, "middle", "title")
        if not ends:
            continue
        axes = _Axes(picture, _room(ends), (0, 1), left + 14, picture.width - left - panel + 14)
        floor = 52 + row * len(agents)
        for mark in ticks(*axes.x, 3):
            place = axes.px(mark)
            picture.line([(place, 34), (place, floor)], "grid", 1)
            picture.text(place, floor + 14, number(mark), "middle", "small")
        for line, agent in enumerate(agents):
            if agent not in found:
                continue
            value, low, high = found[agent]
            y, hue = 52 + row * line + row / 2, colour(line)
            if low is not None and high is not None:
                picture.rect(axes.px(low), y - 6, max(axes.px(high) - axes.px(low), 1), 12, hue, 0.35)
            tip = f"{agent}: {metric} {value:.4f}"
            tip += f" [{low:.4f}, {high:.4f}]" if low is not None else ", no interval"
            picture.rect(axes.px(value) - 1.25, y - 9, 2.5, 18, hue, 1, tip)
    return picture


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    title: str,
    y_label: str,
    *,
    errors: Mapping[str, Sequence[float | None]] | None = None,
    log_y: bool = False,
    width: float = 0,
) -> Picture:
    """Groups of bars."""
    wide = width or min(max(420.0, LEFT + RIGHT + len(names) * (9 + 11.0 * len(series))), WIDEST)
    deep = 14.0 + 4.4 * max(map(len, names))
    several = len(series) > 1
    picture = Picture(wide, 300 + deep, title)
    picture.text(LEFT, 18, title, role="title")
    values = [v for found in series.values() for v in found if v is not None]
    if not values:
        picture.text(LEFT, 60, "no data")
        return picture
    span = (min(v for v in values if v > 0) * 0.8, max(values) * 1.2) if log_y else _room([0.0, *values])
    axes = _Axes(picture, (0, len(names)), span, bottom=deep + 20, top=48 if several else TOP, log_y=log_y)
    axes.draw("", y_label, [])
    base = axes.py(max(span[0], 0.0) if not log_y else span[0])
    slot = axes.px(1) - axes.px(0)
    each = slot * 0.8 / len(series)
    for position, (name, found) in enumerate(series.items()):
        hue = colour(position)
        for index, value in enumerate(found):
            if value is None or (log_y and value <= 0):
                continue
            x, y = axes.px(index) + slot * 0.1 + each * position, axes.py(value)
            tip = f"{names[index]}, {name}: {value:,.4g}"
            picture.rect(x, min(y, base), each * 0.92, abs(base - y), hue, 1, tip)
            spread = None if errors is None else errors[name][index]
            if spread:
                ends = [(x + each / 2, axes.py(value - spread)), (x + each / 2, axes.py(value + spread))]
                picture.line(ends, "ink", 1)
        if several:
            x0 = LEFT + position * (wide - LEFT - RIGHT) / len(series)
            picture.rect(x0, 27, 10, 10, hue)
            picture.text(x0 + 15, 36, name)
    for index, name in enumerate(names):
        picture.text(axes.px(index + 0.5) + 4, 300 - 8, name, "end", "small", -50)
    return picture


def scatter(
    groups: Mapping[str, Sequence[tuple[str, float, float]]],
    title: str,
    x_label: str,
    y_label: str,
    *,
    named: Collection[str] = (),
) -> Picture:
    """Named points in groups, and the diagonal; points of the groups `named` have their name beside them.

    Both axes grow with the logarithm of 1 + |value| on either side of zero, so that negative numbers have a
    place.
    """
    picture = Picture(760, 520, title)
    picture.text(LEFT, 18, title, role="title")
    points = [(group, *point) for group, found in groups.items() for point in found]
    if not points:
        picture.text(LEFT, 60, "no data")
        return picture
    ends = [_signed_log(value) for _, _, x, y in points for value in (x, y)]
    room = 0.04 * (max(ends) - min(ends)) or 1.0
    span = (min(ends) - room, max(ends) + room)
    axes = _Axes(picture, span, span, left=LEFT + 16, top=50)
    floor, right = picture.height - axes.bottom, picture.width - axes.right
    for exponent in range(-7, 8):
        value = math.copysign(10.0 ** abs(exponent), exponent) if exponent else 0.0
        mark = _signed_log(value)
        if not span[0] <= mark <= span[1]:
            continue
        x, y = axes.px(mark), axes.py(mark)
        picture.line([(axes.left, y), (right, y)], "grid", 1)
        picture.line([(x, axes.top), (x, floor)], "grid", 1)
        picture.text(axes.left - 6, y + 3.5, f"{value:,.0f}", "end", "small")
        picture.text(x, floor + 15, f"{value:,.0f}", "middle", "small")
    picture.line([(axes.px(end), axes.py(end)) for end in span], "muted", 1, dash=True)
    picture.text((axes.left + right) / 2, picture.height - 8, x_label, "middle")
    picture.text(14, (axes.top + floor) / 2, y_label, "middle", "", -90)
    places = {name: (axes.px(_signed_log(x)), axes.py(_signed_log(y))) for _, name, x, y in points}
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in places.values()]
    for index, (group, found) in enumerate(groups.items()):
        hue, left = colour(index), axes.left + 150 * index
        picture.dot(left + 4, 34, hue, 4)
        picture.text(left + 14, 38, f"{group} ({len(found)})")
        for name, raw_x, raw_y in found:
            x, y = places[name]
            picture.dot(x, y, hue, 3.5, f"{name}: {raw_x:,g} published, {raw_y:,g} ours")
            if group in named:
                _beside(picture, name.replace("_", " "), x, y, taken)
    return picture


def _signed_log(value: float) -> float:
    return math.copysign(math.log10(1 + abs(value)), value)


def _beside(
    picture: Picture, text: str, x: float, y: float, taken: list[tuple[float, float, float, float]]
) -> None:
    """A small text near a point where it covers nothing; none if there is no such place."""
    wide = 5.6 * len(text)
    for anchor, dx, dy in (
        ("start", 7, 4), ("end", -7, 4), ("start", 6, -7), ("end", -6, -7), ("start", 6, 14), ("end", -6, 14),
    ):  # fmt: skip
        left = x + dx - (wide if anchor == "end" else 0)
        box = (left, y + dy - 9, left + wide, y + dy + 2)
        if box[0] < LEFT or box[2] > picture.width:
            continue
        if all(box[2] < a or box[0] > c or box[3] < b or box[1] > d for a, b, c, d in taken):
            taken.append(box)
            picture.text(x + dx, y + dy, text, anchor, "small")
            return


def spark(lines: Mapping[str, Sequence[float | None]], hues: Mapping[str, str]) -> Picture:
    """A small chart for a table cell."""
    picture = Picture(120, 32, ", ".join(lines))
    values = [value for line in lines.values() for value in line if value is not None]
    if not values:
        return picture
    longest = max(map(len, lines.values()))
    axes = _Axes(picture, (0, max(longest - 1, 1)), _room(values), 2, 2, 2, 2)
    for name, line in lines.items():
        _draw_curve(axes, Curve(name, range(len(line)), line, colour=hues[name], width=1.2))
    return picture
