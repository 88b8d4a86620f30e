from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain.reading import ExtractVerdict, Landmark, Reading
from watcher.extract import Options, Source, extract


def read(markup: str, options: Options | None = None) -> Reading:
    return extract(Source(markup.encode(), "text/html; charset=utf-8"), options)


def text_of(markup: str) -> str:
    return read(markup).text.data.decode()


GOLDEN = """<!doctype html>
<html lang="en"><head><title> Retention
 policy </title><script>var a = "<p>no</p>";</script><style>p{}</style></head>
<body><header>Acme<nav><ul><li><a href="/a">Home</a><li><a href="/b">Legal</a></ul></nav></header>
<main><h1 id="top">Retention <em>policy</em></h1>
<p>We keep  data for
<b>30</b> days.<br>Not&nbsp;longer. Le<i>gal</i>ly.</p>
<table><caption>Periods</caption><tr><th>Kind<th>Days<th></tr>
<tr><td><p>Logs</p><p>and traces</p><td><td>a | b</tr></table>
<ol><li>one<ul><li>inner</ul><li>two</ol>
<pre>
  x   y
\tz
</pre>
<details><summary>More</summary>A clause in an accordion.</details>
<p hidden>Hidden clause.</p><p>Kept <del>forever</del><ins>30 days</ins>.</p></main>
<footer><p>Contact</footer></body></html>"""

GOLDEN_TEXT = """Acme

Home
Legal

Retention policy

We keep data for 30 days.
Not\u00a0longer. Legally.

Periods
Kind | Days |
Logs and traces | | a | b

one
inner
two

  x   y
\tz

More
A clause in an accordion.

Hidden clause.

Kept forever30 days.

Contact
"""


def test_golden_text() -> None:
    reading = read(GOLDEN)
    assert reading.text.data.decode() == GOLDEN_TEXT
    assert reading.verdict is ExtractVerdict.OK
    assert (reading.title, reading.language) == ("Retention policy", "en")
    assert reading.hidden_characters == len("Hidden clause.")


def test_what_stands_beside_the_text_has_exact_ranges() -> None:
    reading = read(GOLDEN)
    data = reading.text.data

    def passage(span: tuple[int, int]) -> bytes:
        return data[span[0] : span[1]]

    assert [(passage(h.range), h.level, h.element_id) for h in reading.headings] == [
        (b"Retention policy", 1, "top")
    ]
    assert [(passage(link.range), link.target) for link in reading.links] == [
        (b"Home", "/a"),
        (b"Legal", "/b"),
    ]
    assert [passage(span) for span in reading.struck] == [b"forever"]
    assert [(mark.kind, passage(mark.range)) for mark in reading.landmarks] == [
        (Landmark.HEADER, b"Acme\n\nHome\nLegal"),
        (Landmark.NAV, b"Home\nLegal"),
        (Landmark.FOOTER, b"Contact"),
    ]
    assert reading.heading_path(data.index(b"30 days")) == ("Retention policy",)


def test_noscript_with_an_iframe_in_the_head_does_not_empty_the_page() -> None:
    page = (
        "<head><noscript><iframe src='//tag'></iframe></noscript></head><body><p>All clauses</body>"
    )
    assert text_of(page) == "All clauses\n"


