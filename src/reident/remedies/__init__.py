"""Remedies: protective actions on records (Dalenius 6), shared with anonymisations.

Each is a pure function with a mask of rows: which records it may touch is decided elsewhere.

==================  ==============================================================
file                idea
==================  ==============================================================
``streams.py``      random numbers, one for each record, keyed by its place
``records.py``      records destroyed; values that move from one record to another
``values.py``       values blanked, rounded, blurred by noise
``groups.py``       who gives a value to whom: swapping, PRAM, rounded tables
``perturb.py``      the options of a perturbation become new columns
``encryption.py``   values sealed into texts that only the key opens
``accounts.py``     what was changed, cell by cell, and what that did to statistics
==================  ==============================================================
"""
