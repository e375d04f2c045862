"""The command line: one thin file per verb. Verbs call the library and show what it returns.

Results go to stdout, talk and progress to stderr. Heavy imports happen inside verbs, so that
`reident --help` answers at once.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import cyclopts

if TYPE_CHECKING:
    from collections.abc import Sequence

app = cyclopts.App(
    name="reident",
    help="Re-identification studies on microdata: how many people could really be found?",
    version_flags=["--version"],
    result_action="return_value",
    suppress_keyboard_interrupt=False,
    default_parameter=cyclopts.Parameter(negative="", show_default=False),
)
EXAMPLE = (
    "reident link puf.csv eif.csv --puf-key id --eif-key number "
    "--on age:numeric,sex,county=CNTY/county_code --truth iuf.csv"
)
VERBS = {
    "demo": ("reident.cli.demo:demo", "The whole study on made-up data."),
    "run": ("reident.cli.run:run", "Run a study: link, suspect, verify, report."),
    "link": (
        "reident.cli.link:link",
        f"Link two files by flags alone, without a study file.\n\nFor example: {EXAMPLE}",
    ),
    "check": ("reident.cli.check:check", "All faults of a study and its files, before any work."),
    "plan": ("reident.cli.plan:plan", "What a run would do, and how long; nothing is run."),
    "uniques": ("reident.cli.uniques:uniques", "Records that stand alone in one file, or nearly."),
    "protect": ("reident.cli.protect:protect", "Act on such records, and look again."),
    "decrypt": ("reident.cli.decrypt:decrypt", "Restore what protect has encrypted."),
    "anonymise": ("reident.cli.anonymise:anonymise", "Make a release and keep its truth."),
    "utility": ("reident.cli.utility:utility", "What a release is still good for."),
    "compare": ("reident.cli.compare:compare", "Finished runs side by side."),
    "contribution": (
        "reident.cli.contribution:contribution",
        "What each variable contributes: every attack again without it.",
    ),
    "report": ("reident.cli.report:report", "The report of a run again, also for the public."),
    "scenario": ("reident.cli.scenario:app", "Make up files with planted truth and a ready study."),
}
"""Verbs by name: where they live, so that only the one that is called is imported."""
for _name, (_home, _help) in VERBS.items():
    app.command(_home, name=_name, help=_help)

BAD_FLAG = 2
INTERRUPTED = 130
TERMINATED = 143
STOPPED = "Stopped; nothing was written under a final name."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done; 1 failed; 2 bad study, file or flag, or a refusal; 3 done, an agreed limit is exceeded;
    130 stopped by SIGINT, 143 by SIGTERM.
    """
    from reident.cli import talk

    try:
        code = app(
            sys.argv[1:] if argv is None else list(argv),
            exit_on_error=False,
            print_error=False,
        )
    except cyclopts.CycloptsError as error:
        talk.say_error(str(error))
        return BAD_FLAG
    except KeyboardInterrupt as stop:
        talk.say(STOPPED)
        talk.say_notes(stop)
        return INTERRUPTED
    except SystemExit as stop:
        if stop.code == TERMINATED:
            talk.say(STOPPED)
            talk.say_notes(stop)
        return stop.code if isinstance(stop.code, int) else 1
    except Exception as error:  # noqa: BLE001  # no traceback reaches a user: it could show data
        return talk.failed(error)
    return code if isinstance(code, int) else 0


def entry() -> None:
    """The `reident` command."""
    from reident.cli.signals import watch

    watch()
    sys.exit(main())
