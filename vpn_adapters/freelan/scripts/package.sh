# Whether the host's archive has freelan.
# The first line of the description is enough to know that this host's archive has the package.
if command -v apt-cache >/dev/null 2>&1; then apt-cache show freelan 2>/dev/null | grep '^Package: ' | head -n 1; fi