@pytest.mark.parametrize("tag", ["div", "span", "b", "blockquote", "ul><li"])
def test_depth_costs_no_text(tag: str) -> None:
    inner = f"<{tag}>" * 2000 + "deep clause" + "</" + tag.split(">", maxsplit=1)[0] + ">" * 2000
    assert "deep clause" in text_of(f"<p>before</p>{inner}")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("cl<b>au</b>se", "clause"),
        ("data<wbr>base", "database"),
        ("data<!-- c -->base", "database"),
        ("data<span></span>base", "database"),
        ("30<sup>th</sup>", "30th"),
        ("a<b> b</b>", "a b"),
        ("a <b>b</b> c", "a b c"),
        ("a<br>b", "a\nb"),
        ("a<div>b</div>c", "a\nb\nc"),
        ("<button>a</button><button>b</button>", "a\nb"),
        ("<select><option>a<option>b</select>", "a\nb"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("a<hr>b", "a\n\nb"),
        ("<label>a</label> <input value=x><input type=submit value=Send>", "a\nSend"),
        ("<svg><title>no</title><text>a</text><text>b</text></svg>", "a\nb"),
        ("a\u00adb \u200bc", "a\u00adb \u200bc"),
        ("a\x0cb&#12;c", "a b c"),
        ("&lt;p&gt; &amp; &sect;&#x80;", "<p> & §€"),
        ("<template>no</template><p>a", "a"),
        ("<iframe>no</iframe>a<noscript>no</noscript>", "a"),
        ("a<iframe srcdoc='&lt;p&gt;b&lt;script&gt;no&lt;/script&gt;'>no</iframe>c", "a\n\nb\n\nc"),
        ("<textarea>\n a  b\n</textarea>", " a  b"),
        ("<p>a<br><br><br><br>b", "a\n\nb"),
    ],
)
def test_words_are_neither_glued_nor_split(markup: str, text: str) -> None:
    assert text_of(f"<body>{markup}") == text + "\n"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><td>a<td>b<tr><td>c<td>d", "a | b\nc | d"),
        ("<tr><td>a<td><td>b", "a | | b"),
        ("<tr><td>a<td><td>", "a | |"),
        ("<tr><td><td>b", " | b"),
        ("<tr><td>a<br>b<td><ul><li>c<li>d</ul>", "a b | c d"),
        ("<tr><td>a|b<td><pre>c\n d</pre>", "a|b | c d"),
        ("<thead><tr><th>h</thead><tbody><tr><td>a</tbody>", "h\na"),
    ],
)
def test_tables_are_rows_of_cells(rows: str, text: str) -> None:
    assert text_of(f"<table>{rows}</table>") == text + "\n"


def test_a_layout_table_is_blocks() -> None:
    inner = "<table><tr><td>a<td>b</table>"
    assert text_of(f"<table><tr><td><p>x</p><p>y</p><td>{inner}</table>") == "x\n\ny\n\na | b\n"
    assert text_of("<table role=presentation><tr><td>a<td>b</table>") == "a\nb\n"
    assert text_of("<table><tr><td><h2>T</h2><p>c</table>") == "T\n\nc\n"


def test_header_and_footer_of_a_section_are_not_the_sites() -> None:
    reading = read("<article><header><h1>T</h1></header><footer>f</footer></article>")
    assert reading.landmarks == ()
    reading = read("<div role=navigation>n</div><div role=contentinfo>f</div>")
    assert [mark.kind for mark in reading.landmarks] == [Landmark.NAV, Landmark.FOOTER]


def test_select_and_remove_rules() -> None:
    page = "<div id=a>one<p class=x>two</p></div><div id=b>three</div>"
    whole = read(page)
    part = read(page, Options(select=("#a",), remove=(".x",)))
    assert part.text.data == b"one\n"
    assert whole.rendition.rules == ""
    assert re.fullmatch("[0-9a-f]{64}", part.rendition.rules)
    assert part.rendition.rendition_id != whole.rendition.rendition_id


@pytest.mark.parametrize("rule", ["#nothing", "p:::", "[[["])
def test_a_rule_that_cannot_select_fails_and_never_gives_less(rule: str) -> None:
    reading = read("<p>text</p>", Options(select=(rule,)))
    assert reading.verdict is ExtractVerdict.FAILED
    assert reading.problems[0].code == "rules"
    assert not reading.usable


def test_images_are_known_by_their_bytes_or_their_address() -> None:
    one = read("<p>a<img src='data:image/png;base64,AAAA'><img src=/x.png>")
    two = read("<p>a<img src='data:image/png;base64,AAAB'><img src=/x.png>")
    assert one.text.data == two.text.data
    assert one.images[0] != two.images[0]
    assert one.images[1] == two.images[1]


