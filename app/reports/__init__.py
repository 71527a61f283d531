"""Reports of a comparison: HTML and PDF for people, CSV and JSON for programs.

Made from stored values alone, at any time, with the same figures in each format. Field names are a format: see
docs/data-format.md. Must not compute results of its own, and must not contain a secret.
"""

from app.reports.csv_report import write_csv, write_samples_csv
from app.reports.html_report import to_html, write_html
from app.reports.json_report import to_json, write_json
from app.reports.pdf_report import to_pdf, write_pdf

__all__ = ["to_html", "to_json", "to_pdf", "write_csv", "write_html", "write_json", "write_pdf", "write_samples_csv"]
