BEGIN TRANSACTION;
CREATE TABLE attempt (
    id          INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaign (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    solution    TEXT NOT NULL,
    suite       TEXT NOT NULL,
    condition   TEXT NOT NULL,
    round       INTEGER NOT NULL,
    status      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    started_at  TEXT NOT NULL,
    ended_at    TEXT NOT NULL,
    setup_s     REAL NOT NULL,
    probe_s     REAL NOT NULL,
    cleanup_s   REAL NOT NULL,
    codec       TEXT NOT NULL,  -- how body is packed
    body        BLOB NOT NULL,  -- Attempt as JSON, without its latency series
    UNIQUE (campaign_id, position)
) STRICT;
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    host        TEXT NOT NULL,
    side        TEXT CHECK (side IN ('a', 'b')),
    command     TEXT NOT NULL,
    exit_status INTEGER,
    what        TEXT NOT NULL
, who TEXT NOT NULL DEFAULT '', deployment TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "audit" VALUES(1,'2026-11-26T10:05:33.305872+00:00','10.0.0.1','a','mkdir /run/tunnelmark',0,'Lock the host and arm its timer','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(2,'2026-11-26T10:05:33.315615+00:00','10.0.0.1','a','mkdir /run/tunnelmark-c876adf5b352484c',0,'Make the tunnel''s own folder','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(3,'2026-11-26T10:05:33.327046+00:00','10.0.0.2','b','mkdir /run/tunnelmark',0,'Lock the host and arm its timer','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(4,'2026-11-26T10:05:33.331674+00:00','10.0.0.2','b','mkdir /run/tunnelmark-c876adf5b352484c',0,'Make the tunnel''s own folder','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(5,'2026-11-26T10:05:33.338718+00:00','10.0.0.1','a','sh -c ''echo "secret of $2" > "$1"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key a',0,'Make a key','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(6,'2026-11-26T10:05:33.350740+00:00','10.0.0.2','b','sh -c ''echo "secret of $2" > "$1"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key b',0,'Make a key','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(7,'2026-11-26T10:05:33.396876+00:00','10.0.0.1','a','cat > /run/tunnelmark-c876adf5b352484c/config',0,'Write /run/tunnelmark-c876adf5b352484c/config','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(8,'2026-11-26T10:05:33.411507+00:00','10.0.0.2','b','cat > /run/tunnelmark-c876adf5b352484c/config',0,'Write /run/tunnelmark-c876adf5b352484c/config','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(9,'2026-11-26T10:05:33.419707+00:00','10.0.0.1','a','sh -c ''umask 077; mkdir -p "$2" && rm -rf "$2/kept" && cp -pR "$1" "$2/kept"'' tunnelmark /run/tunnelmark-c876adf5b352484c /run/tunnelmark/kit',0,'Keep keys and files as they are now, to start the tunnel from them again','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(10,'2026-11-26T10:05:33.427926+00:00','10.0.0.1','a','ip link add tml0',0,'Make tml0','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(11,'2026-11-26T10:05:33.433284+00:00','10.0.0.2','b','sh -c ''umask 077; mkdir -p "$2" && rm -rf "$2/kept" && cp -pR "$1" "$2/kept"'' tunnelmark /run/tunnelmark-c876adf5b352484c /run/tunnelmark/kit',0,'Keep keys and files as they are now, to start the tunnel from them again','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(12,'2026-11-26T10:05:33.446997+00:00','10.0.0.2','b','ip link add tml0',0,'Make tml0','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(13,'2026-11-26T10:05:33.453954+00:00','10.0.0.2','b','sh -c ''cd /; echo "$$ begins" > "$1/daemon.log"; sleep 600 & echo $! > "$1/pid"'' tunnelmark /run/tunnelmark-c876adf5b352484c',0,'Start the daemon','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(14,'2026-11-26T10:05:33.459540+00:00','10.0.0.1','a','sh -c ''cd /; echo "$$ begins" > "$1/daemon.log"; sleep 600 & echo $! > "$1/pid"'' tunnelmark /run/tunnelmark-c876adf5b352484c',0,'Start the daemon','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(15,'2026-11-26T10:05:33.593511+00:00','10.0.0.2','b','sh /run/tunnelmark/kit/lasting.sh halt',0,'Take the tunnel down','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(16,'2026-11-26T10:05:33.608170+00:00','10.0.0.1','a','sh /run/tunnelmark/kit/lasting.sh halt',0,'Take the tunnel down','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(17,'2026-11-26T10:05:33.729413+00:00','10.0.0.2','b','sh /run/tunnelmark/kit/lasting.sh restart',0,'Start the tunnel again, as it will start with the host','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(18,'2026-11-26T10:05:33.738351+00:00','10.0.0.1','a','sh /run/tunnelmark/kit/lasting.sh restart',0,'Start the tunnel again, as it will start with the host','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(19,'2026-11-26T10:05:33.995098+00:00','10.0.0.1','a','/etc/tunnelmark/58fca5ac/c876adf5b352484c',0,'Put in place what starts the tunnel with the host','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(20,'2026-11-26T10:05:34.002553+00:00','10.0.0.2','b','/etc/tunnelmark/58fca5ac/c876adf5b352484c',0,'Put in place what starts the tunnel with the host','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(21,'2026-11-26T10:05:34.073255+00:00','10.0.0.1','a','echo c876adf5b352484c > /etc/tunnelmark/58fca5ac/current',0,'Confirm the deployment','root on vm','c876adf5b352484c');
INSERT INTO "audit" VALUES(22,'2026-11-26T10:05:34.295799+00:00','10.0.0.2','b','echo c876adf5b352484c > /etc/tunnelmark/58fca5ac/current',0,'Confirm the deployment','root on vm','c876adf5b352484c');
CREATE TABLE campaign (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    pair               TEXT NOT NULL,
    profile            TEXT NOT NULL,
    status             TEXT NOT NULL,
    started_at         TEXT NOT NULL,
    ended_at           TEXT,
    message            TEXT NOT NULL DEFAULT '',
    tunnelmark_version TEXT NOT NULL,
    attempts_planned   INTEGER NOT NULL,
    plan               TEXT NOT NULL,  -- CampaignPlan as JSON
    facts              TEXT NOT NULL,  -- {"a": HostFacts, "b": HostFacts} as JSON
    owner              TEXT NOT NULL DEFAULT ''  -- the process that runs it: boot id, process id, start time
) STRICT;
CREATE TABLE census (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    pair               TEXT NOT NULL,
    solutions          TEXT NOT NULL,  -- names as JSON, in order
    is_complete        INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
    started_at         TEXT NOT NULL,
    ended_at           TEXT,
    message            TEXT NOT NULL DEFAULT '',
    tunnelmark_version TEXT NOT NULL,
    plan               TEXT NOT NULL,  -- CensusPlan as JSON
    facts              TEXT NOT NULL,  -- {"a": HostFacts, "b": HostFacts} as JSON
    owner              TEXT NOT NULL DEFAULT ''  -- the process that runs it: boot id, process id, start time
) STRICT;
CREATE TABLE census_option (
    census_id INTEGER NOT NULL REFERENCES census (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,  -- of the option in the plan
    made      INTEGER NOT NULL,  -- order in which results were made
    solution  TEXT NOT NULL,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    status    TEXT NOT NULL,
    result    TEXT NOT NULL,  -- OptionResult as JSON
    PRIMARY KEY (census_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE deployment (
    id          TEXT PRIMARY KEY,  -- 16 hexadecimal digits
    pair        TEXT NOT NULL,
    solution    TEXT NOT NULL,
    suite       TEXT NOT NULL,
    state       TEXT NOT NULL,
    prepared_at TEXT NOT NULL,
    state_at    TEXT NOT NULL,
    body        TEXT NOT NULL  -- Deployment as JSON; no secret is in it
) STRICT;
INSERT INTO "deployment" VALUES('c876adf5b352484c','pair','made-up','strong','confirmed','2026-11-26T10:05:33.202715+00:00','2026-11-26T10:05:34.312407+00:00','{"id":"c876adf5b352484c","pair":{"name":"pair","a":{"label":"gateway-a","address":"10.0.0.1","port":null,"user":null,"auth":"auto","identity_file":null,"host_key_file":null},"b":{"label":"gateway-b","address":"10.0.0.2","port":null,"user":null,"auth":"auto","identity_file":null,"host_key_file":null},"underlay_a":"192.0.2.1","underlay_b":"192.0.2.2","is_lab":false,"load_cap_mbit_s":null},"solution":"made-up","suite":"strong","title":"Made up","verdict":"recommended","options":{"bridge_a":"","bridge_b":"","inner_a":"","inner_b":"","confirm_within_s":30.0,"legacy_reason":""},"slot":"58fca5ac","link":{"underlay_a":"192.0.2.1","underlay_b":"192.0.2.2","inner_a":"198.19.0.1/24","inner_b":"198.19.0.2/24","carrier_a":"198.19.1.1","carrier_b":"198.19.1.2","inner_mtu_bytes":1500,"underlay_mtu_bytes":1500,"names":{"ethernet_interface":"tml0","wireguard_interface":"tmlwg0","udp_port":22194,"tcp_port":22394,"wireguard_port":22820,"l2tp_tunnel_id":7401,"l2tp_session_id":7401,"iperf_port":26201,"tinc_port":22655,"freelan_port":22000,"ssh_port":22222,"ssh_tap_unit":7401,"lower_interface":"tmllow0","guard_table":"tunnelmark_lasting_0","vlan_interface":"tmlvlan0"},"run_dir":"/run/tunnelmark-c876adf5b352484c"},"by":"root on vm","prepared_at":"2026-11-26T10:05:33.202715+00:00","state":"confirmed","state_at":"2026-11-26T10:05:34.312407+00:00","a":{"items":[{"side":"a","kind":"command","title":"Lock the host, and start the timer that puts it back should Tunnelmark not be heard of","text":"mkdir -m 700 /run/tunnelmark && sh /run/tunnelmark/watch.sh &"},{"side":"a","kind":"undo","title":"Put everything back, by hand as well","text":"sh /run/tunnelmark/undo.sh"},{"side":"a","kind":"command","title":"Make a key","text":"sh -c ''echo \"secret of $2\" > \"$1\"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key a"},{"side":"a","kind":"undo","title":"Undo: Make a key","text":"sh -c ''rm -f \"$1\"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key a"},{"side":"a","kind":"file","title":"/run/tunnelmark-c876adf5b352484c/config","text":"peer public-b\n"},{"side":"a","kind":"command","title":"Keep keys and files as they are now, to start the tunnel from them again","text":"sh -c ''umask 077; mkdir -p \"$2\" && rm -rf \"$2/kept\" && cp -pR \"$1\" \"$2/kept\"'' tunnelmark /run/tunnelmark-c876adf5b352484c /run/tunnelmark/kit"},{"side":"a","kind":"undo","title":"Undo: Keep keys and files as they are now, to start the tunnel from them again","text":"rm -rf /run/tunnelmark/kit"},{"side":"a","kind":"command","title":"Make tml0","text":"ip link add tml0"},{"side":"a","kind":"undo","title":"Undo: Make tml0","text":"ip link del tml0"},{"side":"a","kind":"command","title":"Start the daemon","text":"sh -c ''cd /; echo \"$$ begins\" > \"$1/daemon.log\"; sleep 600 & echo $! > \"$1/pid\"'' tunnelmark /run/tunnelmark-c876adf5b352484c"},{"side":"a","kind":"undo","title":"Undo: Start the daemon","text":"sh -c ''if [ -s \"$1/pid\" ]; then kill \"$(cat \"$1/pid\")\" 2>/dev/null; fi; rm -f \"$1/pid\"; exit 0'' tunnelmark /run/tunnelmark-c876adf5b352484c"},{"side":"a","kind":"command","title":"Once confirmed: keep keys and files for later starts","text":"cp -pR /run/tunnelmark/kit /etc/tunnelmark/58fca5ac/c876adf5b352484c"},{"side":"a","kind":"undo","title":"Undo: keep keys and files for later starts","text":"rm -rf /etc/tunnelmark/58fca5ac"},{"side":"a","kind":"command","title":"Once confirmed: start it with the host, and watch over it","text":"sh /etc/tunnelmark/58fca5ac/start.sh boot"},{"side":"a","kind":"undo","title":"Undo: start it with the host","text":"sh /etc/tunnelmark/58fca5ac/start.sh aside"}],"files":[{"path":"/run/tunnelmark-c876adf5b352484c/config","mode":420,"sha256":"d8bb0d399c6c2ac0c35f130968338c582d9b1cbe4da97d35c9a7cba5d1483e27","text":"peer public-b\n"}],"interface":"tml0","bridge":"","lan_port":"","ports":[["udp",21194]],"services":["tunnelmark-58fca5ac"]},"b":{"items":[{"side":"b","kind":"command","title":"Lock the host, and start the timer that puts it back should Tunnelmark not be heard of","text":"mkdir -m 700 /run/tunnelmark && sh /run/tunnelmark/watch.sh &"},{"side":"b","kind":"undo","title":"Put everything back, by hand as well","text":"sh /run/tunnelmark/undo.sh"},{"side":"b","kind":"command","title":"Make a key","text":"sh -c ''echo \"secret of $2\" > \"$1\"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key b"},{"side":"b","kind":"undo","title":"Undo: Make a key","text":"sh -c ''rm -f \"$1\"'' tunnelmark /run/tunnelmark-c876adf5b352484c/key b"},{"side":"b","kind":"file","title":"/run/tunnelmark-c876adf5b352484c/config","text":"peer public-a\n"},{"side":"b","kind":"command","title":"Keep keys and files as they are now, to start the tunnel from them again","text":"sh -c ''umask 077; mkdir -p \"$2\" && rm -rf \"$2/kept\" && cp -pR \"$1\" \"$2/kept\"'' tunnelmark /run/tunnelmark-c876adf5b352484c /run/tunnelmark/kit"},{"side":"b","kind":"undo","title":"Undo: Keep keys and files as they are now, to start the tunnel from them again","text":"rm -rf /run/tunnelmark/kit"},{"side":"b","kind":"command","title":"Make tml0","text":"ip link add tml0"},{"side":"b","kind":"undo","title":"Undo: Make tml0","text":"ip link del tml0"},{"side":"b","kind":"command","title":"Start the daemon","text":"sh -c ''cd /; echo \"$$ begins\" > \"$1/daemon.log\"; sleep 600 & echo $! > \"$1/pid\"'' tunnelmark /run/tunnelmark-c876adf5b352484c"},{"side":"b","kind":"undo","title":"Undo: Start the daemon","text":"sh -c ''if [ -s \"$1/pid\" ]; then kill \"$(cat \"$1/pid\")\" 2>/dev/null; fi; rm -f \"$1/pid\"; exit 0'' tunnelmark /run/tunnelmark-c876adf5b352484c"},{"side":"b","kind":"command","title":"Once confirmed: keep keys and files for later starts","text":"cp -pR /run/tunnelmark/kit /etc/tunnelmark/58fca5ac/c876adf5b352484c"},{"side":"b","kind":"undo","title":"Undo: keep keys and files for later starts","text":"rm -rf /etc/tunnelmark/58fca5ac"},{"side":"b","kind":"command","title":"Once confirmed: start it with the host, and watch over it","text":"sh /etc/tunnelmark/58fca5ac/start.sh boot"},{"side":"b","kind":"undo","title":"Undo: start it with the host","text":"sh /etc/tunnelmark/58fca5ac/start.sh aside"}],"files":[{"path":"/run/tunnelmark-c876adf5b352484c/config","mode":420,"sha256":"a86e02a42bc9cb55759208842822915d7b75726b9bfb210f68797d99ed6a2619","text":"peer public-a\n"}],"interface":"tml0","bridge":"","lan_port":"","ports":[["udp",21194]],"services":["tunnelmark-58fca5ac"]},"tunnels":{"a":"75e901929e79853f","b":"866a14e6d03f2b9e"},"replaces":"","confirmed_at":"2026-11-26T10:05:34.312353+00:00","expires_at":null,"negotiated":"","timings_s":{"begin":0.138,"new connection to B":0.1,"new connection to A":0.1,"build":0.138,"wire":0.0,"connect":0.129,"restart":0.253,"install":0.169,"confirm":0.309},"message":"It was not proven that nothing can be read on the way. gateway-a has no tcpdump; the package tcpdump brings it. gateway-b has no tcpdump; the package tcpdump brings it. It was not tried whether frames stop once the protection has gone.","policy":"p 1","tunnelmark_version":"0","is_ending":false}');
CREATE TABLE pair (
    name       TEXT PRIMARY KEY,
    spec       TEXT NOT NULL,  -- PairSpec as JSON
    saved_at   TEXT NOT NULL
) STRICT;
INSERT INTO "pair" VALUES('pair','{"name":"pair","a":{"label":"gateway-a","address":"10.0.0.1","port":null,"user":null,"auth":"auto","identity_file":null,"host_key_file":null},"b":{"label":"gateway-b","address":"10.0.0.2","port":null,"user":null,"auth":"auto","identity_file":null,"host_key_file":null},"underlay_a":"192.0.2.1","underlay_b":"192.0.2.2","is_lab":false,"load_cap_mbit_s":null}','2026-11-26T10:05:33.186357+00:00');
CREATE TABLE samples (
    attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
    quantity   TEXT NOT NULL,     -- rtt
    unit       TEXT NOT NULL,     -- us
    dtype      TEXT NOT NULL,     -- uint32
    codec      TEXT NOT NULL,     -- how data is packed
    count      INTEGER NOT NULL,  -- number of samples
    data       BLOB NOT NULL
) STRICT;
CREATE TABLE series (
    attempt_id  INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,  -- order in which they were probed, from 0
    frame_bytes INTEGER NOT NULL,
    sent        INTEGER NOT NULL,
    received    INTEGER NOT NULL,
    duplicates  INTEGER NOT NULL,
    count       INTEGER NOT NULL,  -- number of samples
    note        TEXT NOT NULL,
    PRIMARY KEY (attempt_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshot (
    id           INTEGER PRIMARY KEY,
    pair         TEXT NOT NULL,
    side         TEXT NOT NULL CHECK (side IN ('a', 'b')),
    collected_at TEXT NOT NULL,
    facts        TEXT NOT NULL  -- HostFacts as JSON
) STRICT;
INSERT INTO "snapshot" VALUES(1,'pair','a','2026-01-01T00:00:00.000000+00:00','{"collected_at":"2026-01-01T00:00:00+00:00","hostname":"gateway-a","os_id":"debian","os_name":"Debian","kernel":"6.12","architecture":"x86_64","cpu_model":"made up","cpu_count":1,"cpu_flags":[],"is_virtual":true,"memory_total_mib":512,"memory_available_mib":256,"nics":[],"clock_offset_ms":0.0,"clock_error_ms":0.0,"init_system":"unknown","privilege":"root","user":"root","package_manager":"none","tools":{"ping":{"name":"ping","flavour":"iputils","version":"","path":""}},"kernel_modules":[],"disk_free_mib":{},"load_1min":0.0,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]}');
INSERT INTO "snapshot" VALUES(2,'pair','b','2026-01-01T00:00:00.000000+00:00','{"collected_at":"2026-01-01T00:00:00+00:00","hostname":"gateway-b","os_id":"debian","os_name":"Debian","kernel":"6.12","architecture":"x86_64","cpu_model":"made up","cpu_count":1,"cpu_flags":[],"is_virtual":true,"memory_total_mib":512,"memory_available_mib":256,"nics":[],"clock_offset_ms":0.0,"clock_error_ms":0.0,"init_system":"unknown","privilege":"root","user":"root","package_manager":"none","tools":{"ping":{"name":"ping","flavour":"iputils","version":"","path":""}},"kernel_modules":[],"disk_free_mib":{},"load_1min":0.0,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]}');
CREATE INDEX snapshot_latest ON snapshot (pair, side, collected_at);
CREATE INDEX campaign_of_pair ON campaign (pair, id);
CREATE INDEX audit_time ON audit (at);
CREATE VIEW campaign_progress AS
SELECT
    campaign.id,
    campaign.pair,
    campaign.profile,
    campaign.status,
    campaign.started_at,
    campaign.ended_at,
    campaign.attempts_planned,
    (
        SELECT count(*) FROM attempt
        WHERE attempt.campaign_id = campaign.id AND attempt.status IN ('completed', 'failed', 'skipped')
    ) AS attempts_done,
    (
        SELECT json_group_array(json_extract(value, '$.title')) FROM json_each(campaign.plan, '$.candidates')
    ) AS candidates,
    campaign.message
FROM campaign;
CREATE INDEX census_of_pair ON census (pair, id);
CREATE INDEX deployment_of_pair ON deployment (pair, prepared_at);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
DELETE FROM "sqlite_sequence";
COMMIT;
