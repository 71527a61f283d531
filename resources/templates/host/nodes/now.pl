# now: seconds since the host was started.

sub now {
    open(my $file, "<", "/proc/uptime") or die "uptime: $!\n";
    my ($now) = split / /, <$file>;
    return $now;
}
