"""How fast does python-Wappalyzer read technologies off pages, and what does it see?

Arguments: the folder of the fingerprints, the folder of the pages, `time` or `see`, how often, and that it reads one page
of so many.
"""

import json
import pathlib
import sys
import time
import warnings

warnings.simplefilter("ignore")

from Wappalyzer import Wappalyzer, WebPage


def main() -> None:
    rules, folder, what, rounds, stride = sys.argv[1:]
    technologies: dict = {}
    for path in sorted(pathlib.Path(rules, "technologies").glob("*.json")):
        technologies.update(json.loads(path.read_text()))
    # it knows no selector that stands by itself in a list with others
    categories = json.loads(pathlib.Path(rules, "categories.json").read_text())
    started = time.perf_counter()
    wappalyzer = Wappalyzer(categories=categories, technologies=technologies)
    print(json.dumps({"load_ms": (time.perf_counter() - started) * 1e3}), flush=True)

    pages = []
    for line in pathlib.Path(folder, "pages.tsv").read_text().splitlines()[:: int(stride)]:
        file, url = line.split("\t")
        body = pathlib.Path(folder, file).read_bytes()
        pages.append((file, url, len(body), body.decode("utf-8", "replace")))

    def names(url: str, html: str) -> list[str]:
        return sorted(wappalyzer.analyze(WebPage(url, html, {})))

    if what == "see":
        for file, url, _, html in pages:
            print(json.dumps({"page": file, "technologies": names(url, html)}), flush=True)
        return
    for _ in range(int(rounds)):
        worst = 0.0
        before = time.process_time()
        for _, url, _, html in pages:
            began = time.perf_counter()
            names(url, html)
            worst = max(worst, (time.perf_counter() - began) * 1e3)
        seconds = time.process_time() - before
        size = sum(page[2] for page in pages)
        print(json.dumps({"pages": len(pages), "bytes": size, "seconds": seconds, "worst_ms": worst}), flush=True)


main()
