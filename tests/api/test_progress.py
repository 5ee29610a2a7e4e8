"""The progress bar: a line for people, nothing for files."""

import io

from ale_rs._progress import bar, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_file_gets_no_bar() -> None:
    out = io.StringIO()
    assert list(progress(3, "steps", out)) == [0, 1, 2]
    assert out.getvalue() == ""


def test_a_terminal_gets_one_line_that_ends_full() -> None:
    out = Terminal()
    assert list(progress(3, "steps", out)) == [0, 1, 2]
    assert out.getvalue().count("\n") == 1
    assert "100 %" in out.getvalue()


def test_the_bar_fills_from_left_to_right() -> None:
    assert bar(0, 10) == "[" + "-" * 30 + "]   0 %"
    assert bar(5, 10) == "[" + "#" * 15 + "-" * 15 + "]  50 %"
    assert bar(0, 0) == "[" + "-" * 30 + "]   0 %"
