"""What tests/prose reads of the project's sources: comments of C, Python, shell, CMake, YAML and Jsonnet, and the
messages in C.

Each function gives the texts of one file, a paragraph each.
"""
import ast
import io
import itertools
import re
import tokenize

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
    if file.suffix not in (".c", ".h"):
        return
    for string in c_strings(file.read_text()):
        number = itertools.count(11)
        said = CONVERSION.sub(lambda found: "%" if found[0] == "%%" else str(next(number)), string)
        said = re.sub(r'\\[nt]|\\?"', " ", said)
        if SENTENCE.search(said) and not OTHER_LANGUAGE.search(said) and said not in SLURMS:
            yield escaped(said)


def python_comments(file):
    code = file.read_text()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield from prose_of(ast.get_docstring(node) or "")
    comments = [token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.COMMENT]
    yield from joined((token.start[0], token.string) for token in comments)


def line_comments(file, sign="#"):
    """Those of shell, CMake and YAML; with // of Jsonnet."""
    lines = enumerate(file.read_text().splitlines())
    yield from joined((at, found[0].strip()) for at, line in lines if (found := re.search(rf"(?:^|[ \t]){sign} .*$", line)))


def prose_of(text):
    """The paragraphs that are no examples, which are indented."""
    for paragraph in re.split(r"\n\s*\n", text):
        if not paragraph.startswith("  "):
            yield escaped(paragraph)


def joined(numbered):
    """One text of comments on consecutive lines; an indented line is an example."""
    whole, last = "", None
    for number, comment in numbered:
        said = comment.lstrip("#/")
        if comment.startswith("#!") or said.startswith("   "):
            continue
        if last is not None and number != last + 1:
            yield escaped(whole)
            whole = ""
        whole, last = f"{whole}\n{said}", number
    yield escaped(whole)


def comments(file):
    """None of a file in another language."""
    if file.suffix in (".c", ".h"):
        return c_comments(file)
    if file.suffix == ".py":
        return python_comments(file)
    if file.name == "slurmscope.yml" and file.parent.name == "deploy":
        return ()  # the options, which are read by themselves
    if file.suffix in (".sh", ".cmake", ".yml", ".yaml", ".conf", ".service") or file.name == "CMakeLists.txt":
        return line_comments(file)
    if file.suffix in (".jsonnet", ".libsonnet"):
        return line_comments(file, "//")
    first = file.open("rb").readline() if not file.suffix else b""
    if first.startswith(b"#!"):
        return python_comments(file) if b"python" in first else line_comments(file)
    return ()
