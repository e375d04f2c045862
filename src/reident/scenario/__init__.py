"""Made-up files with planted truth: nothing in them comes from a person.

Reading guide: `streams` keys the random numbers; `people` makes a population up; `release` turns
part of it into a public-use file, `intruder` another part into what an intruder might hold;
`study_file` is the study that links them; `population` puts the scenario together. `planted` is a
tiny scenario whose counts are known before any attack runs.
"""
