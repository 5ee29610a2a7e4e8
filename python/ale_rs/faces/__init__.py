"""Faces of other libraries on top of the environments: one module per library."""
