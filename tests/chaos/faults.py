"""What can go wrong. Each fault does its damage to a round and mends what an operator would mend; afterwards
the output must go on."""
import shutil
import signal

from link import REQUESTS
from world import SMALL_WINDOW, Broken, say

# Longer than lease.session_timeout_ms and transaction.timeout_ms.
LONG_PAUSE_S = 14


class Fault:
    """`min_instances`: how many instances the fault needs. `last`: nothing can follow in the round.
    `entries_max`: the only window.entries_max that suits it; None: any."""
    min_instances = 1
    last = False
    entries_max = None
    kills = takeovers = bounces = 0

    @property
    def name(self):
        return type(self).__name__

    def strike(self, on):
        raise NotImplementedError


class KillTheActive(Fault):
    def strike(self, on):
        on.sleep(on.random.uniform(0, 1.5))
        on.wait_active().kill()
        self.kills = 1


class KillTheActiveBesideAStandby(KillTheActive):
    min_instances = 2

    def strike(self, on):
        on.wait_standby()
        super().strike(on)
        self.takeovers = 1


class KillAll(Fault):
    def strike(self, on):
        for instance in on.fleet.instances:
            instance.kill()
        self.kills = len(on.fleet.instances)


class KillAtFailpoint(Fault):
    """The active instance ends at a named call."""
    action = 'kill'

    def __init__(self, call, when, count_max, seconds=45):
        self.call, self.when, self.count_max, self.seconds = call, when, count_max, seconds
        # With a small window, the changelog soon holds dead records.
        self.entries_max = SMALL_WINDOW if call == 'delete_records' else None

    @property
    def name(self):
        return f'{self.action} {self.when} {self.call}'

    def arm(self, on):
        """Starts an instance with the failpoint and makes it the active one."""
        count = on.random.randint(1, self.count_max)
        failpoint = f'{self.call}:{self.when}:{count}:{self.action}'
        active = on.wait_active()
        armed = on.fleet.standby() or active
        armed.kill()
        armed.start(failpoint)
        self.kills = 1
        others = [each for each in on.fleet.instances if each is not armed]
        if others:
            on.wait(lambda: armed.ready() or self.fired(armed), f'instance armed with {failpoint} ready')
        for other in others:
            other.held_back = True
            other.kill()
        if others:
            on.wait(lambda: armed.active() or self.fired(armed), 'the take-over by the armed instance')
            self.takeovers = 1
        for other in others:
            other.held_back = False
        self.kills = 1 + len(others)
        return armed

    @staticmethod
    def fired(instance):
        return instance.reached_failpoint() and instance.restarted

    def strike(self, on):
        armed = self.arm(on)
        if on.wait(lambda: self.fired(armed), None, self.seconds):
            self.kills += 1
        else:
            say(f'  {self.name} was not reached within {self.seconds} s')
            armed.kill()


class StopAtFailpoint(KillAtFailpoint):
    """The active instance is stopped in a named call until a standby takes over, and then continues."""
    action = 'stop'
    min_instances = 2

    @staticmethod
    def fired(instance):
        return instance.running() and instance.halted()

    def strike(self, on):
        armed = self.arm(on)
        if not on.wait(lambda: self.fired(armed), None, self.seconds):
            say(f'  {self.name} was not reached within {self.seconds} s')
            armed.kill()
            return
        on.wait_output()
        self.takeovers += 1
        on.sleep(LONG_PAUSE_S)
        armed.signal(signal.SIGCONT)


class PauseTheActive(Fault):
    min_instances = 2

    def strike(self, on):
        on.wait_standby()
        paused = on.wait_active()
        paused.signal(signal.SIGSTOP)
        on.wait_output()
        self.takeovers = 1
        on.sleep(LONG_PAUSE_S)
        paused.signal(signal.SIGCONT)


class PauseALoneInstance(Fault):
    def strike(self, on):
        for instance in on.fleet.instances:
            instance.signal(signal.SIGSTOP)
        on.sleep(LONG_PAUSE_S)
        for instance in on.fleet.instances:
            instance.signal(signal.SIGCONT)


class HandOver(Fault):
    """A clean stop and a start, as in a roll-out."""
    min_instances = 2

    def strike(self, on):
        on.wait_standby()
        active = on.wait_active()
        on.fleet.expect_clean(active)
        active.start()
        on.wait_output()
        self.takeovers = 1


