"""One PDF page to text: the content stream followed operator by operator.

pypdf gives the objects, streams and fonts; this follows the text state (ISO
32000-2, 9.3 and 9.4) and hands runs with their places to `assembly`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pypdf import PageObject
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject

from watcher.domain.reading import Problem
from watcher.extract.assembly import Lines, Run
from watcher.extract.content import Budget, Operand, Text, TooLongError, number, operations
from watcher.extract.names import names
from watcher.extract.paint import TINY, Paper, is_white
from watcher.extract.pdf_model import PageText
from watcher.extract.pypdf_font import FontReader
from watcher.extract.text_state import (
    IDENTITY,
    SETTERS,
    Mark,
    State,
    matrix,
    matrix_of,
    operand,
    product,
    text_string,
)

_MOST_TOKENS = 3_000_000
_EMPTY_STREAM = 24
"""Bytes that a stream of nothing may take in any encoding."""
_MOST_FORMS = 500
_DEEPEST_STATE = 512
_INVISIBLE = frozenset([3, 7])
"""Text render modes that paint nothing."""
_MARGIN = 2.0
"""Points by which a run must lie outside the crop box to be out of sight."""
_PATHS = frozenset([b"l", b"c", b"v", b"y", b"re", b"m"])
_FILLS = frozenset([b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"])
_ENDS = _FILLS | frozenset([b"S", b"s", b"n"])
_TINTED = names("/Separation /DeviceN /Indexed /Pattern /Lab")


class Fonts:
    """The fonts of one file, each read once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, FontReader]] = {}
        self.missing = FontReader(None)

    def reader(self, resource: object) -> FontReader:
        """Return the reader of a font resource; damage to a font costs its text only."""
        if not isinstance(resource, DictionaryObject):
            return self.missing
        known = self._known.get(id(resource))
        if known is None:
            known = self._known[id(resource)] = (resource, FontReader(resource))
        return known[1]


def read_page(page: PageObject, fonts: Fonts, hidden_layers: frozenset[int]) -> PageText:
    """Return the record of one page.

    Raises:
        PyPdfError and others: its content cannot be read.
    """
    return _Reader(page, fonts, hidden_layers, Budget(_MOST_TOKENS)).read()


def read_form(form: StreamObject, page: PageObject, fonts: Fonts, budget: Budget) -> str:
    """Return the lines that a form by itself paints; TooLongError where the budget is used up."""
    reader = _Reader(page, fonts, frozenset(), budget)
    reader.paint(form)
    return reader.lines()


