"""On which systems scripts/install works, and what it says elsewhere. Installs nothing."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Install(unittest.TestCase):
    def run_on(self, name, version):
        """Runs a copy of the script on a system of this name, on which every package is installed."""
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            system = place / "os-release"
            system.write_text(f'ID={name}\nVERSION_ID="{version}"\n')
            script = place / "install"
            script.write_text((ROOT / "scripts/install").read_text().replace("/etc/os-release", str(system)))
            script.chmod(0o755)
            shutil.copy(ROOT / "scripts/packages.debian", place)
            query = place / "bin" / "dpkg-query"
            query.parent.mkdir()
            query.write_text("#!/bin/sh\nprintf installed\n")
            query.chmod(0o755)
            return subprocess.run([script, "build"], text=True, capture_output=True,
                                  env=dict(os.environ, PATH=f"{query.parent}:{os.environ['PATH']}"))

    def test_is_silent_on_the_systems_that_are_tested(self):
        for version in ("12", "13"):
            done = self.run_on("debian", version)
            self.assertEqual((done.returncode, done.stderr), (0, ""), version)

    def test_warns_on_ubuntu_whose_packages_have_the_same_names(self):
        for version in ("24.04", "24.10", "25.04", "26.04", "30.04"):
            done = self.run_on("ubuntu", version)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"this system is ubuntu {version}, which is not tested", done.stderr)

    def test_names_the_container_elsewhere(self):
        for name, version in (("ubuntu", "22.04"), ("debian", "11"), ("fedora", "43"), ("alpine", "3.22")):
            done = self.run_on(name, version)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(f"this system is {name} {version}; expected Debian 12 or 13, or Ubuntu 24.04", done.stderr)
            self.assertIn("docker build -f scripts/Dockerfile", done.stderr)


if __name__ == "__main__":
    unittest.main()
