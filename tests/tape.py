"""Choices read off bytes: how a study is drawn fast and still shrinks well."""

from typing import Any


class Tape:
    """Choices read off a string of bytes; past its end every choice is the first."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1] if self.place <= len(self.content) else 0

    def pick(self, *choices: Any) -> Any:
        return choices[self.byte() % len(choices)]

    def number(self, low: int, high: int) -> int:
        return low + self.byte() % (high - low + 1)

    def chance(self, percent: int) -> bool:
        """True about so often; never on a zero byte."""
        return self.byte() >= 256 - round(2.56 * percent)

    def shuffled(self, items: list[Any]) -> list[Any]:
        """The items in another order; in the same order on zero bytes."""
        left, order = list(items), []
        while left:
            order.append(left.pop(self.number(0, len(left) - 1)))
        return order