class _Reader:
    def __init__(
        self, page: PageObject, fonts: Fonts, hidden_layers: frozenset[int], budget: Budget
    ) -> None:
        self._page = page
        self._fonts = fonts
        self._hidden_layers = hidden_layers
        box = page.cropbox
        self._left, self._right = sorted((float(box.left), float(box.right)))
        self._bottom, self._top = sorted((float(box.bottom), float(box.top)))
        self._lines = Lines()
        self._state = State()
        self._tm = self._line = IDENTITY
        self._resources = DictionaryObject()
        self._marks: list[Mark] = []
        self._forms: set[int] = set()
        self._invoked = 0
        self._budget = budget
        self._found = PageText()
        self._image_area = 0.0
        self._paper = Paper()
        self._handlers: dict[bytes, Callable[[list[Operand]], None]] = {
            b"BT": self._begin_text,
            b"Tf": self._set_font,
            b"Td": lambda o: self._move(operand(o, 0), operand(o, 1)),
            b"TD": self._move_with_leading,
            b"Tm": self._set_matrix,
            b"T*": lambda _: self._move(0.0, -self._state.leading),
            b"Tj": lambda o: self._show(o[-1] if o else None),
            b"TJ": self._show_array,
            b"'": self._next_line_show,
            b'"': self._spaced_show,
            b"cm": self._concatenate,
            b"Do": self._paint,
            b"g": self._set_colour,
            b"rg": self._set_colour,
            b"k": self._set_colour,
            b"cs": self._set_colour_space,
            b"sc": self._set_special_colour,
            b"scn": self._set_special_colour,
            b"gs": self._set_parameters,
            b"sh": lambda _: self._paper.everywhere(),
            b"BI": lambda _: self._count_image(),
            b"BDC": self._begin_marked,
            b"BMC": lambda _: self._marks.append(Mark()),
            b"EMC": lambda _: self._end_marked(),
        }

    def read(self) -> PageText:
        contents = self._page.get_contents()
        resources = self._page.get("/Resources")
        self._resources = _dictionary(resources)
        try:
            if contents is not None:
                data = contents.get_data()
                if not data.strip() and _stored_size(self._page) > _EMPTY_STREAM:
                    self._leave_out("its content stream is damaged")
                self._run(data)
        except TooLongError:
            message = f"the page has more than {_MOST_TOKENS} tokens; the rest is left out"
            self._found.problem = Problem("left_out", message)
        found = self._found
        found.text = self._lines.text()
        area = max(1.0, (self._right - self._left) * (self._top - self._bottom))
        found.image_share = min(1.0, self._image_area / area)
        return found

    def paint(self, form: StreamObject) -> None:
        """Follow a form with the page's resources behind its own."""
        self._resources = _dictionary(self._page.get("/Resources"))
        self._form(form)

    def lines(self) -> str:
        """Return the text so far."""
        return self._lines.text()

    def _run(self, data: bytes) -> None:
        saved: list[State] = []
        handlers = self._handlers
        for operator, operands in operations(data, self._budget):
            handler = handlers.get(operator)
            if handler is not None:
                handler(operands)
            elif operator in _PATHS:
                self._found.paths += operator != b"m"
                self._paper.draw(operator, operands)
            elif operator in _ENDS:
                state = self._state
                painted = operator in _FILLS and not (state.white or state.clear)
                self._paper.end_path(state.ctm, painted=painted)
            elif operator == b"q":
                if len(saved) < _DEEPEST_STATE:
                    saved.append(replace(self._state))
            elif operator == b"Q":
                if saved:
                    self._state = saved.pop()
            elif operator in SETTERS and operands:
                SETTERS[operator](self._state, number(operands[-1]))

    def _begin_text(self, _: list[Operand]) -> None:
        self._tm = self._line = IDENTITY

    def _set_font(self, operands: list[Operand]) -> None:
        if len(operands) < 2:
            return
        self._state.size = number(operands[1])
        fonts = _dictionary(self._resources.get("/Font"))
        resource = fonts.get(str(operands[0]))
        self._state.font = self._fonts.reader(resource.get_object() if resource else None)

    def _move(self, x: float, y: float) -> None:
        a, b, c, d, e, f = self._line
        self._tm = self._line = (a, b, c, d, x * a + y * c + e, x * b + y * d + f)

    def _move_with_leading(self, operands: list[Operand]) -> None:
        self._state.leading = -operand(operands, 1)
        self._move(operand(operands, 0), operand(operands, 1))

    def _set_matrix(self, operands: list[Operand]) -> None:
        if len(operands) >= 6:
            self._tm = self._line = matrix(operands)

    def _concatenate(self, operands: list[Operand]) -> None:
        if len(operands) >= 6:
            self._state.ctm = product(matrix(operands), self._state.ctm)

    def _set_colour(self, operands: list[Operand]) -> None:
        self._state.tinted = False
        self._state.white = is_white(operands)

    def _set_special_colour(self, operands: list[Operand]) -> None:
        self._state.white = not self._state.tinted and is_white(operands)

    def _set_colour_space(self, operands: list[Operand]) -> None:
        name = str(operands[-1]) if operands else ""
        space = _dictionary(self._resources.get("/ColorSpace")).get(name)
        family = space.get_object() if space is not None else None
        kind = str(family[0]) if isinstance(family, ArrayObject) and family else name
        self._state.tinted = kind in _TINTED
        self._state.white = False

    def _set_parameters(self, operands: list[Operand]) -> None:
        listed = _dictionary(self._resources.get("/ExtGState"))
        alpha = _dictionary(listed.get(str(operands[-1]))).get("/ca") if operands else None
        if isinstance(alpha, int | float):
            self._state.clear = alpha == 0

    def _next_line_show(self, operands: list[Operand]) -> None:
        self._move(0.0, -self._state.leading)
        self._show(operands[-1] if operands else None)

    def _spaced_show(self, operands: list[Operand]) -> None:
        if len(operands) >= 3:
            self._state.word_spacing = number(operands[0])
            self._state.char_spacing = number(operands[1])
            self._next_line_show(operands[2:])

    def _show_array(self, operands: list[Operand]) -> None:
        items = operands[-1] if operands else None
        if not isinstance(items, list):
            return
        state = self._state
        for item in items:
            if isinstance(item, Text):
                self._show(item)
            else:
                shift = -number(item) / 1000 * state.size
                vertical = state.font is not None and state.font.vertical
                self._advance(*((0.0, shift) if vertical else (shift * state.stretch, 0.0)))

    def _advance(self, x: float, y: float) -> None:
        a, b, c, d, e, f = self._tm
        self._tm = (a, b, c, d, x * a + y * c + e, x * b + y * d + f)

    def _show(self, codes: Operand) -> None:
        if not isinstance(codes, Text) or not codes:
            return
        state = self._state
        font = state.font or self._fonts.missing
        text, width, count, spaces = font.read(codes)
        spacing = state.char_spacing * count + state.word_spacing * spaces
        if font.vertical:
            x, y = 0.0, -(state.size * count) - spacing
        else:
            x, y = (width / 1000 * state.size + spacing) * state.stretch, 0.0
        a, b, c, d, e, f = product(self._tm, state.ctm)
        run = Run(
            text,
            e + state.rise * c,
            f + state.rise * d,
            x * a + y * c,
            x * b + y * d,
            abs(state.size) * (c * c + d * d) ** 0.5,
            font.space / 1000 * abs(state.size * state.stretch) * (a * a + b * b) ** 0.5,
        )
        self._advance(x, y)
        self._place(run)

    def _place(self, run: Run) -> None:
        """Add a run to the page, as itself or as a part of what stands for it."""
        for mark in self._marks:
            if mark.replacement is not None:
                mark.cover(run)
                break
        else:
            self._lines.add(run)
        if self._is_unseen(run):
            self._found.hidden += len("".join(run.text.split()))

    def _is_unseen(self, run: Run) -> bool:
        state = self._state
        if state.mode in _INVISIBLE or state.clear or run.size < TINY:
            return True
        if self._is_outside(run) or any(mark.hidden for mark in self._marks):
            return True
        middle = run.x + run.ax / 2, run.y + run.ay / 2 + run.size / 4
        return state.white and not self._paper.is_painted(*middle)

    def _is_outside(self, run: Run) -> bool:
        x0, x1 = sorted((run.x, run.x + run.ax))
        y0, y1 = sorted((run.y, run.y + run.ay))
        return (
            x1 < self._left - _MARGIN
            or x0 > self._right + _MARGIN
            or y1 < self._bottom - _MARGIN
            or y0 > self._top + _MARGIN
        )

    def _begin_marked(self, operands: list[Operand]) -> None:
        mark = Mark()
        if len(operands) >= 2:
            properties: object = operands[1]
            if operands[0] == "/OC":
                mark.hidden = self._names_hidden_layer(str(properties))
            elif isinstance(properties, dict):
                given = properties.get("/ActualText")
                if isinstance(given, Text):
                    mark.replacement = text_string(given)
            else:
                listed = _dictionary(self._resources.get("/Properties"))
                given = _dictionary(listed.get(str(properties))).get("/ActualText")
                mark.replacement = str(given) if given is not None else None
        self._marks.append(mark)

    def _end_marked(self) -> None:
        if not self._marks:
            return
        mark = self._marks.pop()
        if mark.run is not None and mark.replacement:
            mark.run.text = mark.replacement
            self._lines.add(mark.run)

    def _names_hidden_layer(self, name: str) -> bool:
        if not self._hidden_layers:
            return False
        listed = _dictionary(self._resources.get("/Properties"))
        layer = listed.raw_get(name) if name in listed else None
        return getattr(layer, "idnum", None) in self._hidden_layers

    def _paint(self, operands: list[Operand]) -> None:
        listed = _dictionary(self._resources.get("/XObject"))
        item = listed.get(str(operands[-1])) if operands else None
        target = item.get_object() if item is not None else None
        if not isinstance(target, StreamObject):
            return
        if target.get("/Subtype") == "/Image":
            self._count_image()
        elif target.get("/Subtype") == "/Form":
            self._form(target)

    def _form(self, form: StreamObject) -> None:
        if id(form) in self._forms:
            self._leave_out("a form paints itself; it is read once")
            return
        self._invoked += 1
        if self._invoked > _MOST_FORMS:
            self._leave_out(f"the page paints more than {_MOST_FORMS} forms; the rest is left out")
            return
        outer = (self._state, self._resources, self._tm, self._line, self._marks)
        self._forms.add(id(form))
        self._state = replace(self._state)
        own = form.get("/Matrix")
        if own is not None:
            self._state.ctm = product(matrix_of(own.get_object()), self._state.ctm)
        if "/Resources" in form:
            self._resources = _dictionary(form.get("/Resources"))
        self._marks = list(self._marks)
        try:
            self._run(form.get_data())
        except (PyPdfError, ValueError, KeyError, TypeError) as error:
            self._leave_out(f"a form cannot be read: {error}"[:200])
        finally:
            self._forms.discard(id(form))
            self._state, self._resources, self._tm, self._line, self._marks = outer

    def _leave_out(self, message: str) -> None:
        if self._found.problem is None:
            self._found.problem = Problem("left_out", message)

    def _count_image(self) -> None:
        self._paper.image(self._state.ctm)
        a, b, c, d, _, _ = self._state.ctm
        self._image_area += abs(a * d - b * c)


def _stored_size(page: PageObject) -> int:
    """Return the bytes of the page's content streams as they are stored."""
    contents = page["/Contents"].get_object()
    streams = list(contents) if isinstance(contents, ArrayObject) else [contents]
    resolved = [stream.get_object() for stream in streams if stream is not None]
    return sum(len(getattr(stream, "_data", b"")) for stream in resolved)


def _dictionary(item: object) -> DictionaryObject:
    resolved = item.get_object() if hasattr(item, "get_object") else item
    return resolved if isinstance(resolved, DictionaryObject) else DictionaryObject()
