"""Shared by the chart tests: the tools, helm's output as objects, and the parts of the chart that are generated.

    chart.py --neardup build/release/neardup --write

writes the generated parts again: README.md, `config` in values.schema.json, the dashboard, and rendered/.
"""

import argparse
import contextlib
import functools
import io
import json
import os
import pathlib
import re
import runpy
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "neardup"
RENDERED = pathlib.Path(__file__).resolve().parent / "rendered"
NEARDUP = pathlib.Path(os.environ.get("NEARDUP", ROOT / "build" / "release" / "neardup"))
RELEASE, NAMESPACE = "news", "search"

# The values files of the chart by name.
EXAMPLES = {path.stem.removesuffix("-values"): path for path in
            sorted([*CHART.glob("ci/*-values.yaml"), *CHART.glob("examples/*-values.yaml")])}
# The examples whose rendering is kept, so that a review shows what a change of the templates does.
KEPT = ("default", "everything")


@functools.cache
def tool(name):
    done = subprocess.run([ROOT / "scripts" / "chart-tools"], text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return pathlib.Path(done.stdout.strip()) / name


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


def values_arguments(values=(), sets=None):
    """Arguments of helm for values files, and for values given as {path: value}."""
    arguments = [part for path in values for part in ("-f", path)]
    for path, value in (sets or {}).items():
        arguments += ["--set-json", f"{path}={json.dumps(value)}"]
    return arguments


def template(values=(), sets=None, more=()):
    return run(tool("helm"), "template", RELEASE, CHART, "--namespace", NAMESPACE,
               *values_arguments(values, sets), *more)


def text_of(values=(), sets=None):
    done = template(values, sets)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def objects(values=(), sets=None):
    """The rendered objects by kind and name; a kind that occurs once also stands under the kind alone."""
    found = {}
    for each in yaml.safe_load_all(text_of(values, sets)):
        if each:
            found[each["kind"], each["metadata"]["name"]] = each
            found.setdefault(each["kind"], each)
    return found


def service_config(found):
    """The service's configuration among rendered objects, as text."""
    return found["ConfigMap"]["data"]["neardup.yaml"]


def config_schema(printed):
    """Returns (schema of the value `config`, definitions) for the output of `neardup config schema`. Leaves out
    descriptions, and the parts of patterns that Go's regular expressions do not have."""
    def reduced(part):
        if isinstance(part, list):
            return [reduced(item) for item in part]
        if not isinstance(part, dict):
            return part
        kept = {key: ({name: reduced(item) for name, item in value.items()}
                      if key in ("properties", "definitions") else reduced(value))
                for key, value in part.items()
                if key not in ("description", "default", "title", "$schema", "minProperties")}
        if isinstance(kept.get("pattern"), str):
            kept["pattern"] = re.sub(r"\(\?!.*?\$\)", "", kept["pattern"])
        return kept

    schema = reduced(printed)
    return schema, schema.pop("definitions")


def schema_with_config():
    """values.schema.json as it must be: its own part, and the settings of the program."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    printed = json.loads(run(NEARDUP, "config", "schema", check=True).stdout)
    schema["properties"]["config"], schema["definitions"] = config_schema(printed)
    return json.dumps(schema, indent=1) + "\n"


def readme():
    done = run(tool("helm-docs"), "--dry-run", "--chart-search-root", CHART, "--log-level", "error")
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout.strip() + "\n"


def dashboard():
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        runpy.run_path(str(ROOT / "helm" / "dashboard.py"), run_name="__main__")
    return written.getvalue()


class Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such, and a version in quotes, where scripts/release looks for it."""


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar(
    "tag:yaml.org,2002:str", text, style="|" if "\n" in text else '"' if re.fullmatch(r"\d+\.\d+\.\d+", text) else None))


def rendered(name):
    """The objects of an example. What has no parts of its own stands on one line, whatever the length of the version."""
    found = [each for each in yaml.safe_load_all(text_of([EXAMPLES[name]])) if each]
    return yaml.dump_all(found, Dumper=Dumper, sort_keys=False, default_flow_style=None, width=1000)


def generated():
    """Path and content of each generated file."""
    yield CHART / "values.schema.json", schema_with_config
    yield CHART / "dashboards" / "neardup.json", dashboard
    yield CHART / "README.md", readme
    for name in KEPT:
        yield RENDERED / f"{name}.yaml", functools.partial(rendered, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neardup", default=NEARDUP)
    parser.add_argument("--write", action="store_true", required=True)
    globals()["NEARDUP"] = parser.parse_args().neardup
    RENDERED.mkdir(exist_ok=True)
    for path, content in generated():
        path.write_text(content())


if __name__ == "__main__":
    main()
