"""The display of results in terminals and notebooks."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from limit_pruning._display.page import page
from limit_pruning._display.view import View

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Shown(ABC):
    """A result with a display in terminals and notebooks; its ``str()`` is plain text.

    A subclass implements `_views`; a dataclass is declared with ``repr=False``.
    """

    __slots__ = ()

    @abstractmethod
    def _views(self) -> Sequence[View]:
        """Return the scans to display; where there is none, ``str(self)`` is displayed."""

    def show(self) -> None:
        """Print the result with colours, and row groups as a strip.

        Output that is not a terminal gets no colours; ``NO_COLOR`` is respected.
        """
        from rich import get_console  # slow to import, and not needed in notebooks

        get_console().print(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts that rich prints."""
        from limit_pruning._display.terminal import rendered

        yield from rendered(self._views(), str(self), options)

    def __repr__(self) -> str:
        """Return the output of `show` at an interactive prompt in a terminal, else plain text."""
        if hasattr(sys, "ps1"):
            from rich import get_console

            console = get_console()
            if console.is_terminal:
                with console.capture() as capture:
                    console.print(self)
                return capture.get().rstrip("\n")
        return str(self)

    def _repr_html_(self) -> str:
        return page(self._views(), str(self))
