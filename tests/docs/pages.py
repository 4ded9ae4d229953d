"""Runs the documentation: every command shown in README.md and docs/*.md, against the output shown.

    pages.py ROOT --neardup build/release/neardup [--kind plain|kafka|embed] [--page docs/embed.md]
    pages.py ROOT --links

Exits with 1 and prints `page:line: what is wrong` if a page does not hold.

How a page is written. Only fenced blocks are used, and the first word after the fence says what the
block is. Readers see that word as a choice of colours, and nothing of the words after it.

    console          a session, see below
    console kafka    a session that needs a broker (kind `kafka`)
    console embed    a session that compiles code (kind `embed`)
    console running  commands that keep running until the page ends (kind `kafka`)
    yaml NAME, c NAME, cpp NAME, cmake NAME, json NAME, python NAME, java NAME, go NAME
                     a file: the block is written to NAME before the next session starts
    text, mermaid    figures and formats; nothing is run
    pycon            a session of Python, which python/tests/test_docs.py runs

A session is a list of commands and the output of each:

    $ neardup filter --input a.jsonl     a command starts with `$ `; it may continue with `\\` at the
                                         end of the line or with a here-document
    6 records in 0.03 s                  lines up to the next command are its output, standard error
                                         included

  * A line `...` stands for any lines, also for none. `…` within a line, with the spaces before
    it, stands for any text.
  * A number before ` s`, ` ms`, ` us` or `/s` varies from run to run: any number matches it.
  * White space at the ends of lines, and blank lines at either end of the output, do not count.
  * A command without output must print nothing.
  * A command that fails is followed by `$ echo $?` with its exit code.

A figure that a command prints may stand in prose, or in a block that is not run. A comment before it holds
it, and readers do not see that comment:

    <!-- figure: COMMAND -->

Every line that COMMAND prints must stand in the paragraph or block that follows. A memory limit without such
a comment is an error.

The blocks of a page run in order, in one shell and in one temporary directory that holds links to
the folders of the repository; `neardup` is on the PATH. Pages do not share anything. With a broker,
the output of a command may take a moment: the command is repeated until its output matches.

`--links` also checks table rows that begin with a quoted message. It splits the message at `…`. Each piece of
two or more words must occur in src, or in LIBRARY_MESSAGES.

EXCEPTIONS lists the commands that are shown and not run, and APPROXIMATE those whose numbers may differ
a little, each with its reason. Anything else that is not understood is an error.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

# Command as shown (without its comment) -> why it is not run here.
EXCEPTIONS = {
    "scripts/quickstart": "installs packages as root; continuous integration runs its parts",
    "scripts/test": "runs this test; continuous integration runs it",
    "cmake --build build-with-library --target sample >build.log":
        "compiles the library a second time; the release runs scripts/wheel, which adds the library as a folder in the same way",
    "build-with-library/sample": "see the command above",
    "python3 duplicates.py localhost:19092 articles.duplicate": "needs a Python client, which the tests do not install",
    "go run duplicates.go <values.txt": "needs Go, which the tests do not install",
}

# Command as shown -> why the numbers it prints may differ a little (NEAR_ENOUGH) from run to run.
APPROXIMATE = {
    "neardup demo 2>/dev/null": "the order in which partitions are polled decides some verdicts",
}
NEAR_ENOUGH = 0.01

RUNS_FOR_S_MAX = 1200
MATCHES_WITHIN_S = 60
FILE_LANGUAGES = ("yaml", "c", "cpp", "cmake", "json", "python", "java", "go")
STILL_LANGUAGES = ("text", "mermaid", "pycon")
KINDS = ("plain", "kafka", "embed")
BROKER_PORT = "19092"
METRICS_PORT = "9404"
TOP_FOLDERS = ("config", "docs", "helm", "include", "scripts", "src", "tests")

FENCE = re.compile(r"^(\s*)```(.*)$")
NUMBER = re.compile(r"\d[\d,.]*(?= (?:s|ms|us)\b| ?[a-z]*/s\b)")
FIGURE = re.compile(r"^\s*<!-- figure: (.*\S) -->$")
MEMORY_LIMIT = re.compile(r"(?:--memory[ =]|MemoryMax=|mem_limit: *|\bmemory: *)\d\S*")
HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
COMMENT = re.compile(r"\s+#\s.*$")


class Breach(Exception):
    """A page does not hold; the text starts with `page:line:`."""


class Block:
    def __init__(self, page, line, words):
        self.page, self.line, self.words = page, line, words
        self.lines = []

    def fail(self, text, line=0):
        raise Breach(f"{self.page}:{self.line + line}: {text}")

    @property
    def language(self):
        return self.words[0] if self.words else ""

    @property
    def kind(self):
        tag = self.words[1] if len(self.words) > 1 else ""
        return {"": "plain", "kafka": "kafka", "running": "kafka", "embed": "embed"}.get(tag)


class Command:
    """One command of a session, with the output that is shown for it."""

    def __init__(self, block, line, text):
        self.block, self.line, self.text = block, line, text
        self.expected = []
        self.code_is_shown = False

    def fail(self, text):
        self.block.fail(text, self.line)


class Figure:
    """What a command prints, and the lines of the page in which it must stand."""

    language = "figure"
    kind = "plain"

    def __init__(self, page, line, command, lines):
        self.page, self.line, self.command, self.lines = page, line, command, lines

    def hold(self, shell):
        """Runs the command; raises unless the lines show what it prints."""
        printed, code = shell.run(self.command)
        printed = without_blank_ends(printed)
        if code != 0 or not printed:
            raise Breach(f"{self.page}:{self.line}: `{self.command}` ends with exit code {code} and prints\n" +
                         "\n".join("    " + line for line in printed))
        for figure in printed:
            if not re.search(rf"(?<![\w.,]){re.escape(figure.strip())}(?![\d,]|\.\d)", "\n".join(self.lines)):
                raise Breach(f"{self.page}:{self.line}: `{self.command}` prints\n    {figure}\n"
                             "  which does not stand in the paragraph or block that follows:\n" +
                             "\n".join("    " + line for line in self.lines))


def part_after(text, number):
    """The lines of the paragraph or the fenced block after the line `number`."""
    lines = text.splitlines()[number:]
    while lines and not lines[0].strip():
        lines.pop(0)
    fenced = lines and FENCE.match(lines[0])
    end = next((i for i, line in enumerate(lines[1:], 1)
                if (FENCE.match(line) if fenced else not line.strip())), len(lines))
    return lines[:end]


def memory_limits_of(text):
    """(line, limit) of each memory limit in a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in MEMORY_LIMIT.finditer(line):
            yield number, found.group(0)


