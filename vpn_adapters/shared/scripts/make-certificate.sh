# Makes a key and a self-signed certificate.
# $1 folder, $2 name of the files, $3 common name, $4 digest, $5 extended use or none, $6 beginning, $7 days, $8... kind
# of key. A configuration of its own: the system's openssl.cnf would add a second basicConstraints (OpenSSL 1.1.1) and
# may be missing. The key cannot issue further certificates, so that a peer may be trusted by its certificate alone.

umask 077
folder=$1 stem=$2 name=$3 digest=$4 usage=$5 beginning=$6 days=$7
shift 7
ca=$folder/$stem-ca
rm -rf "$ca"
mkdir "$ca" && : > "$ca/index.txt" && printf '01%s\n' "$(openssl rand -hex 15)" > "$ca/serial" &&
printf '%s\n' \
  '[req]' 'distinguished_name = subject' 'prompt = no' \
  '[subject]' "CN = $name" \
  '[ca]' 'default_ca = own' \
  '[own]' "database = $ca/index.txt" "serial = $ca/serial" "new_certs_dir = $ca" 'policy = any' \
  "default_md = $digest" 'x509_extensions = extensions' \
  '[any]' 'commonName = supplied' \
  '[extensions]' 'basicConstraints = critical,CA:FALSE' 'keyUsage = critical,digitalSignature' \
  $usage 'subjectKeyIdentifier = hash' > "$ca/openssl.cnf" &&
{
  openssl req -new -config "$ca/openssl.cnf" "-$digest" -nodes "$@" -keyout "$folder/$stem.key" -out "$ca/request" &&
    openssl ca -batch -notext -selfsign -config "$ca/openssl.cnf" -startdate "$beginning" -days "$days" \
      -keyfile "$folder/$stem.key" -in "$ca/request" -out "$folder/$stem.crt"
} > "$ca/log" 2>&1
status=$?
[ "$status" -eq 0 ] || cat "$ca/log" >&2
rm -rf "$ca"
exit "$status"
