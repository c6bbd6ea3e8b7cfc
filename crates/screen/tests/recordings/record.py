#!/usr/bin/env python3
"""Records what real programs write to a terminal of 80x24, for the snapshot tests.

Usage: record.py DIRECTORY. Each program runs in a PTY with an empty home in /tmp/demo and is
driven by keys; a key is sent when the program has been quiet for a moment. What it wrote is
kept as NAME.bin. Questions to the terminal are answered as an xterm would answer them.
"""

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
import time

HOME = "/tmp/demo"
LIMIT = 48 * 1024

TEXT = "\n".join(
    f"{n:4d}  The quick brown fox, das schnelle Füchslein, 素早い狐 {'=' * (n % 60)}" for n in range(300)
)
CODE = """# A small program.
import sys

def greet(name, times=3):
    \"\"\"Say hello.\"\"\"
    for n in range(times):
        print(f"hello {name} {n}")

if __name__ == "__main__":
    greet(sys.argv[1])
"""

RECORDINGS = {
    "vim": (
        ["vim", "-u", "NONE", "-N", "+syntax on", "+set number hlsearch", "demo.py"],
        [b"/print\r", b"n", b"Go# done\x1b", b"ggdd", b"u", b":split\r", b"\x17j", b"\x06", b"\x02", b"ggVG", b"\x1b",
         b":q!\r", b":q!\r"],
    ),
    "less": (["less", "demo.txt"], [b" ", b" ", b"/fox\r", b"n", b"G", b"b", b"50g", b"-S\r", b"\x1b[C", b"q"]),
    "htop": (["htop", "-d", "5"], [b"\x1b[B", b"t", b"\x1b[B", b"h", b"q", b"q"]),
    "fish": (
        ["fish", "--private", "--no-config"],
        [b"echo hello wor", b"\x7f\x7f\x7fworld\r", b"ls -l --color=always /tmp/demo\r", b"cat demo.t\t\r",
         b"\x1b[A", b"\x03", b"for n in 1 2 3; echo $n; end\r", b"exit\r"],
    ),
    "shell": (
        ["bash", "--norc", "--noprofile"],
        [b"PS1='\\[\\e[1;32m\\]demo\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\]$ '\r", b"ls --color=always --hyperlink=always\r",
         b"grep --color=always -n fox demo.txt | head -40\r", b"printf '\\e[4:3;58;5;9mcurly\\e[0m \\e(0lqqk\\e(B\\n'\r",
         b"diff --color=always demo.txt demo2.txt | head -60\r", b"seq 1 200\r", b"echo one two three",
         b"\x01\x1b[C\x1b[C", b"\r", b"printf 'a\\tb\\tc\\n\\e[2;10r\\e[5;5Hx\\e[r\\e[24;1H\\n'\r", b"exit\r"],
    ),
}

ANSWERS = [(b"\x1b[c", b"\x1b[?62;22c"), (b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[0c", b"\x1b[?62;22c"),
           (b"\x1b[?u", b"\x1b[?0u")]


def prepare():
    shutil.rmtree(HOME, ignore_errors=True)
    os.makedirs(HOME)
    with open(f"{HOME}/demo.txt", "w") as file:
        file.write(TEXT)
    with open(f"{HOME}/demo2.txt", "w") as file:
        file.write(TEXT.replace("fox", "dog", 20))
    with open(f"{HOME}/demo.py", "w") as file:
        file.write(CODE)
    os.makedirs(f"{HOME}/folder")
    os.symlink("demo.txt", f"{HOME}/link")


def record(command, keys):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {
        "HOME": HOME, "TERM": "xterm-256color", "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "demo",
        "LOGNAME": "demo", "HOSTNAME": "demo", "COLORTERM": "truecolor",
    }
    wrapper = ["unshare", "--uts", "--pid", "--fork", "--mount-proc", "sh", "-c",
               'hostname demo; exec "$@"', "sh"]
    process = subprocess.Popen(
        wrapper + command, stdin=slave, stdout=slave, stderr=slave, cwd=HOME, env=environment, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    output = bytearray()
    keys = list(keys)
    end = time.monotonic() + 40
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.4)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            output += data
            for question, answer in ANSWERS:
                for _ in range(data.count(question)):
                    os.write(master, answer)
        elif keys:
            os.write(master, keys.pop(0))
        elif process.poll() is not None:
            break
    process.kill()
    process.wait()
    os.close(master)
    return bytes(output[:LIMIT])


def main():
    directory = sys.argv[1]
    for name, (command, keys) in RECORDINGS.items():
        prepare()
        output = record(command, keys)
        with open(os.path.join(directory, f"{name}.bin"), "wb") as file:
            file.write(output)
        print(name, len(output))
    shutil.rmtree(HOME, ignore_errors=True)


main()
