"""The 18 actions of a joystick and the levels of messages."""

import enum

__all__ = ["Action", "LoggerMode"]


class _Named(enum.Enum):
    """An enum whose members show as `Class.MEMBER`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    __str__ = __repr__


class Action(_Named):
    """What a player can do with a joystick, numbered as everywhere.

    >>> Action(3)
    Action.RIGHT
    >>> Action["UPFIRE"].value
    10
    """

    NOOP = 0
    FIRE = 1
    UP = 2
    RIGHT = 3
    LEFT = 4
    DOWN = 5
    UPRIGHT = 6
    UPLEFT = 7
    DOWNRIGHT = 8
    DOWNLEFT = 9
    UPFIRE = 10
    RIGHTFIRE = 11
    LEFTFIRE = 12
    DOWNFIRE = 13
    UPRIGHTFIRE = 14
    UPLEFTFIRE = 15
    DOWNRIGHTFIRE = 16
    DOWNLEFTFIRE = 17


class LoggerMode(_Named):
    """The least level of messages that are written to stderr."""

    Info = 0
    Warning = 1
    Error = 2
