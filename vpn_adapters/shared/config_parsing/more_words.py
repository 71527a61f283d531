"""Settings that tell no kind of file from another, but are settings where the kind is known; in lower case.

Source: openvpn(8) of 2.3 to 2.6, swanctl.conf(5) and ipsec.conf(5) of strongSwan 5.9, stunnel(8) of 5.74, wg-quick(8),
sshd_config(5) and ssh_config(5) of OpenSSH 9, freelan.cfg as shipped with freelan 2.2.
"""

from __future__ import annotations

from vpn_adapters.shared.config_parsing.word_sets import word_set

OPENVPN = word_set(
    """
    allow-compression allow-pull-fqdn allow-recursive-routing askpass auth-gen-token auth-retry
    auth-user-pass-optional auth-user-pass-verify bcast-buffers bind bind-dev block-ipv6 block-outside-dns
    capath ccd-exclusive cd chroot client-cert-not-required client-config-dir client-connect client-disconnect
    client-nat compat-mode connect-freq connect-retry connect-retry-max connect-timeout crl-verify cryptoapicert
    dev-node dhcp-option dhcp-release dhcp-renew disable-dco disable-occ dns down down-pre echo engine
    errors-to-stderr extra-certs fast-io hand-window hash-size http-proxy http-proxy-option http-proxy-retry
    http-proxy-user-pass ifconfig-ipv6 ifconfig-ipv6-pool ifconfig-ipv6-push ifconfig-noexec ifconfig-nowarn
    ifconfig-pool ifconfig-push ignore-unknown-option inactive inetd ip-win32 ipchange iproute iroute
    iroute-ipv6 keepalive key-method keying-material-exporter keysize learn-address link-mtu lladdr log
    machine-readable-output management-client management-hold management-query-passwords mark max-packet-size
    max-routes max-routes-per-client mktun mlock mtu-disc mtu-test multihome mute-replay-warnings nice no-iv
    no-name-remapping no-replay ns-cert-type opt-verify passtos persist-local-ip persist-remote-ip ping-exit
    ping-timer-rem pkcs11-cert-private pkcs11-id pkcs11-id-management pkcs11-pin-cache pkcs11-private-mode
    pkcs11-protected-authentication pkcs11-providers plugin port-share prng proto-force protocol-flags providers
    pull pull-filter push-peer-info push-remove push-reset rcvbuf redirect-gateway redirect-private register-dns
    remap-usr1 remote-cert-eku remote-cert-ku remote-random remote-random-hostname reneg-bytes reneg-pkts
    replay-persist replay-window route-delay route-gateway route-ipv6 route-ipv6-gateway route-method
    route-metric route-noexec route-nopull route-pre-down route-up server-ipv6 server-poll-timeout
    session-timeout setcon setenv setenv-safe shaper show-net-up single-session sndbuf socket-flags socks-proxy
    socks-proxy-retry stale-routes-check static-challenge status-version suppress-timestamps syslog tap-sleep
    tcp-nodelay tcp-queue-limit test-crypto tls-cert-profile tls-crypt-v2-verify tls-exit tls-export-cert
    tls-remote tls-timeout tls-verify tls-version-max tmp-dir tran-window tun-ipv6 tun-mtu-extra tun-mtu-max
    txqueuelen udp-mtu up up-delay up-restart use-prediction-resistance username-as-common-name verify-hash
    vlan-accept vlan-pvid vlan-tagging win-sys windows-driver writepid x509-track x509-username-field
    """
)
SWANCTL = word_set(
    """
    aaa_id addrs aggressive cacert cert cert_policy cert_uri_base copy_df copy_dscp copy_ecn crl_uris dhcp dns
    dpd_timeout dscp eap eap_id ecdsa file groups handle hostaccess hw_offload id if_id_out ike inactivity
    include interface ipcomp label life_bytes life_packets life_time local_port manual_prio mark_in mark_in_sa
    mark_out mediated_by mediation mediation_peer mode module nbns netmask ntlm ocsp_uris over_time pkcs12 pkcs8
    policies policies_fwd_out ppk priority private pubkey pull rand_bytes rand_packets rand_time rekey_bytes
    rekey_packets remote_port replay_window reqid revocation round rsa secret send_cert send_certreq set_mark_in
    set_mark_out slot split_exclude split_include start_trap subnet tfc_padding token vips xauth_id
    """
)
IPSEC_CONF = word_set(
    """
    aaa_identity ah cacert cachecrls certuribase crlcheckinterval crluri crluri2 dpdtimeout eap_identities
    eap_identity ikev1 ikev2 inactivity include installpolicy interfaces keyexchange leftallowany leftauth2
    leftca leftca2 leftcert2 leftcertpolicy leftdns leftfirewall leftgroups leftgroups2 lefthostaccess leftid2
    leftikeport leftmodecfg leftnexthop leftprotoport leftrsasigkey leftsendcert leftsubnets leftupdown
    lifebytes lifepackets marginbytes marginpackets mark mark_in mark_out me_peer mediated_by mediation
    modeconfig nat_traversal nhelpers ocspuri pfs pfsgroup phase2 phase2alg plutodebug plutostart protostack
    reauth rekey rekeyfuzz replay_window reqid rightallowany rightauth2 rightca rightca2 rightcert2
    rightcertpolicy rightdns rightfirewall rightgroups rightgroups2 righthostaccess rightid2 rightikeport
    rightmodecfg rightnexthop rightprotoport rightrsasigkey rightsendcert rightsubnets rightupdown salifetime
    sha2-truncbug tfc version virtual_private xauth xauth_identity
    """
)
STUNNEL = word_set(
    """
    cafile capath cengine checkemail checkip compression config crlfile crlpath curves debug dh engine
    enginectrl engineid enginenum failover ident include key libwrap local logid ocsp ocspaaa ocspflag ocspnonce
    ocsprequire output protocol protocolauthentication protocoldomain protocolheader protocolhost
    protocolpassword protocolusername provider providerparameter redirect renegotiation requirecert reset
    rndbytes rndfile rndoverwrite securitylevel servername service sessioncachesize sessioncachetimeout
    sessionresume setenv socket stack syslog ticketkeysecret ticketmacsecret timeoutbusy timeoutconnect
    timeoutidle timeoutocsp transparent verify verifyhost
    """
)
WIREGUARD = word_set("address dns mtu table")
SSH = word_set(
    """
    acceptenv addkeystoagent addressfamily allowagentforwarding allowgroups allowstreamlocalforwarding
    allowtcpforwarding allowusers authenticationmethods authorizedkeyscommand authorizedkeyscommanduser
    authorizedkeysfile authorizedprincipalsfile banner batchmode bindaddress bindinterface casignaturealgorithms
    certificatefile challengeresponseauthentication chrootdirectory ciphers clearallforwardings
    clientalivecountmax clientaliveinterval compression connectionattempts connecttimeout controlmaster
    controlpath controlpersist denygroups denyusers disableforwarding dynamicforward enablesshkeysign escapechar
    exitonforwardfailure exposeauthinfo fingerprinthash forcecommand forwardagent forwardx11 forwardx11timeout
    forwardx11trusted gatewayports globalknownhostsfile gssapiauthentication gssapicleanupcredentials
    gssapidelegatecredentials gssapikeyexchange hashknownhosts host hostbasedauthentication hostcertificate
    hostkey hostkeyalgorithms hostkeyalias hostname identitiesonly identityagent identityfile ignorerhosts
    ignoreuserknownhosts include ipqos kbdinteractiveauthentication kerberosauthentication kexalgorithms
    listenaddress localcommand localforward logingracetime loglevel macs match maxauthtries maxsessions
    maxstartups nohostauthenticationforlocalhost numberofpasswordprompts passwordauthentication
    permitemptypasswords permitlisten permitlocalcommand permitopen permitremoteopen permitrootlogin permittty
    permittunnel permituserenvironment permituserrc persourcemaxstartups pidfile pkcs11provider port
    preferredauthentications printlastlog printmotd proxycommand proxyjump proxyusefdpass
    pubkeyacceptedalgorithms pubkeyacceptedkeytypes pubkeyauthentication rekeylimit remotecommand remoteforward
    requesttty requiredrsasize revokedhostkeys securitykeyprovider sendenv serveralivecountmax
    serveraliveinterval setenv streamlocalbindmask streamlocalbindunlink stricthostkeychecking strictmodes
    subsystem syslogfacility tcpkeepalive trustedusercakeys tunnel tunneldevice updatehostkeys usedns usepam
    user userknownhostsfile verifyhostkeydns versionaddendum visualhostkey x11displayoffset x11forwarding
    x11uselocalhost xauthlocation
    """
)
FREELAN = word_set(
    """
    accept_routes_requests arp_proxy_fake_ethernet_address authentication_script
    certificate_revocation_list_file certificate_validation_script certification_authority_certificate_file
    certification_authority_private_key_file client_routing_enabled dhcp_server_ipv4_address_prefix_length
    dns_script dns_servers_acceptance_policy down_script enabled encryption_certificate_file
    encryption_private_key_file hello_timeout ipv6_address_prefix_length join_network listen_on_device
    local_dns_server local_ip_route maximum_routes_limit metric mss_override mtu name password protocol
    public_endpoint remote_ipv4_address route server_certificate_file server_endpoint server_private_key_file
    type up_script username
    """
)
