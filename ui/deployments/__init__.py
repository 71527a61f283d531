"""Deployments: form, dry run, progress, confirmation, status, removal.

What happens on hosts is decided below; here it is shown, confirmed and counted down. A deployment goes on when its
page is left. Must not confirm or repair without the user.
"""
