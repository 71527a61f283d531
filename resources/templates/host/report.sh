# report WORD...: prints a script event. Expects tunnel (its id).

report() {
    printf '%s %s\n' "$tunnel" "$*"
}
