"""The names of `ale_py`'s native module, for `sys.modules["ale_py"] = ale_rs`."""

from ale_rs._native import ALEInterface, ALEState
from ale_rs.enums import Action, LoggerMode
from ale_rs.vector_interface import ALEVectorInterface

__all__ = ["ALEInterface", "ALEState", "ALEVectorInterface", "Action", "LoggerMode"]
