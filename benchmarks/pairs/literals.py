"""Literals for queries, each of which is drawn once."""

from __future__ import annotations

import random
from dataclasses import dataclass


class UsedUpError(Exception):
    """A domain has no literal left that was never drawn."""


@dataclass(frozen=True)
class Domain:
    """Numbers to draw from: queries with any of them should cost about the same.

    Attributes:
        name: What the numbers are; domains that share a name share what was drawn.
        first: The least number.
        last: The greatest number.
        step: The difference between two numbers.
    """

    name: str
    first: int
    last: int
    step: int = 1

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return (self.last - self.first) // self.step + 1


class Literals:
    """Draws literals for one run of the benchmark, and never the same one twice."""

    def __init__(self, seed: int) -> None:
        """Start with nothing drawn.

        Args:
            seed: With the same seed, the same literals are drawn in the same order.
        """
        self._random = random.Random(seed)
        self._drawn: dict[str, set[int]] = {}

    def draw(self, domain: Domain) -> int:
        """Return a number of the domain that was not drawn before.

        Raises:
            UsedUpError: All of them were drawn.
        """
        drawn = self._drawn.setdefault(domain.name, set())
        # Half of the domain may be drawn at random; then the search for a new one becomes slow.
        for _ in range(100):
            number = domain.first + domain.step * self._random.randrange(domain.size)
            if number not in drawn:
                drawn.add(number)
                return number
        for number in range(domain.first, domain.last + 1, domain.step):
            if number not in drawn:
                drawn.add(number)
                return number
        raise UsedUpError(
            f"all {domain.size} literals of '{domain.name}' were drawn; set PAIRS_PAIRS to less, "
            "or name fewer kinds in PAIRS_KINDS"
        )