def blocks_of(page, text):
    """The fenced blocks of a page and the figures that commands print, in order."""
    block, indent, blocks = None, "", []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        figure = FIGURE.match(line)
        if figure and block is None:
            blocks.append(Figure(page, number, figure.group(1), part_after(text, number)))
        elif fence and block is None:
            indent, words = fence.group(1), fence.group(2).split()
            block = Block(page, number, words)
            if not words:
                block.fail("a block needs a first word: console, a file's language, pycon, text or mermaid")
        elif fence:
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line.removeprefix(indent))
        elif re.match(r"^(?: {4}|\t)\S", line) and not blank_before_is_list(text, number):
            raise Breach(f"{page}:{number}: an indented block; write it between fences")
    if block is not None:
        block.fail("the block has no end")
    return blocks


def blank_before_is_list(text, number):
    """Whether the indented line `number` continues an item of a list."""
    for line in reversed(text.splitlines()[:number - 1]):
        if line and not line[0].isspace():
            return bool(re.match(r"([-*]|\d+\.) ", line))
    return False


def commands_of(block):
    """The commands of a session."""
    commands, lines = [], enumerate(block.lines, 1)
    for number, line in lines:
        if not line.startswith("$ "):
            if not commands:
                block.fail("a session starts with `$ ` and a command", number)
            commands[-1].expected.append(line)
            continue
        command = Command(block, number, line[2:])
        commands.append(command)
        ends = [found.group(2) for found in HERE_DOCUMENT.finditer(line)]
        while command.text.endswith("\\") or ends:
            number, line = next(lines, (number, None))
            if line is None:
                command.fail("the command has no end")
            command.text += "\n" + line
            if ends and line == ends[0]:
                ends.pop(0)
    for command, following in zip(commands, commands[1:]):
        command.code_is_shown = following.text.strip() == "echo $?"
    return commands


def normal(line):
    """A line with the numbers that vary replaced."""
    return NUMBER.sub("<number>", line.rstrip())


