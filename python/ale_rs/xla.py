"""The face of XLA: the names of `ale_rs.faces.xla`."""

from ale_rs.faces.xla import continuous, discrete, functions

__all__ = ["continuous", "discrete", "functions"]
