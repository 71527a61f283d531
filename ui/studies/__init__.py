"""Studies: parts of a published table, runs on practice labs, own figures beside published ones.

Shows what `app.reports.study_view` makes of results. Must not know another feature, and must not judge: agreement,
goals and advice come with the view.
"""
