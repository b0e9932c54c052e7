"""A page for people, read strictly: well-formed, readable without script, style or anything from elsewhere."""

import re
from html.parser import HTMLParser

EMPTY = {"meta", "link", "rect", "br"}


class Page(HTMLParser):
    """Raises at what no page of ours has; keeps the words, by the heading of the second or third order that they stand under."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.words = [], set(), [], {"": []}
        self.heading, self.level, self.title, self.labels = "", 0, "", []
        if not text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"):
            raise AssertionError(f"begins with {text[:60]!r}")
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"never closed: {self.open}")
        if lost := {label for label in self.labels} - self.ids:
            raise AssertionError(f"labelled by what is not there: {lost}")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("script", "style", "img", "iframe", "form", "input") or any(name.startswith("on") or name == "style" for name in values):
            raise AssertionError(f"<{tag} {attributes}>")
        if values.get("id") in self.ids:
            raise AssertionError(f"the id {values['id']} twice")
        self.ids |= {values["id"]} if "id" in values else set()
        if "aria-labelledby" in values:
            self.labels.append(values["aria-labelledby"])
        if tag == "th" and values.get("scope") not in ("row", "col"):
            raise AssertionError("a heading of neither row nor column")
        if tag == "svg" and values.get("aria-hidden") != "true":
            raise AssertionError("a picture without words")
        for name in ("href", "src"):
            if name in values:
                self.links.append(values[name])
                if re.match(r"[a-z]+:|//", values[name]):
                    raise AssertionError(f"leads elsewhere: {values[name]}")
        if fits := re.fullmatch(r"h([1-6])", tag):
            if int(fits[1]) > self.level + 1:
                raise AssertionError(f"<{tag}> after <h{self.level}>")
            self.level = int(fits[1])
            self.heading = ""
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes nothing")
        if re.fullmatch(r"h[1-6]", tag):
            self.words.setdefault(self.heading.strip(), [])

    def handle_data(self, data):
        if self.open and self.open[-1] == "title":
            self.title += data
        elif any(re.fullmatch(r"h[1-6]", tag) for tag in self.open):
            self.heading += data
        elif data.strip():
            self.words.setdefault(self.heading.strip(), []).append(data.strip())

    def under(self, heading):
        """What stands under the first heading that begins so, as one line."""
        for found, words in self.words.items():
            if found.removeprefix("✓").removeprefix("!").removeprefix("✗").removeprefix("?").strip().startswith(heading):
                return " ".join(words)
        raise AssertionError(f"no heading {heading}: {list(self.words)}")

    @property
    def text(self):
        return " ".join(" ".join([heading, *words]) for heading, words in self.words.items())
