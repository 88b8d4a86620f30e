"""Lists of other tools become drafts of entries, and what does not map is told."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.pipeline.importing import Converted, Format, ImportFileError, convert, format_of
from watcher.pipeline.importing.urlwatch import css_of_xpath


def urlwatch(text: str) -> Converted:
    return convert(text, Format.URLWATCH)


def told(found: Converted) -> list[str]:
    return [f"{one.where}: {one.what}" for one in found.told]


def test_a_list_of_urls_has_ids_and_titles_where_they_are_given() -> None:
    found = convert(
        "# ours\n\nhttps://a.example/privacy\n"
        "https://b.example/terms  b-terms  Terms of Service\n"
        "https://c.example/\tCookie Notice\n"
        "ftp://d.example/x\n",
        Format.URLS,
    )
    assert [(d.url, d.document_id, d.title) for d in found.drafts] == [
        ("https://a.example/privacy", "", ""),
        ("https://b.example/terms", "b-terms", "Terms of Service"),
        ("https://c.example/", "", "Cookie Notice"),
    ]
    assert told(found) == ["line 6: 'ftp://d.example/x' is not an http or https address: left out"]


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_no_line_of_a_list_is_lost_without_a_word(text: str) -> None:
    found = convert(text, Format.URLS)
    meant = [
        line for line in text.splitlines() if line.split() and not line.split()[0].startswith("#")
    ]
    assert len(found.drafts) + len(found.told) == len(meant)


def test_a_job_keeps_its_address_headers_and_selections() -> None:
    found = urlwatch(
        "name: Privacy\n"
        "url: https://a.example/privacy\n"
        "headers: {Accept-Language: de}\n"
        "https_proxy: http://proxy.example:3128\n"
        "filter:\n"
        "  - css: {selector: main, exclude: nav}\n"
        "  - html2text\n"
        "  - strip\n"
    )
    (draft,) = found.drafts
    assert found.told == []
    assert (draft.url, draft.name, draft.title) == (
        "https://a.example/privacy",
        "Privacy",
        "Privacy",
    )
    assert (draft.select, draft.remove) == (("main",), ("nav",))
    assert draft.headers == (("Accept-Language", "de"),)
    assert draft.proxy == "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("filters", "select"),
    [
        ("css: '#text'", "#text"),
        ("css:main,html2text", "main"),
        ("[{element-by-id: policy}]", '[id="policy"]'),
        ("[{element-by-class: legal text}]", '[class~="legal text"]'),
        ("[{element-by-tag: article}]", "article"),
        ("[{xpath: \"//div[@id='c']//p\"}]", 'div[id="c"] p'),
        ("[{css: {path: main, method: html}}]", "main"),
    ],
)
def test_filters_that_choose_elements_map(filters: str, select: str) -> None:
    text = f"url: https://a.example\nfilter:\n  {filters}\n"
    found = urlwatch(text)
    assert found.drafts[0].select == (select,), told(found)
    assert found.told == []


def test_many_jobs_and_what_of_each_has_no_counterpart() -> None:
    found = urlwatch(
        "---\nname: one\nurl: https://a.example/1\ntimeout: 30\nfilter: [{grep: fees}, sort]\n"
        "---\nname: two\ncommand: date\n"
        "---\nname: three\nurl: https://a.example/3\ndata: {a: b}\n"
        "---\nurl: https://a.example/4\nheaders: {Authorization: Bearer s3cret, X-A: b}\n"
        "---\nurl: file:///etc/passwd\n"
        "---\nurl: https://a.example/6\nfilter: [{css: main}, {css: p}, {css: 'p:::'},"
        " {xpath: 'count(//p)'}]\n"
    )
    assert [draft.url for draft in found.drafts] == [
        "https://a.example/1",
        "https://a.example/4",
        "https://a.example/6",
    ]
    lines = told(found)
    assert len(lines) == 10, lines
    text = "\n".join(lines)
    for what in (
        'job 1 (one): the filter grep: "fees"',
        "job 1 (one): the filter sort",
        "job 1 (one): timeout",
        "job 2 (two): it runs a command",
        "job 3 (three): it sends a form",
        "job 4: the header Authorization looks like a secret",
        "job 5: it has no http or https url",
        "job 6: the second selection 'p'",
        "job 6: the selector 'p:::' cannot be used",
        "job 6: the xpath 'count(//p)'",
    ):
        assert what in text, what
    assert "s3cret" not in text
    assert found.drafts[1].headers == (("X-A", "b"),)


@pytest.mark.parametrize(
    "keys", ["navigate: https://a.example", "url: https://a.example\nuse_browser: true"]
)
def test_jobs_of_a_browser_stay_that(keys: str) -> None:
    found = urlwatch(keys)
    assert [(draft.url, draft.render) for draft in found.drafts] == [
        ("https://a.example", "browser")
    ]
    assert found.told == []


def test_headers_shared_by_an_anchor_are_ordinary_yaml() -> None:
    found = urlwatch(
        "- url: https://a.example/1\n  headers: &h {X-A: b}\n"
        "- url: https://a.example/2\n  headers: *h\n"
        "- url: https://a.example/3\n  headers: {<<: *h, X-C: d}\n"
    )
    assert [draft.headers for draft in found.drafts] == [
        (("X-A", "b"),),
        (("X-A", "b"),),
        (("X-A", "b"), ("X-C", "d")),
    ]


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        nine = ", ".join([f"*a{level - 1}"] * 9)
        lines.append(f"a{level}: &a{level} [{nine}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (bomb(12), "aliases stand for more"),
        ("&a [*a]", "contains itself"),
        ("!!python/object/apply:os.system ['true']", "tag"),
        ("url: !custom https://a.example", "tag"),
        ("[" * 3000, "nested deeper"),
        ("{a: " * 3000, "nested deeper"),
        ("a: [", "not YAML"),
        ("url: \x00", "not YAML"),
        ("a: " + "9" * 5000, "cannot be read"),
        ("just words", "no job"),
        ("- [1, 2]", "no job"),
        ("report: {}\njob_defaults: {}", "configuration"),
        ("x" * (2 * 1024 * 1024 + 1), "over the limit"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_hostile_yaml_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(ImportFileError) as caught:
        urlwatch(text)
    assert words in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < 500


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#, \n\t"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_drafts_or_one_named_error(text: str) -> None:
    with contextlib.suppress(ImportFileError):
        found = urlwatch(text)
        assert all(draft.url for draft in found.drafts)


@pytest.mark.parametrize(
    ("path", "css"),
    [
        ("//main", "main"),
        ("//*[@id='a']", '[id="a"]'),
        ('//div[@class="x y"]//p', 'div[class="x y"] p'),
        ("/html/body", ""),
        ("//p[1]", ""),
        ("//a/@href", ""),
        ("", ""),
    ],
)
def test_simple_xpaths_are_css(path: str, css: str) -> None:
    assert css_of_xpath(path) == css


DECLARATION = """
{"name": "Example", "terms": {
  "Privacy Policy": {"fetch": "https://e.example/privacy", "select": ["main", ".legal"],
                     "remove": "nav"},
  "Terms of Service": {"fetch": "https://e.example/terms.pdf"},
  "Community Guidelines": {"combine": [{"fetch": "https://e.example/a"},
                                       {"fetch": "https://e.example/b"}], "select": "main"},
  "Cookies": {"fetch": "https://e.example/c", "executeClientScripts": true,
              "select": {"startBefore": "#a", "endBefore": "#b"},
              "filter": ["removeDates", {"removeQueryParams": ["utm_source"]}], "x": 1}
}}
"""


def test_a_declaration_gives_an_entry_for_each_of_its_terms() -> None:
    found = convert(DECLARATION, Format.OPEN_TERMS)
    assert [(d.name, d.url, d.select, d.remove) for d in found.drafts] == [
        ("Example Privacy Policy", "https://e.example/privacy", ("main", ".legal"), ("nav",)),
        ("Example Terms of Service", "https://e.example/terms.pdf", (), ()),
        ("Example Community Guidelines", "https://e.example/a", ("main",), ()),
        ("Example Cookies", "https://e.example/c", (), ()),
    ]
    text = "\n".join(told(found))
    for what in (
        "Cookies: the filter removeDates is a function",
        "Cookies: the filter removeQueryParams is a function",
        "Cookies: select between two elements",
        "Cookies: x has no counterpart",
    ):
        assert what in text, what
    assert len(found.told) == 4
    assert [draft.render for draft in found.drafts] == ["", "", "", "browser"]
    assert [draft.urls for draft in found.drafts] == [(), (), ("https://e.example/b",), ()]


@pytest.mark.parametrize(
    ("pages", "select", "words"),
    [
        (
            [{"fetch": "https://e/a", "select": "p"}, {"fetch": "https://e/b", "select": "p"}],
            ("p",),
            [],
        ),
        (
            [{"fetch": "https://e/a", "select": "p"}, {"fetch": "https://e/b"}],
            (),
            ["select of single"],
        ),
        (
            [{"fetch": "https://e/a", "x": 1}, {"fetch": "https://e/b", "filter": ["f"]}],
            (),
            ["filter of single", "x of a page"],
        ),
        ([{"fetch": "https://e/a"}, {"fetch": "ftp://e/b"}], None, ["no http or https"]),
        (["https://e/a"], None, ["no http or https"]),
    ],
)
def test_pages_that_are_combined(
    pages: list[object], select: tuple[str, ...] | None, words: list[str]
) -> None:
    declaration = {"name": "E", "terms": {"T": {"combine": pages}}}
    found = convert(json.dumps(declaration), Format.OPEN_TERMS)
    assert [draft.select for draft in found.drafts] == ([select] if select is not None else [])
    assert len(found.told) == len(words)
    for one, word in zip(found.told, words, strict=True):
        assert word in one.what


def test_the_older_form_of_a_declaration_is_read_too() -> None:
    found = convert(DECLARATION.replace('"terms"', '"documents"'), Format.OPEN_TERMS)
    assert len(found.drafts) == 4


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 1, "terms": {}}', "[" * 100_000])
def test_what_is_no_declaration_is_refused(text: str) -> None:
    with pytest.raises(ImportFileError):
        convert(text, Format.OPEN_TERMS)


def test_the_suffix_names_the_format() -> None:
    assert format_of("urls.YAML") is Format.URLWATCH
    assert format_of("Facebook.json") is Format.OPEN_TERMS
    assert format_of("list.txt") is Format.URLS
