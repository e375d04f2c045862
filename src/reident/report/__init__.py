"""The report: numbers of results.json in words, tables and one page. It never computes.

Reading guide:

================== =============================================================
file               idea
================== =============================================================
``plain.py``       texts of other hands, made harmless to show
``figures.py``     numbers as a reader sees them
``sentences.py``   one plain sentence for each finding
``sections.py``    the values a document is made of
``cells.py``       numbers as cells of a table
``findings.py``    sections about what was found
``details.py``     tables of the numbers behind the rates
``worth.py``       what the release is still good for
``grounds.py``     sections about what the findings stand on
``wording.py``     texts that are the same for every study
``document.py``    results and manifest -> sections, in order
``drawing.py``     the look of all pictures; specs drawn as SVG
``charts.py``      a picture as a value: finding, spec, numbers
``pictures.py``    the pictures of a study; ``attack_pictures.py`` of one attack
``notebook.py``    results -> a fragment for a notebook
``html.py``        sections -> report.html
``paper.py``       report.html -> PDF, by an installed Chromium
``suppress.py``    what the public may see; ``public.py`` the report of it
``beside_page.py`` runs side by side as a page; ``beside.py`` on the terminal
``suites.py``      pages of what the papers claim, measured
``contribution.py`` what each variable contributes, on the terminal
``tables.py``      results -> csv files and one workbook
``terminal.py``    results -> a table and sentences for the terminal
``columns.py``     tables that a narrow terminal folds
``uniques.py``     unique records of one file, for the terminal
``uniques_page.py`` the same as a page
``protect.py``     protective action, for the terminal
``protect_page.py`` the same as a page
================== =============================================================
"""
