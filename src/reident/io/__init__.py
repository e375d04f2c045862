"""The doors: tables in, study files in and out, run folders out."""
