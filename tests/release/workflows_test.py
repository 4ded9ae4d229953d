"""What GitHub reads: the workflows, the issue forms, dependabot and the citation. Nothing is run."""

import json
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"


def read(path):
    return yaml.safe_load((ROOT / path).read_text())


class Workflows(unittest.TestCase):
    def test_actionlint_has_no_complaint(self):
        tools = subprocess.run([ROOT / "scripts/chart-tools"], text=True, capture_output=True)
        self.assertEqual(tools.returncode, 0, tools.stderr)
        done = subprocess.run([pathlib.Path(tools.stdout.strip()) / "actionlint", "-no-color",
                               *sorted(GITHUB.glob("workflows/*.yml"))], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_continuous_integration_is_what_anybody_can_run(self):
        for name in ("ci", "release"):
            steps = read(f".github/workflows/{name}.yml")["jobs"]["test"]["steps"]
            self.assertIn(".ci/run", [step.get("run") for step in steps], name)

    def test_a_release_needs_the_tests_on_both_processors(self):
        jobs = read(".github/workflows/release.yml")["jobs"]
        self.assertEqual(jobs["test"]["strategy"]["matrix"]["runner"], ["ubuntu-24.04", "ubuntu-24.04-arm"])

        def needs(name):
            direct = jobs[name].get("needs", [])
            direct = [direct] if isinstance(direct, str) else direct
            return set(direct).union(*(needs(each) for each in direct))

        for name in set(jobs) - {"test"}:
            self.assertIn("test", needs(name), name)
        self.assertEqual(needs("publish"), set(jobs) - {"publish"})

    def test_issue_forms_have_what_github_demands(self):
        forms = [path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]
        self.assertEqual({path.stem for path in forms}, {"bug", "idea", "wrong-verdict"})
        for path in forms:
            form = yaml.safe_load(path.read_text())
            self.assertTrue(form["name"] and form["description"], path)
            ids = [part["id"] for part in form["body"]]
            self.assertEqual(len(ids), len(set(ids)), path)
            for part in form["body"]:
                self.assertIn(part["type"], ("textarea", "input", "dropdown"), path)
                self.assertTrue(part["attributes"]["label"], path)
        self.assertIn("explain --json", (GITHUB / "ISSUE_TEMPLATE/wrong-verdict.yml").read_text())

    def test_dependabot_looks_into_folders_that_hold_something(self):
        for update in read(".github/dependabot.yml")["updates"]:
            folder = ROOT / update["directory"].strip("/")
            wanted = {"docker": "Dockerfile", "maven": "*pom.xml", "pip": "pyproject.toml",
                      "github-actions": ".github/workflows/*.yml"}[update["package-ecosystem"]]
            if folder.name != "python" or folder.exists():
                self.assertTrue(list(folder.glob(wanted)), update)

    def test_citation_and_container_for_editors_can_be_read(self):
        citation = read("CITATION.cff")
        version = re.search(r"project\(neardup VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(citation["version"], version)
        self.assertTrue(citation["title"] and citation["authors"] and citation["message"])
        text = (ROOT / ".devcontainer/devcontainer.json").read_text()
        container = json.loads(re.sub(r"(?m)^//.*$", "", text))
        self.assertIn("scripts/install", container["onCreateCommand"])


if __name__ == "__main__":
    unittest.main()
