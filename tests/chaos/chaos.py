"""Chaos on a real Kafka. Rounds of faults happen to an app while records flow; after each round the inputs are
drained, and `neardup verify` and a second judge read all topics. Ends with a table, and with 1 if something is
wrong; the round's folder with configuration and logs is then kept.

    chaos.py [--minutes M | --each-once] [--seed S] [--brokers N] [--version V] [--only NAME,...] [--list]

E2E_BUILD names the build folder."""
import argparse
import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'e2e'))

from faults import ForeignSnapshot, all_faults  # noqa: E402
from judge import Judge, Topics  # noqa: E402
from world import Broken, Cluster, Round, say  # noqa: E402

FAULTS_OF_A_ROUND = 8


class Tally:
    """What happened to each kind of fault."""

    def __init__(self):
        self.rows = collections.defaultdict(lambda: [0, 0.0])
        self.kills = self.takeovers = self.bounces = self.rounds = self.records = self.restarts = 0
        self.resident_bytes_max = self.memory_bound = 0

    def add(self, fault, silence):
        row = self.rows[fault.name]
        row[0] += 1
        row[1] = max(row[1], silence)
        self.kills += fault.kills
        self.takeovers += fault.takeovers
        self.bounces += fault.bounces

    def show(self):
        print(f'\n{"fault":<40} {"times":>6} {"longest wait for output, s":>28}')
        for name, (times, silence) in sorted(self.rows.items()):
            print(f'{name:<40} {times:>6} {silence:>28.1f}')
        print(f'{self.rounds} rounds, {self.records} records; {self.kills} kills, {self.takeovers} take-overs, '
              f'{self.bounces} broker bounces, {self.restarts} restarts by the orchestrator')
        print(f'resident memory at most {self.resident_bytes_max / 1e6:.0f} MB of {self.memory_bound / 1e6:.0f} MB '
              'printed as the bound', flush=True)


class Deck:
    """Deals each fault once, in a random order, then all again."""

    def __init__(self, faults, chance):
        self.faults, self.chance, self.left = faults, chance, []
        self.dealt_all = False

    def deal(self, entries_max):
        """Returns the next fault that suits a round with this window; None if there is none before the end of
        the deck."""
        if not self.left:
            self.left = self.chance.sample(self.faults, len(self.faults))
        fault = next((fault for fault in self.left if fault.entries_max in (None, entries_max)), None)
        if fault is not None:
            self.left.remove(fault)
        self.dealt_all = self.dealt_all or not self.left
        return fault


class Chaos:
    def __init__(self, arguments):
        self.arguments = arguments
        self.chance = random.Random(arguments.seed)
        faults = all_faults()
        if arguments.only:
            names = arguments.only.split(',')
            faults = [fault for fault in faults if fault.name in names]
            if len(faults) != len(set(names)):
                sys.exit('chaos: unknown fault in --only; --list prints them')
        self.deck = Deck(faults, self.chance)
        self.tally = Tally()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='neardup-chaos-'))
        self.cluster = Cluster(self.directory / 'kafka', arguments.brokers, arguments.version)

    def run(self):
        end = time.monotonic() + 60 * (self.arguments.minutes or 0)
        clean = True
        number = 0
        try:
            while clean and (not self.deck.dealt_all if self.arguments.each_once else time.monotonic() < end):
                number += 1
                clean = self.round(number)
        finally:
            self.tally.show()
            self.cluster.command('stop')
        if clean:
            shutil.rmtree(self.directory)
        return 0 if clean else 1

    def round(self, number):
        seed = self.chance.randrange(1 << 30)
        on = Round(self.cluster, self.directory, number, seed)
        say(f'round {number}: window.entries_max {on.entries_max}')
        try:
            self.strike(on)
            if on.fleet.instances:
                on.drain()
                self.judge(on)
        except Broken as broken:
            say(f'BROKEN in round {number}: {broken}')
            print(f'kept: {on.directory}', flush=True)
            on.end()
            return False
        self.tally.rounds += 1
        self.tally.restarts += on.fleet.restarts
        self.tally.resident_bytes_max = max(self.tally.resident_bytes_max, on.fleet.resident_bytes_max)
        self.tally.memory_bound = on.fleet.memory_bound
        ForeignSnapshot.kept = self.keep_state(on)
        on.remove()
        return True

    def strike(self, on):
        on.judge = lambda: self.judge(on)
        on.begin(on.random.randint(1, 3))
        for _ in range(FAULTS_OF_A_ROUND):
            fault = self.deck.deal(on.entries_max)
            if fault is None:
                return
            fault.kills = fault.takeovers = fault.bounces = 0
            say(f'  {fault.name}')
            if len(on.fleet.instances) < fault.min_instances:
                on.fleet.scale(fault.min_instances)
                on.wait_standby()
            fault.strike(on)
            if fault.last:
                self.tally.add(fault, 0.0)
                return
            self.tally.add(fault, on.wait_output())
            if self.deck.dealt_all and self.arguments.each_once:
                return

    def judge(self, on):
        """Raises Broken unless both checkers find all promises kept."""
        done = on.verify()
        if done.returncode != 0:
            raise Broken(f'neardup verify ended with {done.returncode}:\n{done.stdout[:6000]}{done.stderr[:2000]}')
        report = json.loads(done.stdout)
        second = Judge(Topics(self.cluster.addresses, on.topics), on.entries_max)
        if second.faults:
            raise Broken(f'the second judge found {len(second.faults)} faults:\n' + '\n'.join(second.faults[:20]))
        if not second.outputs:
            raise Broken('the second judge found no output')
        self.tally.records += len(second.outputs)
        say(f'  both checkers find every promise kept: {report["inputs"]} inputs, {len(second.outputs)} outputs, '
            f'{report["unique"]} unique, {report["duplicate"]} duplicates; {on.load.failed} writes of the load failed')

    def keep_state(self, on):
        states = sorted(on.directory.glob('state-*'))
        if not states:
            return ForeignSnapshot.kept
        kept = self.directory / 'foreign'
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(states[0], kept)
        return kept


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--minutes', type=float)
    parser.add_argument('--each-once', action='store_true')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--brokers', type=int, default=3)
    parser.add_argument('--version')
    parser.add_argument('--only')
    parser.add_argument('--list', action='store_true')
    arguments = parser.parse_args()
    if arguments.list:
        print('\n'.join(fault.name for fault in all_faults()))
        sys.exit(0)
    if not arguments.minutes and not arguments.each_once:
        arguments.minutes = 10
    print(f'seed {arguments.seed}', flush=True)
    sys.exit(Chaos(arguments).run())
