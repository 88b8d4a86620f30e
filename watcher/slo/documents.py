"""YAML as it is written here: in order, texts of several lines as blocks."""

from __future__ import annotations

from typing import TypeAlias

import yaml  # type: ignore[import-untyped, unused-ignore]

Tree: TypeAlias = "str | int | float | bool | list[Tree] | dict[str, Tree] | None"


class _Dumper(yaml.SafeDumper):  # type: ignore[misc, unused-ignore]
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """Repeat what occurs twice: promtool's readers should not have to look back."""
        return True


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _represent)


def dump(tree: Tree) -> str:
    """Return `tree` as YAML."""
    return str(yaml.dump(tree, Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True))
