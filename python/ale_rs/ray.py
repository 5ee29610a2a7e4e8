"""The face of Ray: the names of `ale_rs.faces.ray`."""

from ale_rs.faces.ray import Fragment, RayVectorEnv

__all__ = ["Fragment", "RayVectorEnv"]