class Scale(Fault):
    """1, 2, 3, 1 instances."""

    def strike(self, on):
        for count in (1, 2, 3, 1):
            on.fleet.scale(count)
            on.wait_output()


class BounceABroker(Fault):
    """A broker ends, and starts again some seconds later."""
    command = 'term'
    seconds = 1

    def strike(self, on):
        node = on.random.randint(1, on.cluster.count)
        on.cluster.command(self.command, node)
        on.sleep(self.seconds)
        on.cluster.command('up', node)
        self.bounces = 1


class KillABroker(BounceABroker):
    command = 'kill'
    seconds = 4


class PauseBroker(Fault):
    seconds = 12

    def nodes(self, on):
        raise NotImplementedError

    def strike(self, on):
        nodes = self.nodes(on)
        for node in nodes:
            on.cluster.command('pause', node)
        on.sleep(self.seconds)
        for node in nodes:
            on.cluster.command('resume', node)


class PauseTheGroupCoordinator(PauseBroker):
    def nodes(self, on):
        return [on.cluster.leader('__consumer_offsets')]


class PauseTheTransactionCoordinator(PauseBroker):
    def nodes(self, on):
        return [on.cluster.leader('__transaction_state')]


class PauseTheLeaderOfTheChangelog(PauseBroker):
    def nodes(self, on):
        return [on.cluster.leader(f'{on.name}-changelog')]


class PauseAllBrokers(PauseBroker):
    seconds = 20

    def nodes(self, on):
        return range(1, on.cluster.count + 1)


class DiskFull(Fault):
    """No snapshot can be written any more; the output goes on."""

    def strike(self, on):
        active = on.wait_active()
        active.kill()
        active.start('write:before:5:full')
        self.kills = 1
        on.wait(lambda: active.service.metric('neardup_snapshot_failures_total') > 0, 'a failed snapshot')
        on.wait_output()
        on.fleet.expect_clean(active)
        active.start()


class WithoutTheProcess(Fault):
    """The folder of the active instance is changed while it does not run."""

    def strike(self, on):
        active = on.wait_active()
        on.wait(lambda: any(active.state.glob('lane-0/*.manifest')), None, 10)
        active.kill()
        self.kills = 1
        self.change(on, active.state)
        active.start()

    def change(self, on, state):
        raise NotImplementedError


class DamagedSnapshot(WithoutTheProcess):
    def change(self, on, state):
        for path in state.glob('lane-0/*'):
            data = bytearray(path.read_bytes())
            if data and on.random.random() < 0.7:
                data[on.random.randrange(len(data))] ^= 1 << on.random.randrange(8)
                path.write_bytes(data)


class CutSnapshot(WithoutTheProcess):
    def change(self, on, state):
        for path in state.glob('lane-0/*'):
            if on.random.random() < 0.5:
                data = path.read_bytes()
                path.write_bytes(data[:on.random.randrange(len(data) + 1)])


class LostDisk(WithoutTheProcess):
    def change(self, on, state):
        shutil.rmtree(state)


class ForeignSnapshot(WithoutTheProcess):
    """The snapshot of another app, from an earlier round."""
    kept = None

    def change(self, on, state):
        if self.kept and self.kept.exists():
            shutil.rmtree(state)
            shutil.copytree(self.kept, state)


class GroupOffsetsMovedBack(Fault):
    def strike(self, on):
        for topic in on.topics:
            on.cluster.load('move-group', '--group', on.name, '--topic', topic, '--partition', 0, '--offset', 1)
        on.wait_active().kill()
        self.kills = 1


class PartitionAdded(Fault):
    def strike(self, on):
        topic = on.random.choice(on.topics)
        on.partitions[topic] += 1
        on.cluster.load('grow', '--topic', topic, '--partitions', on.partitions[topic])
        on.sleep(3)


class RetentionOvertakes(Fault):
    """Records are deleted that no instance has read."""

    def strike(self, on):
        for instance in on.fleet.instances:
            instance.signal(signal.SIGSTOP)
        on.sleep(2)
        on.cluster.load('delete', '--topic', on.random.choice(on.topics), '--partition', 0, '--before=-1')
        for instance in on.fleet.instances:
            instance.signal(signal.SIGCONT)


class AbortedInput(Fault):
    """The input is written in transactions, of which every third is aborted. Stays for the round."""

    def strike(self, on):
        on.load.abort_every = 3
        on.sleep(4)


