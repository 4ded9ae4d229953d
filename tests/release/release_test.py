"""scripts/release on a copy of the repository: what it changes, tags and builds, and what it refuses."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEFORE = re.search(r"project\(neardup VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
NEXT = "7.8.9"


class Release(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.copy = pathlib.Path(place.name)
        # The working tree, so that changes are tested before they are committed.
        shutil.copytree(ROOT, self.copy, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns("build", ".git", ".cache", "__pycache__"))
        self.git("init", "--quiet")
        self.git("config", "user.name", "a test")
        self.git("config", "user.email", "test@example.org")
        log = self.copy / "CHANGELOG.md"
        log.write_text(re.sub(r"(?ms)^## \[Unreleased\].*?(?=^## \[|\Z)",
                              "## [Unreleased]\n\n- **A change** that users notice.\n\n", log.read_text(), count=1))
        self.commit("as it is")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.copy, text=True, check=True, capture_output=True).stdout

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def release(self, *words):
        return subprocess.run([self.copy / "scripts/release", *words], text=True, capture_output=True)

    def assert_refused(self, words, text):
        done = self.release(*words)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(text, done.stderr)

    def test_sets_the_version_everywhere_moves_the_change_log_commits_and_tags(self):
        done = self.release(NEXT, "--prepare")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("log", "-1", "--format=%s").strip(), f"release: {NEXT}")
        self.assertEqual(self.git("tag", "--points-at", "HEAD").strip(), f"v{NEXT}")
        log = (self.copy / "CHANGELOG.md").read_text()
        self.assertRegex(log, rf"(?s)## \[Unreleased\]\n\n## \[{NEXT}\] - \d{{4}}-\d\d-\d\d\n\n- \*\*A change\*\*")
        # No file that names the version of the product has the old one. Pages may tell of older releases.
        for path in self.git("ls-files").split():
            if not path.endswith((".png", ".gz")) and path not in ("CHANGELOG.md", "docs/versions.md"):
                text = (self.copy / path).read_text(errors="ignore")
                stale = re.search(rf"(?:neardup[:_-]|neardup VERSION |[Vv]ersion:? \"?){re.escape(BEFORE)}(?!\d)", text)
                if stale and not path.startswith(("src/", "tests/")):
                    self.fail(f"{path}: {stale.group(0)}")
        self.assertIn(f"project(neardup VERSION {NEXT} ", (self.copy / "CMakeLists.txt").read_text())
        chart = (self.copy / "helm/neardup/Chart.yaml").read_text()
        self.assertIn(f"\nversion: {NEXT}\n", chart)
        self.assertIn(f'\nappVersion: "{NEXT}"\n', chart)
        for path in (self.copy / "tests/helm/rendered").glob("*.yaml"):
            self.assertNotIn(f"neardup-{BEFORE}", path.read_text(), path)

    def test_builds_notes_and_chart_with_their_sums(self):
        self.assertEqual(self.release(NEXT, "--prepare").returncode, 0)
        done = self.release(NEXT, "--build", "notes", "chart")
        self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.copy / "build" / f"release-{NEXT}"
        names = {path.name for path in folder.iterdir()}
        self.assertEqual(names, {f"neardup-{NEXT}-notes.md", f"neardup-{NEXT}.tgz", "SHA256SUMS"})
        self.assertIn("A change", (folder / f"neardup-{NEXT}-notes.md").read_text())
        with tarfile.open(folder / f"neardup-{NEXT}.tgz") as packed:
            self.assertIn(f'appVersion: {NEXT}', packed.extractfile("neardup/Chart.yaml").read().decode().replace('"', ""))
        for line in (folder / "SHA256SUMS").read_text().splitlines():
            digest, name = line.split()
            self.assertEqual(hashlib.sha256((folder / name).read_bytes()).hexdigest(), digest)

    def test_refuses_what_is_no_release(self):
        self.assert_refused(["0.1"], "expected a version such as 0.1.0")
        self.assert_refused([NEXT, "--build", "notes"], f"the tree holds version {BEFORE}, not {NEXT}")
        (self.copy / "NOTICE").write_text("changed")
        self.assert_refused([NEXT, "--prepare"], "the tree has changes")
        self.git("checkout", "--quiet", "NOTICE")
        self.assertEqual(self.release(NEXT, "--prepare").returncode, 0)
        self.assert_refused([NEXT, "--prepare"], f"the tag v{NEXT} exists")
        self.assert_refused(["7.8.8", "--prepare"], f"expected more than {NEXT}, the newest release")
        self.assert_refused(["7.9.0", "--prepare"], "CHANGELOG.md says nothing below [Unreleased]")
        self.assert_refused([NEXT, "--build", "cake"], "unknown artifact cake; expected one of: notes")


if __name__ == "__main__":
    unittest.main()
