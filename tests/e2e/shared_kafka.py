"""The broker that the tests of a build share.

    shared_kafka.py start --dir FOLDER    start it, or go on with the one that an interrupted run left there
    shared_kafka.py stop --dir FOLDER     stop it, and delete its data

ctest runs these two as a fixture, see tests/CMakeLists.txt. FOLDER/brokers holds the address of the broker.
Tests find that file with E2E_BROKERS_FILE. NEARDUP_TEST_BROKERS=host:port names another broker, which wins."""
import argparse
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'scripts/kafka'
# A command must not need much longer transactions than the service.
OPTIONS = ('--fast-start', '--heap', '1024', '--property', 'num.io.threads=8', '--property',
           'transaction.max.timeout.ms=60000')
ANSWER_S = 10
# The service takes every variable NEARDUP_... for one of its settings.
GIVEN = os.environ.pop('NEARDUP_TEST_BROKERS', None)


def answers(brokers):
    """Whether a broker answers a request for the versions of its protocol."""
    host, _, port = brokers.split(',')[0].rpartition(':')
    request = struct.pack('>hhih', 18, 0, 1, -1)
    try:
        with socket.create_connection((host, int(port)), timeout=ANSWER_S) as connection:
            connection.sendall(struct.pack('>i', len(request)) + request)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def shared_brokers():
    """The address of the shared broker; None if there is none."""
    if GIVEN:
        return GIVEN
    file = os.environ.get('E2E_BROKERS_FILE')
    if not file:
        return None
    # A test under ctest must not silently start a broker of its own: all of them would.
    return pathlib.Path(file).read_text().strip()


def kafka(folder, command, *options):
    return subprocess.run([str(SCRIPT), command, '--dir', str(folder / 'kafka'), *options], text=True,
                          capture_output=True, check=False)


def stop(folder):
    if folder.exists():
        kafka(folder, 'stop')
        shutil.rmtree(folder)


def start(folder):
    address = folder / 'brokers'
    if GIVEN:
        return 0
    version = os.environ.get('E2E_KAFKA_VERSION')
    options = ['--version', version] if version else []
    wanted = ' '.join(['start', *OPTIONS, *options])
    options_file = folder / 'options'
    same = options_file.exists() and options_file.read_text() == wanted
    if same and address.exists() and kafka(folder, 'status').returncode == 0 and answers(address.read_text().strip()):
        print(f'goes on with the broker that runs in {folder}')
        return 0
    stop(folder)
    folder.mkdir(parents=True)
    started = kafka(folder, 'start', '--port', '0', *OPTIONS, *options)
    if started.returncode != 0:
        print(started.stdout + started.stderr)
        return 1
    options_file.write_text(wanted)
    address.write_text(started.stdout.strip().splitlines()[-1] + '\n')
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('command', choices=('start', 'stop'))
    parser.add_argument('--dir', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if arguments.command == 'start':
        return start(arguments.dir)
    stop(arguments.dir)
    return 0


if __name__ == '__main__':
    sys.exit(main())
