"""Reports of a comparison: HTML and PDF for people, CSV and JSON for programs.

Made from stored values alone, at any time, with the same figures in each format. Field names are a format: see
docs/data-format.md. Must not compute results of its own, and must not contain a secret.
"""

from app.reports.csv_report import to_csv, write_samples_csv
from app.reports.html_report import to_html
from app.reports.json_report import to_json
from app.reports.pdf_report import to_pdf
from app.reports.writing import write_census, write_report

__all__ = ["to_csv", "to_html", "to_json", "to_pdf", "write_census", "write_report", "write_samples_csv"]
