"""Types of the native module."""

__version__: str
OPTIMISED: bool

def embedded_roms() -> dict[str, bytes]: ...
def known_roms() -> list[tuple[str, str]]: ...
