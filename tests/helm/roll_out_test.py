"""scripts/roll-out, with a kubectl that keeps a cluster in files: pod, revision and state."""

import os
import pathlib
import tempfile
import unittest

from chart import ROOT, run

KUBECTL = r"""#!/usr/bin/env bash
# pods/NAME holds "REVISION STATE". A deleted pod comes back with the newest revision; an active one makes the
# first other pod active.
[[ $1 == --namespace ]] && { echo "namespace $2" >>log; shift 2; }
case $1 in
  get)
    case "$2 $5" in
      *spec.replicas*) ls pods | wc -l ;;
      *updateRevision*) echo new ;;
      pod*) cut -d' ' -f1 "pods/$3" ;;
    esac ;;
  exec) echo "200 $(cut -d' ' -f2 "pods/$2")" ;;
  delete)
    echo "delete $3" >>log
    if grep -q ' active' "pods/$3"; then
      other=$(ls pods | grep -v "^$3$" | head -n 1)
      echo "lane to $other" >>log
      sed -i 's/ .*/ active/' "pods/$other"
    fi
    echo 'new standby' >"pods/$3" ;;
  wait) [[ ! -e broken ]] ;;
esac
"""


class RollOut(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "pods").mkdir()
        (self.folder / "kubectl").write_text(KUBECTL)
        (self.folder / "kubectl").chmod(0o755)

    def pods(self, *texts):
        for i, text in enumerate(texts):
            (self.folder / "pods" / f"news-{i}").write_text(text + "\n")

    def roll_out(self, *arguments):
        done = run(ROOT / "scripts" / "roll-out", *arguments, cwd=self.folder,
                   env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        log = self.folder / "log"
        return done, log.read_text().splitlines() if log.exists() else []

    def test_the_active_instance_comes_last_and_the_lane_moves_once(self):
        self.pods("old standby", "old standby", "old active")
        done, log = self.roll_out("news")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log, ["delete news-0", "delete news-1", "delete news-2", "lane to news-0"])

    def test_pods_of_the_newest_revision_stay(self):
        self.pods("old active", "new standby")
        done, log = self.roll_out("--namespace", "search", "news")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in log if not line.startswith("namespace")],
                         ["delete news-0", "lane to news-1"])
        self.assertIn("namespace search", log)

    def test_a_pod_that_does_not_become_ready_stops_it(self):
        self.pods("old standby", "old active")
        (self.folder / "broken").write_text("")
        done, log = self.roll_out("--timeout", "0", "news")
        self.assertEqual(done.returncode, 1)
        self.assertIn("news-0 is not ready", done.stderr)
        self.assertEqual(log, ["delete news-0"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
