"""The links of a page, absolute and in order."""

from __future__ import annotations

from watcher.fetch.page_links import page_links

URL = "https://regulator.example/guidance/"


def links(body: str, charset: str = "", head: str = "") -> list[tuple[str, str]]:
    page = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    found = page_links(page.encode(charset or "utf-8"), charset, URL)
    return [(link.target, link.text) for link in found]


def test_targets_are_absolute_and_words_squeezed() -> None:
    assert links(
        "<a href='a.pdf'>The <b>first</b>\n  one</a><a href='/b.pdf#page=2'>b</a>"
        "<a href='//cdn.example/c'>c</a><a href='?v=2'>d</a>"
    ) == [
        (URL + "a.pdf", "The first one"),
        ("https://regulator.example/b.pdf", "b"),
        ("https://cdn.example/c", "c"),
        (URL + "?v=2", "d"),
    ]


def test_a_base_moves_them() -> None:
    assert links("<a href=a.pdf>a</a>", head="<base href='/files/'>") == [
        ("https://regulator.example/files/a.pdf", "a")
    ]


def test_pictures_and_labels_speak_for_links_without_words() -> None:
    assert [words for _, words in links(
        "<a href=a><img alt='Edition 3'></a><a href=b aria-label='Edition 4'></a>"
        "<map><area href=c alt='Edition 5'></map>"
    )] == ["Edition 3", "Edition 4", "Edition 5"]  # fmt: skip


def test_what_is_never_fetched_is_left_out() -> None:
    assert (
        links(
            "<a>x</a><a href='mailto:a@b.example'>x</a><a href='javascript:x()'>x</a>"
            "<a href='data:text/html,x'>x</a><a href='file:///etc/passwd'>x</a>"
            "<a href='http://a\\@b.example/'>x</a><a href='http://u:p@b.example/'>x</a>"
            "<a href='http:///'>x</a>"
        )
        == []
    )


def test_words_in_other_charsets_are_read() -> None:
    assert links("<a href=a>Löschung</a>", charset="latin-1") == [(URL + "a", "Löschung")]
