"""YAML from strangers: plain data only, bounded in size, depth and expansion."""

from __future__ import annotations

from collections.abc import Iterator

import yaml  # type: ignore[import-untyped, unused-ignore]

from watcher.pipeline.importing.model import ImportFileError

_MAX_CHARACTERS = 2 * 1024 * 1024
_MAX_DEPTH = 40
_MAX_NODES = 200_000
"""Nodes after every alias is replaced by what it stands for."""


def documents(text: str) -> list[object]:
    """Return the documents of a YAML stream as dicts, lists, strings, numbers and None.

    Raises:
        ImportFileError: not YAML, a tag that makes objects, nested too deep,
            or aliases that expand beyond any job list.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ImportFileError(
            f"it has {len(text)} characters, over the limit of {_MAX_CHARACTERS}",
            hint="divide it into several files",
        )
    try:
        # Depth first, on a flat stream: whoever composes nested nodes recurses.
        _check_depth(text)
        loader = yaml.SafeLoader(text)
        try:
            return list(_construct(loader))
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise ImportFileError(
            f"it is not YAML that is read here: {_sentence(error)}",
            hint="tags and objects are refused; write plain mappings, lists and strings",
        ) from None
    except ValueError as error:
        raise ImportFileError(f"a value in it cannot be read: {error}", hint="quote it") from None


def _construct(loader: yaml.SafeLoader) -> Iterator[object]:
    left = _MAX_NODES
    while loader.check_node():
        node = loader.get_node()
        left -= _expanded(node, {}, ())
        if left < 0:
            raise ImportFileError(
                f"its aliases stand for more than {_MAX_NODES} values",
                hint="write the values out where they are used",
            )
        yield loader.construct_document(node)


def _check_depth(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_DEPTH:
            raise ImportFileError(
                f"it is nested deeper than {_MAX_DEPTH} levels",
                hint="a list of jobs is nested a few levels deep",
            )


def _expanded(node: yaml.Node, known: dict[int, int], above: tuple[int, ...]) -> int:
    """Return how many nodes `node` is with its aliases replaced, without replacing them."""
    if id(node) in above:
        raise ImportFileError("an alias in it contains itself", hint="write the values out")
    if id(node) in known:
        return known[id(node)]
    if isinstance(node, yaml.MappingNode):
        children = [part for pair in node.value for part in pair]
    else:
        children = node.value if isinstance(node, yaml.SequenceNode) else []
    size = 1 + sum(_expanded(child, known, (*above, id(node))) for child in children)
    known[id(node)] = size
    return size


def _sentence(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
