# Whether root is locked: sshd lets nobody in whose password field begins with "!", unless PAM decides.
# Source: sshd(8), "LOGIN PROCESS".
while IFS=: read -r user word _; do
  [ "$user" = root ] || continue
  case $word in "!"*) echo locked ;; *) echo open ;; esac
done < /etc/shadow
