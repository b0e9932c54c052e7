"""What tests/prose reads of the project's sources: comments and messages in C.

Each function gives the texts of one file, a paragraph each.
"""
import itertools
import re

# Strings, characters and comments of C, so that none is looked for inside another
TOKEN = re.compile(r'(?P<string>"(?:[^"\\\n]|\\.)*")|\'(?:[^\'\\\n]|\\.)*\'|/\*(?P<comment>.*?)\*/', re.S)
PARAGRAPH = re.compile(r"\n[ \t]*\*?[ \t]*(?=\n)|\n[ \t]*\*[ \t]*(?=\d+\. |- )")
CONVERSION = re.compile(r"%(?:%|[-+ #0-9.*]*(?:hh|h|ll|l|z|j)?[a-zA-Z]|$)")
BETWEEN = re.compile(r"\s*(?:PRI[a-zA-Z0-9]+\s*)?")  # between two strings that the compiler makes one of
SENTENCE = re.compile(r"[a-z,;:] [a-z]")
# SQL, HTML, troff, shell and HTTP
OTHER_LANGUAGE = re.compile(r"^(SELECT|INSERT|CREATE|ALTER|UPDATE|DELETE|PRAGMA|DROP|BEGIN|WITH)\b|<|[{}]$|^\.\W*\w+ |\$\{|; charset=")
# What slurmrestd says, and so the simulator
SLURMS = ("Invalid job id specified", "Unable to parse step id")


def escaped(text):
    """Without what Markdown takes for more than a character; single characters in quotes are no words."""
    return re.sub(r"([*_\[<])", r"\\\1", re.sub(r"'[^\w\s]'", "", text))


def c_comments(file):
    for comment in filter(None, (token["comment"] for token in TOKEN.finditer(file.read_text()))):
        for paragraph in PARAGRAPH.split(comment):
            yield escaped(re.sub(r"\n[ \t]*\*", "\n", paragraph))


def c_strings(code):
    """Each with what the compiler joins to it."""
    whole, end = "", 0
    for token in TOKEN.finditer(code):
        if token["string"] is None:
            continue
        if whole and BETWEEN.fullmatch(code, end, token.start()):
            whole += token["string"][1:-1]
        else:
            yield whole
            whole = token["string"][1:-1]
        end = token.end()
    yield whole


def c_messages(file):
    """The strings with words in them; numbers stand for what the program puts in."""
    for string in c_strings(file.read_text()):
        number = itertools.count(11)
        said = CONVERSION.sub(lambda found: "%" if found[0] == "%%" else str(next(number)), string)
        said = re.sub(r'\\[nt]|\\?"', " ", said)
        if SENTENCE.search(said) and not OTHER_LANGUAGE.search(said) and said not in SLURMS:
            yield escaped(said)
