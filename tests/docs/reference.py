"""Checks the parts of the manual that the program or its sources say, or writes them again.

    reference.py --neardup build/release/neardup [--write]

- docs/reference-settings.md is what `neardup config reference` prints.
- docs/reference-commands.md is the help of every command, and the exit codes.
- The tables of exit codes, dead-letter reasons and checks of `verify` in other pages have a row for each one.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def printed(neardup, *words):
    text = subprocess.run([neardup, *words], capture_output=True, text=True, check=True).stdout
    return text.replace(f"Usage: {neardup} ", "Usage: neardup ")


def commands(neardup, *names):
    """The words of all commands that take no other command."""
    listed = re.search(r"(?ms)^Subcommands:\n(.*?)\n\n", printed(neardup, *names, "--help") + "\n\n")
    if not listed:
        return [names]
    return [leaf for name in re.findall(r"(?m)^  (\w+)", listed.group(1)) for leaf in commands(neardup, *names, name)]


def settings_page(neardup):
    return ("# All settings\n\n`neardup config reference` prints this page. [Configure](configure.md) says where values "
            "come from, and which of them may change while the service runs.\n\n" +
            printed(neardup, "config", "reference").replace("\n### ", "\n## ").strip() + "\n")


def exit_codes(neardup):
    """(code, meaning), as `neardup --help` prints them."""
    text = printed(neardup, "--help").split("Exit codes:\n")[1].split("\n\n")[0]
    return re.findall(r"(?m)^  (\d[\d, ]*?)  +(\S.*)$", text)


def commands_page(neardup):
    parts = ["# All commands\n\nThe help of every command, as the program prints it. [The tour](tour.md#commands) "
             "says what each is for.\n\n## Exit codes\n\n| code | meaning |\n| ---: | --- |"]
    parts += [f"| {code} | {meaning} |" for code, meaning in exit_codes(neardup)]
    for names in commands(neardup):
        parts.append(f"\n## neardup {' '.join(names)}\n\n```text\n"
                     f"{printed(neardup, *names, '--help').strip()}\n```")
    return "\n".join(parts) + "\n"


def missing_rows(page, heading, names):
    """The names that have no row of their own below a heading of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    section = re.split(r"(?m)^#+ ", text[text.index(heading) + len(heading):])[0]
    return [name for name in names if not re.search(rf"(?m)^\|[^|]*(?<!\w){re.escape(name)}(?!\w)[^|]*\|", section)]


def names_in(path, function):
    """What a function `Name` of the code returns, from its cases or its list, but for the case that stands for none."""
    text = (ROOT / path).read_text(encoding="utf-8").split(function)[1].split("\n}")[0]
    listed = re.search(r"kNames = \{(.*?)\};", text, re.DOTALL)
    names = re.findall(r'"(\w+)"', listed[1]) if listed else re.findall(r'case [\w:]+:\s+return "(\w+)";', text)
    return [name for name in names if name != "none"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neardup", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    wrong = []
    for name, page in (("reference-settings.md", settings_page), ("reference-commands.md", commands_page)):
        text = page(arguments.neardup)
        if arguments.write:
            (DOCS / name).write_text(text, encoding="utf-8")
        elif not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text:
            wrong.append(f"docs/{name} is not what the program prints; run tests/docs/reference.py with --write")
    rows = (("configure.md", "## Exit codes", [code for code, _ in exit_codes(arguments.neardup)]),
            ("recovery.md", "## Dead letters", names_in("include/neardup/verdict.h", "Name(Reason reason)")),
            ("run-on-kafka.md", "## Check the guarantees",
             names_in("src/commands/verify/report.cc", "Name(AuditCheck check)")))
    for page, heading, names in rows:
        if not names:
            wrong.append(f"docs/{page}: found no names for {heading}")
        wrong += [f"docs/{page}: {heading}: no row for `{name}`" for name in missing_rows(page, heading, names)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
