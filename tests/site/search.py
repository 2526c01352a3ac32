# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search of a built site, as a visitor's browser runs it."""
import functools
import html.parser
import http.server
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
VIRTUAL_MS = 60_000                                        # of the page's own clock, which is stopped while it loads


def browser():
    """The first browser that is installed; None: there is none."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class Server:
    """Serves a folder on this machine while the block runs; gives the address."""

    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Quiet, directory=str(folder)))

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://localhost:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Results(html.parser.HTMLParser):
    """Links of the list that the search fills."""

    def __init__(self, text):
        super().__init__()
        self.depth, self.found = 0, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag == "ul":
            self.depth = self.depth + 1 if self.depth else int("search" in (values.get("class") or "").split())
        elif tag == "a" and self.depth and values.get("href"):
            self.found.append(values["href"])

    def handle_endtag(self, tag):
        if tag == "ul" and self.depth:
            self.depth -= 1


def results(program, address, words):
    """Pages that the search finds, best first."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", f"--virtual-time-budget={VIRTUAL_MS}", "--dump-dom",
             f"{address}/search.html?q={urllib.parse.quote(words)}"],
            capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program} failed: {done.stderr.strip()[-500:]}")
    return [target.partition("#")[0].partition("?")[0] for target in Results(done.stdout).found]
