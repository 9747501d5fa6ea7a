"""Displays row groups: in a terminal with rich, in a notebook as a map, in pandas as a table."""

from limit_pruning._display.frame import row_group_frame
from limit_pruning._display.shown import Shown
from limit_pruning._display.view import Grid, View

__all__ = ["Grid", "Shown", "View", "row_group_frame"]
