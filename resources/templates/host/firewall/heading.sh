# Function of scripts whose output has parts.

# heading WORDS: begins a part of the output; $mark is the first word of headings.
heading() { printf '\n%s %s\n' "$mark" "$1"; }
