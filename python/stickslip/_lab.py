"""Pages that the program serves: the lab, and reports where no browser can be opened."""

from __future__ import annotations

import atexit
import html
import re
import subprocess
import sys
import webbrowser

from ._progress import in_notebook


class Served:
    """A page that the program serves on this machine until :meth:`stop`, or until Python ends."""

    def __init__(self, *arguments: str):
        command = [sys.executable, "-m", "stickslip", *arguments, "--no-open"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = self._process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            _, errors = self._process.communicate()
            raise RuntimeError(errors.strip() or "the program has not begun to serve")
        #: The address; it has a token that every request needs.
        self.url: str = found[0]
        # Nobody reads what else it may say.
        self._process.stdout.close()
        self._process.stderr.close()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Ends the server."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        atexit.unregister(self.stop)

    @property
    def is_running(self) -> bool:
        """Whether it still serves."""
        return self._process.poll() is None

    def open(self) -> "Served":
        """Opens the page in the browser; prints its address where none can be opened. In a notebook it shows
        itself."""
        if not in_notebook() and webbrowser.open(self.url) is False:
            print(f"open {self.url} in a browser")
        return self

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_error) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<stickslip page at {self.url}{'' if self.is_running else ' (ended)'}>"

    def _repr_html_(self) -> str:
        url = html.escape(self.url)
        return (
            f"<p><a href='{url}' target='_blank'>{url}</a></p>"
            f"<iframe style='width:100%;height:760px;border:0' src='{url}'></iframe>"
        )
