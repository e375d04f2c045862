"""A page as a program reads it: tags, headings, texts, the cells of its tables."""

import html.parser
import re


class Page(html.parser.HTMLParser):
    """Tags, headings, texts and the cells of tables of a page; `figures` are all its numbers."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.headings, self.tables = [], [], [], {}
        self.texts, self.figures = [], []
        self.table = self.cell = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        given = dict(attrs)
        if tag == "table":
            self.table = self.tables.setdefault(given["data-name"], [])
        elif tag == "tr":
            self.table.append([])
        elif tag in {"th", "td"}:
            self.cell = {"text": "", "value": None, "scope": given.get("scope")}
            self.table[-1].append(self.cell)
        elif tag == "data":
            self.figures.append(float(given["value"]))
            if self.cell is not None:
                self.cell["value"] = float(given["value"])
        elif re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        if tag in {"th", "td"}:
            self.cell = None

    def handle_data(self, data):
        self.texts.append(data)
        if self.cell is not None:
            self.cell["text"] += data

    def values(self, name):
        """The numbers of a table, row by row, None where a cell holds none."""
        return [[cell["value"] for cell in row[1:]] for row in self.tables[name][1:]]
