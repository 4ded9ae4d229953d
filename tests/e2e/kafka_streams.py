"""The class path of Kafka Streams. Maven fetches it once; the version stands in streams-pom.xml."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

POM = pathlib.Path(__file__).with_name('streams-pom.xml')
COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'


def folder():
    """The folder of the jars."""
    version = re.search(r'kafka-streams</artifactId>\s*<version>(.*)</version>', POM.read_text())[1]
    home = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache')
    jars = pathlib.Path(os.environ.get('NEARDUP_CACHE') or home / 'neardup') / f'streams-{version}'
    if jars.exists():
        return jars
    if not shutil.which('mvn'):
        sys.exit('mvn was not found, which fetches Kafka Streams; install maven')
    jars.parent.mkdir(parents=True, exist_ok=True)
    partial = pathlib.Path(tempfile.mkdtemp(prefix=f'{jars.name}.', dir=jars.parent))
    fetched = subprocess.run(['mvn', '-q', '-B', '-f', POM, COPY, '-DincludeScope=runtime', f'-DoutputDirectory={partial}'],
                             text=True, capture_output=True)
    if fetched.returncode != 0:
        shutil.rmtree(partial)
        sys.exit(f'could not fetch Kafka Streams {version}:\n{fetched.stdout}{fetched.stderr}')
    if jars.exists():  # another process was faster
        shutil.rmtree(partial)
    else:
        partial.rename(jars)
    return jars


def compile_into(classes, *sources):
    subprocess.run(['javac', '-cp', f'{folder()}/*', '-d', classes, *sources], check=True)


def start(classes, main, *arguments, log, options=()):
    """Starts a class as a process of its own."""
    return subprocess.Popen(['java', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', *options, '-cp',
                             f'{classes}:{folder()}/*', main, *arguments], stdout=log, stderr=log)
