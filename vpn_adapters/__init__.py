"""VPN adapters: pure translations from what is wanted to files and commands. They see app.domain alone."""