def test_an_empty_page_says_so() -> None:
    reading = read("<html><body><script>x</script></body></html>")
    assert (reading.verdict, reading.text.data) == (ExtractVerdict.OK, b"")
    assert reading.problems[0].code == "empty"
    assert not reading.usable


WORD = st.text("abcdefgäß漢0123456789§.,-", min_size=1, max_size=8)
INLINE = st.sampled_from(["b", "i", "em", "span", "a", "code", "sup", "u", "mark"])
BLOCK = st.sampled_from(["p", "div", "li", "h2", "section", "blockquote", "td", "dd", "details"])


@st.composite
def clauses(draw: st.DrawFn) -> tuple[str, str]:
    words = draw(st.lists(WORD, min_size=1, max_size=8))
    shown = []
    for word in words:
        cut = draw(st.integers(0, len(word)))
        tag = draw(INLINE)
        shown.append(f"{word[:cut]}<{tag}>{word[cut:]}</{tag}>")
    tag = draw(BLOCK)
    opening = f"<table><tr><td>x</td><{tag}>" if tag == "td" else f"<{tag}>"
    closing = f"</{tag}></tr></table>" if tag == "td" else f"</{tag}>"
    return opening + " ".join(shown) + closing, " ".join(words)


@settings(max_examples=150, deadline=None)
@given(st.lists(clauses(), min_size=1, max_size=6), st.sampled_from(["", "<div hidden>", "<main>"]))
def test_no_clause_is_lost_and_no_word_glued_or_split(
    made: list[tuple[str, str]], around: str
) -> None:
    text = text_of("<body>" + around + "".join(markup for markup, _ in made))
    lines = [re.sub(r"^x \| ", "", line) for line in text.split("\n") if line]
    assert lines == [clause for _, clause in made]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<x-a><template shadowrootmode="open"><p>Clause.</p></template></x-a>', "Clause."),
        ("<template><p>no</p></template>yes", "yes"),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2"),
        ("<math><msqrt><mn>2</mn></msqrt></math>", "\u221a2"),
        ('<span style="display:block">A</span><span style="DISPLAY: flex">B</span>', "A\nB"),
        ('<div style="display:inline">in</div><div style="display:inline">side</div>', "inside"),
        ("<p>see <span style='display:inline-block'>x</span>y</p>", "see xy"),
    ],
)
def test_what_a_browser_makes_of_it(body: str, text: str) -> None:
    assert text_of(body) == text + "\n"


@pytest.mark.parametrize(
    ("body", "hidden"),
    [
        ('<p style="color:#fff">white</p>', 5),
        ('<p style="color: WHITE; background: #ffffff">white</p>', 5),
        ('<div style="background:#003"><p style="color:#fff">seen</p></div>', 0),
        ('<table bgcolor="#000"><tr><td style="color:white">seen</table>', 0),
        ('<p class="banner" style="color:white">seen</p>', 0),
        ('<p style="color:rgba(0,0,0,0)">clear</p>', 5),
        ('<p style="font-size:1px">tiny</p><p style="font-size:.9em">seen</p>', 4),
        ('<p style="position:absolute;left:-9999px">off</p>', 3),
        ('<p style="text-indent:-9999px">off</p><p style="text-indent:2em">seen</p>', 3),
        ('<div style="max-height:0;overflow:hidden">shut</div>', 4),
        ('<p style="opacity:0">a</p><p style="opacity:0.5">b</p><p style="opacity:.00">c</p>', 2),
        ('<p style="position:absolute;clip:rect(0,0,0,0)">clip</p>', 4),
    ],
)
def test_what_nobody_sees_is_kept_and_counted(body: str, hidden: int) -> None:
    reading = extract(Source(f"<!doctype html><body>{body}".encode(), "text/html"))
    assert reading.hidden_characters == hidden
    assert reading.text.data


def test_a_set_of_frames_names_them() -> None:
    page = b"<html><frameset><frame src=policy.html><noframes>none</noframes></frameset></html>"
    reading = extract(Source(page, "text/html"))
    assert [problem.code for problem in reading.problems] == ["frames", "empty"]
    assert "policy.html" in reading.problems[0].message
