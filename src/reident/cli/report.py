"""reident report: the report of a finished run, made again."""

from __future__ import annotations

from pathlib import Path


def report(
    run: Path,
    /,
    *,
    audience: str = "internal",
    out: Path | None = None,
    pdf: bool = False,
    force: bool = False,
) -> int:
    """Make the report of a finished run again, from results.json and manifest.json alone.

    Args:
        run: The folder of a finished run, or of what uniques or protect wrote.
        audience: internal, or public: small counts hidden with what would give them away, rates in
            whole percent.
        out: The page to write; by default report.html, or report.public.html, in the run folder.
        pdf: Also print it by an installed Chromium, with marking and page numbers.
        force: Replace a file that is there.
    """
    from reident.cli import talk
    from reident.paperwork import write_report

    for path in write_report(run, audience=audience, out=out, pdf=pdf, force=force):
        talk.say(f"Report: {path}")
    return 0