class SlowLink(Fault):
    def strike(self, on):
        on.link.slow(0.25)
        on.sleep(8)
        on.link.slow(0)


class CutLink(Fault):
    def strike(self, on):
        for _ in range(4):
            on.sleep(on.random.uniform(0.2, 1.5))
            on.link.cut()


class HalfOpenLink(Fault):
    """Connections stay open, and nothing comes through."""

    def strike(self, on):
        on.link.freeze()
        on.sleep(LONG_PAUSE_S)
        on.link.thaw()


class LateRequests(Fault):
    """Connections break at random requests, which reach the brokers up to three seconds late."""
    times = 20
    delay_s_max = 3.0
    kinds = tuple(REQUESTS.values())

    def strike(self, on):
        before, fenced_before = on.link.late_total(), on.fleet.fenced
        on.fleet.silence_max = 0.0
        for _ in range(self.times):
            ordered = on.link.late_total()
            on.link.deliver_late(on.random.choice(self.kinds), on.random.uniform(0, self.delay_s_max), self.hangs(on))
            on.wait(lambda: on.link.late_total() > ordered, None, 2)
            # Usually wait until the lane goes on, so that the late request arrives during a later transaction.
            if on.random.random() < 0.8:
                on.wait_output()
                on.sleep(on.random.uniform(0, 1))
        on.link.deliver_late(None, 0)
        on.wait_output()
        say(f'  {on.link.late_total() - before} requests arrived late; the lane was taken again '
            f'{on.fleet.fenced - fenced_before:.0f} times for them; longest time without output '
            f'{on.fleet.silence_max:.1f} s')

    @staticmethod
    def hangs(on):
        """The client waits for socket.timeout.ms, and then gives the connection up."""
        return on.short_time_outs and on.random.random() < 0.5


class LateEnds(LateRequests):
    """The same with the requests that commit and abort."""
    kinds = ('EndTxn',)


class LateInAborts(LateRequests):
    """The same with the requests of a transaction, while an output refuses some records, so that transactions are
    aborted."""
    kinds = ('EndTxn', 'Produce', 'TxnOffsetCommit', 'AddPartitionsToTxn', 'AddOffsetsToTxn')

    def strike(self, on):
        on.load.refused_every_s = 10
        super().strike(on)
        on.load.refused_every_s = None


class ChangelogTrimmed(Fault):
    """Somebody deletes the newest live entries of the changelog. The service must refuse to go on."""
    last = True

    def strike(self, on):
        on.drain()
        on.judge()
        on.cluster.load('delete', '--topic', f'{on.name}-changelog', '--partition', 0, '--before=-1')
        instance = on.fleet.instances[0]
        shutil.rmtree(instance.state)
        instance.start()
        code = instance.service.process.wait(timeout=60)
        if code != 74 or 'lost records' not in instance.service.text():
            raise Broken(f'with a trimmed changelog the service ended with {code}, expected 74 and "lost records":\n'
                         + instance.service.text()[-2000:])
        on.fleet.instances.clear()


def all_faults():
    """One of each kind."""
    calls = [('init_transactions', 1), ('begin_transaction', 20), ('produce', 2000), ('flush', 20),
             ('send_offsets_to_transaction', 20), ('commit_transaction', 20), ('delete_records', 1),
             ('write', 20), ('fdatasync', 3), ('rename', 3)]
    return [
        KillTheActive(), KillTheActiveBesideAStandby(), KillAll(), PauseTheActive(), PauseALoneInstance(), HandOver(),
        Scale(), BounceABroker(), KillABroker(), PauseTheGroupCoordinator(), PauseTheTransactionCoordinator(),
        PauseTheLeaderOfTheChangelog(), PauseAllBrokers(), DiskFull(), DamagedSnapshot(), CutSnapshot(), LostDisk(),
        ForeignSnapshot(), GroupOffsetsMovedBack(), PartitionAdded(), RetentionOvertakes(), AbortedInput(), SlowLink(),
        CutLink(), HalfOpenLink(), LateRequests(), LateEnds(), LateInAborts(), ChangelogTrimmed(),
        *(KillAtFailpoint(call, when, count) for call, count in calls for when in ('before', 'after')),
        *(StopAtFailpoint(call, when, 20) for call in ('produce', 'send_offsets_to_transaction', 'commit_transaction')
          for when in ('before', 'after')),
    ]
