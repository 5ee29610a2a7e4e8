"""Faces of other libraries on top of `AtariVectorEnv`."""
