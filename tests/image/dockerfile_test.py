"""scripts/Dockerfile and what it must agree with: the chart, the version, .dockerignore. Builds nothing; scripts/image
test does that."""

import json
import os
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEARDUP = os.environ["NEARDUP"]
DOCKERFILE = ROOT / "scripts/Dockerfile"


def run(*command):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True)


def instructions():
    """The instructions as (name, arguments), with continued lines joined and comments left out."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def of_last_stage(name):
    last = max(i for i, (word, _) in enumerate(instructions()) if word == "FROM")
    return [arguments for word, arguments in instructions()[last:] if word == name]


class Dockerfile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.values = yaml.safe_load((ROOT / "helm/neardup/values.yaml").read_text())
        cls.statefulset = (ROOT / "helm/neardup/templates/statefulset.yaml").read_text()

    def test_hadolint_has_no_complaint(self):
        tools = run(ROOT / "scripts/chart-tools").stdout.strip()
        # DL3008 wants versions of Debian packages; a release of Debian keeps them compatible.
        done = run(pathlib.Path(tools) / "hadolint", "--ignore", "DL3008", DOCKERFILE)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_user_is_that_of_the_chart(self):
        context = self.values["podSecurityContext"]
        self.assertEqual(of_last_stage("USER"), [f"{context['runAsUser']}:{context['runAsGroup']}"])

    def test_the_only_volume_is_the_state_folder_of_the_chart(self):
        volume, = of_last_stage("VOLUME")
        self.assertIn(f"mountPath: {volume}\n", self.statefulset)
        self.assertTrue(volume in json.loads(of_last_stage("CMD")[0]))

    def test_port_and_health_check_are_those_of_the_chart(self):
        port = str(self.values["metrics"]["port"])
        self.assertEqual(of_last_stage("EXPOSE"), [port])
        command = json.loads(of_last_stage("HEALTHCHECK")[0].split("CMD ", 1)[1])
        self.assertEqual(command, ["neardup", "healthcheck", "--url", f"http://127.0.0.1:{port}/healthz"])
        self.assertRegex(self.statefulset, 'livenessProbe:\n *{{- include "neardup.probe" .* "path" "/healthz"')

    def test_the_pages_are_open_in_the_image_and_in_the_compose_file_and_nowhere_else(self):
        self.assertEqual(of_last_stage("ENV"), ["NEARDUP_METRICS__HOST=0.0.0.0"])
        self.assertRegex(run(NEARDUP, "config", "show").stdout, r'\n  host: "?127\.0\.0\.1"?\n')
        for path, host in (("config/compose/neardup.yaml", "0.0.0.0"), ("config/package/neardup.yaml", None)):
            config = yaml.safe_load((ROOT / path).read_text())
            self.assertEqual(config.get("metrics", {}).get("host"), host, path)

    def test_the_chart_starts_the_program_of_the_image(self):
        self.assertEqual(of_last_stage("ENTRYPOINT"), ['["neardup"]'])
        self.assertIn("command: [neardup]", self.statefulset)
        self.assertIn('image=neardup:$version', (ROOT / "scripts/image").read_text())
        self.assertEqual(self.values["image"]["repository"], "neardup")

    def test_the_program_knows_the_options_that_the_image_gives_it(self):
        command, *arguments = json.loads(of_last_stage("CMD")[0])
        printed = run(NEARDUP, command, "--help").stdout
        for option in [each for each in arguments if each.startswith("--")]:
            self.assertIn(option, printed)

    def test_the_version_is_that_of_the_project(self):
        version = re.search(r"project\(neardup VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"VERSION={version}", of_last_stage("ARG"))

    def test_what_is_copied_exists_and_is_in_the_context(self):
        context = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
        for path in context:
            self.assertTrue((ROOT / path).exists(), path)
        copied = [path for word, arguments in instructions() if word == "COPY" and "--from" not in arguments
                  for path in arguments.split()[:-1]]
        self.assertIn("src", copied)
        for path in copied:
            self.assertTrue((ROOT / path).exists(), path)
            self.assertTrue(any(path == each or path.startswith(each + "/") for each in context), path)
        parts = set(re.findall(r"(?m)^ *add_subdirectory\((\S+)\)", (ROOT / "CMakeLists.txt").read_text()))
        self.assertEqual(parts - set(copied), {"tests"})


if __name__ == "__main__":
    unittest.main()
