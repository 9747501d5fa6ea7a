"""How results show themselves."""

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
    """A result that shows itself in terminals and notebooks; its ``str()`` is plain text.

    A subclass says by `_views` what there is to show; a dataclass is declared with ``repr=False``.
    """

    __slots__ = ()

    @abstractmethod
    def _views(self) -> Sequence[View]:
        """Return what there is to show; where nothing, ``str(self)`` is shown."""

    def show(self) -> None:
        """Print this with colours, row groups as a strip, for people at a terminal.

        Where the output is no terminal there are no colours; ``NO_COLOR`` is respected.
        """
        from rich import get_console  # slow, and needed at terminals alone

        get_console().print(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what rich prints."""
        from limit_pruning._display.terminal import rendered

        yield from rendered(self._views(), str(self), options)

    def __repr__(self) -> str:
        """Return what `show` prints where people sit at a prompt, elsewhere plain text."""
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