def line_matches(expected, actual, approximate):
    """Whether a line of output is as shown."""
    expected, actual = normal(expected), normal(actual)
    if approximate:
        return nearly_equal(expected, actual)
    pieces = [re.escape(piece) for piece in re.sub(" +…", "…", expected).split("…")]
    return re.fullmatch(".*".join(pieces), actual) is not None


def nearly_equal(expected, actual):
    """Whether two lines have the same words, and numbers that differ by NEAR_ENOUGH at most."""
    number = re.compile(r"\d[\d,.]*")
    if number.sub("#", expected).split() != number.sub("#", actual).split():
        return False
    pairs = zip(number.findall(expected), number.findall(actual))
    values = [(float(left.replace(",", "")), float(right.replace(",", ""))) for left, right in pairs]
    return all(abs(left - right) <= max(1, NEAR_ENOUGH * left) for left, right in values)


def matches(expected, actual, approximate=False):
    """Whether lines of output are as shown, `...` standing for any lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(matches(expected[1:], actual[i:], approximate) for i in range(len(actual) + 1))
    if not actual or not line_matches(expected[0], actual[0], approximate):
        return False
    return matches(expected[1:], actual[1:], approximate)


def without_blank_ends(lines):
    lines = list(lines)
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class Shell:
    """One bash that runs the commands of a page one after the other."""

    MARK = "END-OF-COMMAND-7f3a"

    def __init__(self, folder, environment):
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)

    def run(self, text):
        """Output lines and exit code of a command."""
        self.bash.stdin.write(f"{{ {text}\n}} </dev/null\n__code=$?; "
                              f"printf '\\n{self.MARK} %d\\n' $__code; (exit $__code)\n")
        self.bash.stdin.flush()
        timer = threading.Timer(RUNS_FOR_S_MAX, self.kill)
        timer.start()
        try:
            lines = []
            for line in self.bash.stdout:
                if line.startswith(self.MARK):
                    # The line break before the mark ends output that does not end in one.
                    if lines and not lines[-1]:
                        lines.pop()
                    return lines, int(line.split()[1])
                lines.append(line.rstrip("\n"))
        finally:
            timer.cancel()
        raise Breach("the shell ended, or the command took longer than "
                     f"{RUNS_FOR_S_MAX} s; it printed:\n" + "\n".join(lines))

    def kill(self):
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        self.kill()
        self.bash.communicate()


def free_ports(count):
    """The first of `count` free ports in a row, outside the range that clients get theirs from."""
    while True:
        first = random.randrange(10000, 30000)
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()


class Places:
    """The ports that pages name, and the free ones that are used in their place."""

    def __init__(self, kind):
        self.broker, self.metrics = BROKER_PORT, METRICS_PORT
        if kind == "kafka":
            # `scripts/kafka` takes the port after the broker's for its controller.
            first = free_ports(3)
            self.broker, self.metrics = str(first), str(first + 2)

    def to_real(self, text):
        text = text.replace(":" + BROKER_PORT, ":" + self.broker)
        if text.startswith("scripts/kafka start") and self.broker != BROKER_PORT:
            text = text.replace("start", f"start --port {self.broker} --fast-start", 1)
        if text.startswith("neardup healthcheck") and self.metrics != METRICS_PORT:
            text = text.replace("healthcheck",
                                f"healthcheck --url http://127.0.0.1:{self.metrics}/readyz", 1)
        return text.replace(":" + METRICS_PORT, ":" + self.metrics)

    def to_shown(self, line):
        return line.replace(":" + self.broker, ":" + BROKER_PORT).replace(
            ":" + self.metrics, ":" + METRICS_PORT)


class Page:
    """Runs the blocks of one page."""

    def __init__(self, root, neardup, page, text):
        self.root, self.neardup, self.page = pathlib.Path(root).resolve(), neardup, page
        self.text, self.blocks = text, blocks_of(page, text)
        self.excepted = set()
        self.ran = 0

    def kinds(self):
        return {block.kind for block in self.blocks if block.language in ("console", "figure")}

    def check_understood(self):
        """Reads every block, whatever its kind."""
        held = [line for block in self.blocks if block.language == "figure" for line in block.lines]
        for number, limit in memory_limits_of(self.text):
            if not any(limit in line for line in held):
                raise Breach(f"{self.page}:{number}: `{limit}` is a memory limit; write a comment "
                             "`<!-- figure: COMMAND -->` with the command that prints it before its block")
        for block in self.blocks:
            if block.language == "figure":
                continue
            if block.language == "console":
                if block.kind is None:
                    block.fail(f"unknown kind of session '{block.words[1]}'")
                if not commands_of(block):
                    block.fail("a session without a command")
            elif block.language in FILE_LANGUAGES:
                if len(block.words) != 2:
                    block.fail(f"'{block.language}' needs the name of a file after it")
            elif block.language not in STILL_LANGUAGES:
                block.fail(f"unknown kind of block '{block.language}'")
            elif any(line.startswith("$ ") for line in block.lines):
                block.fail("a command in a block that is not run")

    def run(self, kind):
        self.check_understood()
        with tempfile.TemporaryDirectory(prefix="neardup-docs-") as folder:
            self._run_in(pathlib.Path(folder), kind)

    def _environment(self, folder, places):
        environment = dict(os.environ)
        for name in [name for name in environment if name.startswith("NEARDUP_")]:
            if name != "NEARDUP_CACHE":
                del environment[name]
        (folder / "bin").mkdir()
        os.symlink(pathlib.Path(self.neardup).resolve(), folder / "bin" / "neardup")
        (folder / "tmp").mkdir()
        environment["PATH"] = f"{folder / 'bin'}:{environment['PATH']}"
        environment["TMPDIR"] = str(folder / "tmp")
        environment["LC_ALL"] = "C.UTF-8"
        if places.metrics != METRICS_PORT:
            environment["NEARDUP_METRICS__PORT"] = places.metrics
        return environment

    def _run_in(self, folder, kind):
        work = folder / "work"
        work.mkdir()
        for name in TOP_FOLDERS:
            if (self.root / name).exists():
                os.symlink(self.root / name, work / name)
        os.symlink(self.root, work / "neardup")
        places = Places(kind)
        shell = Shell(work, self._environment(folder, places))
        running = []
        try:
            for block in self.blocks:
                if block.language in FILE_LANGUAGES:
                    (work / block.words[1]).write_text("\n".join(block.lines) + "\n")
                if block.language == "figure":
                    block.hold(shell)
                    self.ran += 1
                if block.language != "console" or not self._belongs(block, kind):
                    continue
                for command in commands_of(block):
                    if self._is_excepted(command):
                        continue
                    if block.words[1:] == ["running"]:
                        running.append(self._start(shell, command, places))
                    else:
                        self._hold(shell, command, places)
                    self.ran += 1
        finally:
            for process in running:
                shell.run(f"kill {process}; wait {process}")
            if kind == "kafka":
                shell.run("scripts/kafka stop")
            shell.close()

    @staticmethod
    def _belongs(block, kind):
        # Pages with a broker or a compiler may need what their plain sessions made.
        return block.kind in ("plain", kind)

    def _is_excepted(self, command):
        text = COMMENT.sub("", command.text).strip()
        if text not in EXCEPTIONS:
            return False
        self.excepted.add(text)
        return True

    @staticmethod
    def _start(shell, command, places):
        text = COMMENT.sub("", places.to_real(command.text))
        lines, code = shell.run(f"{text} >running.log 2>&1 &\necho $!")
        if code != 0 or not lines:
            command.fail("could not be started")
        return lines[-1]

    @staticmethod
    def _hold(shell, command, places):
        """Runs a command; raises unless it prints what is shown and ends as is shown."""
        deadline = time.monotonic() + (MATCHES_WITHIN_S if command.block.kind == "kafka" else 0)
        expected = without_blank_ends(command.expected)
        approximate = COMMENT.sub("", command.text).strip() in APPROXIMATE
        while True:
            try:
                lines, code = shell.run(places.to_real(command.text))
            except Breach as breach:
                command.fail(f"`{command.text}`: {breach}")
            actual = without_blank_ends(places.to_shown(line) for line in lines)
            prints_as_shown = matches(expected, actual, approximate)
            if prints_as_shown and (code == 0 or command.code_is_shown):
                return
            if time.monotonic() >= deadline or command.text.strip() == "echo $?":
                break
            time.sleep(0.5)
        text = f"`{command.text}` prints\n" + "\n".join("    " + line for line in actual)
        if not prints_as_shown:
            command.fail(text + "\n  where the page shows\n" +
                         "\n".join("    " + line for line in expected))
        command.fail(text + f"\n  and ends with exit code {code}; show that with `$ echo $?`")


# --- links, names and messages -----------------------------------------------------------------------

# The client library or the broker prints these.
LIBRARY_MESSAGES = {"SASL authentication error", "SSL handshake failed"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
INLINE_CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^(?:%s)/[\w./*-]+$" % "|".join(TOP_FOLDERS))
HEADING = re.compile(r"^#+\s+(.*)$", re.M)


def anchors_of(text):
    """The anchors a Markdown page offers, as GitHub makes them of its headings."""
    anchors = set()
    for heading in HEADING.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
        plain = re.sub(r"[^\w\s-]", "", heading.lower())
        anchors.add(re.sub(r"\s", "-", plain))
    return anchors


def settings_of(neardup):
    """Every setting that `config reference` names, and every section."""
    text = subprocess.run([neardup, "config", "reference"], capture_output=True, text=True,
                          check=True).stdout
    names = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)`", text))
    return names | {name.split(".")[0] for name in names}


def broken_links(root, page, text, settings):
    """(line, what) of each link, file or setting that the page names and that does not exist."""
    root = pathlib.Path(root)
    folder = (root / page).parent
    sections = {name.split(".")[0] for name in settings if "." in name}
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            in_block = not in_block
            continue
        if in_block:
            continue
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (folder / path) if path else root / page
            if not file.exists():
                yield number, f"link to {target}: there is no such file"
            elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
                yield number, f"link to {target}: there is no such heading"
        for code in INLINE_CODE.findall(line):
            if PATH.match(code):
                if not (any(root.glob(code)) if "*" in code else (root / code).exists()):
                    yield number, f"`{code}`: there is no such file"
            elif (re.fullmatch(r"[a-z]+\.[a-z_]{3,}", code)
                  and code.split(".")[0] in sections):
                if code not in settings:
                    yield number, f"`{code}`: there is no such setting"


def printed_texts(root):
    """The sources, with the pieces of each string joined."""
    sources = (path.read_text(encoding="utf-8") for path in sorted((pathlib.Path(root) / "src").rglob("*"))
               if path.suffix in (".cc", ".h"))
    return re.sub(r'"\s*"', "", "\n".join(sources))


def unknown_messages(text, printed):
    """(line, what) of each message that begins a row of a table and that the program cannot print. `…` in a
    message stands for a variable part, or for the border between two strings that the program joins."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('| "'):
            for message in re.findall(r'"([^"]+)"', line.split(" | ")[0]):
                for piece in re.split(r"…|\(s\)", message):
                    piece = piece.strip(" :;,.")
                    if " " in piece and piece not in LIBRARY_MESSAGES and piece not in printed:
                        yield number, f'"{piece}": src prints no such message'


