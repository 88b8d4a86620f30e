"""What is painted where on a page, as far as it tells whether text on it can be seen."""

from __future__ import annotations

from watcher.extract.content import Operand, number

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]

TINY = 1.0
"""Text of fewer points than this is not read by anybody."""
_WHITE, _NO_INK = 0.98, 0.02
_MOST_AREAS = 5_000
_RECTANGLE = b"re"
_EVERYWHERE: Box = (-1e9, -1e9, 1e9, 1e9)


def is_white(operands: list[Operand]) -> bool:
    """Tell whether a colour in grey, RGB or CMYK is white; names (patterns) are not."""
    values = [number(value) for value in operands if not isinstance(value, str)]
    if len(values) != len(operands):
        return False
    if len(values) == 4:
        return all(value <= _NO_INK for value in values)
    return len(values) in (1, 3) and all(value >= _WHITE for value in values)


class Paper:
    """The areas of one page that something else than white was painted on."""

    def __init__(self) -> None:
        self._path: list[tuple[bytes, list[Operand]]] = []
        self._areas: list[Box] = []

    def draw(self, operator: bytes, operands: list[Operand]) -> None:
        """Take one path operator."""
        self._path.append((operator, operands))

    def end_path(self, ctm: Matrix, *, painted: bool) -> None:
        """End the path; `painted` where it is filled with a colour that can be seen."""
        if painted:
            points = [
                point for operator, values in self._path for point in _points(operator, values)
            ]
            self._add(points, ctm)
        self._path = []

    def image(self, ctm: Matrix) -> None:
        """Take an image, which fills the unit square."""
        self._add([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)], ctm)

    def everywhere(self) -> None:
        """Take something without bounds, such as a shading."""
        self._areas.append(_EVERYWHERE)

    def is_painted(self, x: float, y: float) -> bool:
        """Tell whether a point lies on anything painted so far."""
        return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in self._areas)

    def _add(self, points: list[tuple[float, float]], ctm: Matrix) -> None:
        if not points or len(self._areas) >= _MOST_AREAS:
            return
        a, b, c, d, e, f = ctm
        xs = [a * x + c * y + e for x, y in points]
        ys = [b * x + d * y + f for x, y in points]
        self._areas.append((min(xs), min(ys), max(xs), max(ys)))


def _points(operator: bytes, operands: list[Operand]) -> list[tuple[float, float]]:
    values = [number(value) for value in operands]
    if operator == _RECTANGLE:
        if len(values) < 4:
            return []
        x, y, width, height = values[:4]
        return [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]
    return list(zip(values[::2], values[1::2], strict=False))
