# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm of simulated nodes on this machine, for one user."""
import os
import pwd
import re
import subprocess
import time

NODES = 4
CPUS = 4                                # of a simulated node
REQUEUE_SECONDS = 5                     # how long a requeued job waits; Slurm's own rule is 120
PATIENCE = 300.0                        # seconds until a state that does not come is a failure

# auth/slurm needs no daemon beside those of Slurm, as MUNGE does.
SETTINGS = """
ClusterName=simulated
SlurmctldHost=simulated(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/slurm
CredType=cred/slurm
AuthInfo=cred_expire={requeue}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
MpiDefault=none
ReturnToService=2
KillWait=5
MailProg=/usr/bin/true
NodeName=n[1-{nodes}] NodeHostname=simulated NodeAddr=127.0.0.1 Port=[27001-{last_port}] CPUs={cpus} RealMemory=100
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
"""


def wait_for(what, condition):
    """Returns the first value of condition() that is true; fails where none comes."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def command(*words, folder=None):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Slurm:
    def __init__(self, folder):
        self._folder = folder
        self._daemons = []

    def start(self):
        (self._folder / "state").mkdir(parents=True)
        key = self._folder / "slurm.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (self._folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        settings = self._folder / "slurm.conf"
        settings.write_text(SETTINGS.format(
            user=pwd.getpwuid(os.getuid()).pw_name, folder=self._folder, requeue=REQUEUE_SECONDS,
            nodes=NODES, last_port=27000 + NODES, cpus=CPUS))
        os.environ["SLURM_CONF"] = str(settings)
        self._run("slurmctld", "-c", "-D")
        # In turn: each removes /run/slurm/sack.socket and binds it again, and two at once fail.
        for node in [f"n{number}" for number in range(1, NODES + 1)]:
            (self._folder / node).mkdir()
            self._run("slurmd", "-c", "-D", "-N", node)
            wait_for(f"idle node {node}", lambda: self._states().get(node) == "idle")

    def _run(self, *words):
        log = open(self._folder / f"{words[-1]}.log", "w", encoding="utf-8")
        self._daemons.append((words, log, subprocess.Popen(words, stdout=log, stderr=log)))

    def _states(self):
        """Node -> state. Fails if a daemon has ended."""
        for words, log, daemon in self._daemons:
            if daemon.poll() is not None:
                with open(log.name, encoding="utf-8") as text:
                    raise AssertionError(f"{' '.join(words)} ended: {text.read()[-2000:]}")
        listed = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], capture_output=True, text=True)
        return dict(line.split() for line in listed.stdout.splitlines())

    def stop(self):
        """Ends all jobs, then the daemons."""
        subprocess.run(["scancel", "--quiet", "--user", str(os.getuid())], check=False)
        for _, _, daemon in reversed(self._daemons):
            daemon.terminate()
        for _, log, daemon in self._daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
            log.close()


class Job:
    """A submitted script, or a task of a job array."""

    def __init__(self, name, folder):
        self.name = name
        self._folder = folder

    @classmethod
    def submit(cls, script, folder, *options):
        name = command("sbatch", "--parsable", "--output", "%x-%j.log", *options, str(script), folder=folder)
        return cls(name.strip(), folder)

    def task(self, number):
        return Job(f"{self.name}_{number}", self._folder)

    def fields(self):
        """Slurm's fields of the job; of each task of an array."""
        lines = command("scontrol", "show", "job", "--oneliner", self.name).splitlines()
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in lines]

    def states(self):
        return {fields["JobState"] for fields in self.fields()}

    def restarts(self):
        return [int(fields["Restarts"]) for fields in self.fields()]

    def wait(self, state="COMPLETED"):
        """Waits for the end of all tasks, and fails if it is another than this."""
        active = {"PENDING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "CONFIGURING"}
        states = wait_for(f"the end of job {self.name}",
                          lambda: not self.states() & active and self.states())
        if states != {state}:
            raise AssertionError(f"job {self.name} is {states}, not {state}\n{self.log()}")

    def log(self):
        files = sorted(self._folder.glob(f"*-{self.name.split('_')[0]}*.log"))
        return "\n".join(f"{file.name}:\n{file.read_text(errors='replace')[-3000:]}" for file in files)