def pages_of(root):
    root = pathlib.Path(root)
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    others = (root / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "ROADMAP.md",
                                     "CODE_OF_CONDUCT.md", "src/README.md"))
    pages += [page for page in others if page.exists()]
    return [page.relative_to(root).as_posix() for page in pages]


def check_links(root, neardup):
    settings = settings_of(neardup)
    printed = printed_texts(root)
    found = 0
    for page in pages_of(root):
        text = (pathlib.Path(root) / page).read_text(encoding="utf-8")
        for number, what in (*broken_links(root, page, text, settings), *unknown_messages(text, printed)):
            print(f"{page}:{number}: {what}")
            found += 1
    return found


def check_pages(root, neardup, kind, only):
    found, ran, excepted = 0, 0, set()
    for name in only or pages_of(root):
        try:
            page = Page(root, neardup, name, (pathlib.Path(root) / name).read_text(encoding="utf-8"))
            page.check_understood()
            excepted |= {COMMENT.sub("", command.text).strip() for block in page.blocks
                         if block.language == "console" for command in commands_of(block)}
            if kind in page.kinds():
                page.run(kind)
            ran += page.ran
        except Breach as breach:
            print(breach)
            found += 1
    if not only:
        for command in sorted(set(EXCEPTIONS) - excepted):
            print(f"EXCEPTIONS: no page shows '{command}'")
            found += 1
    print(f"{kind}: {ran} commands run, {found} pages that do not hold")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root")
    parser.add_argument("--neardup", required=True)
    parser.add_argument("--kind", choices=KINDS, default="plain")
    parser.add_argument("--page", action="append", default=[])
    parser.add_argument("--links", action="store_true")
    arguments = parser.parse_args()
    neardup = shutil.which(arguments.neardup) or arguments.neardup
    found = (check_links(arguments.root, neardup) if arguments.links else
             check_pages(arguments.root, neardup, arguments.kind, arguments.page))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
