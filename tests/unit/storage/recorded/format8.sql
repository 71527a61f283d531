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
INSERT INTO "attempt" VALUES(1,1,0,'baseline','none','as-found',1,'completed','','2026-03-04T09:30:00.000000+00:00','2026-03-04T09:30:35.000000+00:00',2.1,28.0,1.3,'json-zlib/1',X'789CED56CB92DA3010FC175FC3BAE42798EFC86D6BCB25DB0328C892A3071B8ADA7FCF8C8C792C84DA22971C72014BDDE31E8D466D1DA22DECA3E5211AB4154E68152DD92CB25AFA711035DC82140A229CF5C2014E291D86AD56DD3124E2F665A5BDEA70DA84FF65F281018E3B6F116E753F48701070E036C4E0730FD6F2358C03641BA4D4DCE1386569F9C2B217967F67D532634BC6BE31FA4522A8EE8FB4AC38D12477A05A5CDCEBDB2C721BCC6BBD193C46BD1EA24E1868A7DC6BA7EB86B26984AB31DD9C95715956559614F3A2289379318B847260765CD613E9F50EEB4B536F172FC3F72431A39A38C395ED85C399144BCB879390F2527ECCAE536E28657E91725665713E67F9A22ACA459995F3F25ECA77585F9A7A2A650C6A075F9F76E11071FA69BCDDD7438BDB902571C1AA9C65294ACDD93C99CF226FC11CD138B94617D8217BEBA01FF1641157AC28F3A4CAAB6C91E629E17AE584F93912AA382FD245CAAA795E56499AE4D461802B0828A33558A01EC684CB9861BB36FF747E1F633D2F1BF97F49FFBAA403771BCA51288569F4CED7CDDE013579C1908E560646F2FD2DB2327CDD8372B66ED1D1C8DAC83825376BB0AEF66AC2D1A9F0B1877334A5A5776036C0BB69966A65C1F9818E4F1A27B8D712B81AC7499C61A2463710D005AD0357B1126B6FF8E80864710AD6DA893115F2D38E43AF552DF5FA38D6BEA1C34ADC7734135A368A6CE91FD3E9041529825FD00F8EEC1893476DD4C263FE0E865E4B233CE8CE875168BF94855D4E6905943316919BADBD876AE58C96577819E0923AC5E82D4C2BD1E13B137D9C0B155CFBAA9025A3DD6BB7E0264BD21E3DEA0CD394DB8036FBCB1061EBF3D644CB1597167089ED7622651975EE27B1847AED815A32EECAB55C087A4E2F2DCA877A88DFEA85A0E7F48A247DA887F8AD5E087AB29E2CCD1F171409772A1AC29E94CCD9E38E21C21DC910F6A46438EB8F2491704732847D4D92BEB2465B2BD4DA8633B21574FBA23BDA8B18F0186F38391432E825CE78B83C5E277AEFA5132DB7EE73C451F64EC84E72F5994D1FFE0B3226C7BB9D40A8BEF1D7918A8B9C1884A1C9EDC80446F0D2B084FA31DD7E4610A94EB75A067CBC6B4E17C946EA767B8C436FEEC6DA1CC84DDEC90FD1765B6DCE491818D0C16D3070FAC47257A3AFC218424FD7179BDFF68A7ECD');
INSERT INTO "attempt" VALUES(2,1,1,'l2tp','none','as-found',1,'completed','','2026-03-04T09:30:40.000000+00:00','2026-03-04T09:31:15.000000+00:00',2.1,28.0,1.3,'json-zlib/1',X'789CED586D6FDB3610FE2B82F671B142512F960DEC43300C5D811608D67C4B028196689BB3446A2415D708F2DF7747598A1CBB59E1ADE8021408629177E4BDE8EEB93B3DFA1BBEF3E78F7EA38CB042497F1E5EF846556DB7F02B6A1B1F765A61392CA5921C968592E59EDD6766B254AD2C615BBBDF79F804072CB3AD0172A1EAA6E2963B3A67C69D81E79A1BC356BC5B00B706969C59585342D309892624BE21B37944E631F999903921C0C865F905B6701E26035BC52C970518767B7FE1DB35E8B55A372D9CBA7DF44BA179D1EB9E5B952F509B85B039A84B4918C4D934CB92984EA7293C5EF8425AAE1F5895F74CB727B8BE6AEB7E7419DC1306047D623593A61616C5836B593308926D553D5D1CAABC4095D981CA4910529A46B3599884749A9CD6F825D357EC9CA52E1C2A9A361FDEC0A3CFF0DFA235BBBC29E015C4714029C96694CEA624A3E8E1D670BD2706F14BA2D919CBEB8E4CD32089681225D134A3F16C4A2906EBD20AFD57C71046014D539A4ED36C16D2384B319A2D07031C99A0098663F882BE6940205217FF67F59E3A6F8E43F88743FFA5431B66D7A8A29012D4A86D9B2F769663802704D801C2B8AED8EE98B2D46C5573694D5E009221A4013411441BBDE2C6E6ADEC3900A3E0B1E6C3F938053EF5C0F59AB3B2DF4D62044A6EDBC6E57100BA171567B25B874104BA6AB5E08E9AA12960C852AC5ACD3A30003433A2440C4540D808045F7F292A84682B6C85944BDDCA4BDB82AD55CDF466FF7889B81EE075C8CA3F23A0FEE4BDE3E01134CC5BECBC9BE14C70276FDF23102C59C1EFEFE407012E96D74A5BEF178F861925771258AE39D740BDAA2AB5E5E5FB6B03D470960521FC05F432A277D247343B56196A44CD5C05E9B5FEC836DCB36BEE895EEEB39EA2F12A21371E2B4BCFD61BE2D95DC33D34C813A5378D48E835A04ABE5F7C4126BC663512F807AFE1F5FC93C89263297352C7D72EDE9EF717DFC1FB8BFFD2FB5067245F292BBA44F46F3E7C7AC094F1E021BFFAED534E93347FF7EBC7FCD3EF575116C36D25032932AFD4AA6B3A4AD52EB08A618FB0850A8B9800E9B7C15FC8D4522082F8FC33AF1B8B3D0AE43564256421D4BF2DD728155750016DEB560E99297108481109319B0161E0259A535425AD56D5013D75E4145154AB0D979D7652B9E60B7C3960884BFE038C41846958B1E1B6AFD5AA05570E1014C6B8072E567A37DA841A6FF267DCF2E74B56190E46169B9E2B8A10D75F880B69F6BABC8C9E9097D173E5C1EB7C555E1492637911BEA0F3E44107F4AABC244D8FE5C1E6D9FE24347EDDA1649A9DF028EC9E2DD255AFD744C6C9A9A081DDB34526E1D84A7A2C3225A7E226498FADB4BA3D2111FB4FAD8C1172655C92EC1107269789C05166CDB07E03C7F31DCFF935B0D76D6545C18C7D79626FE889230F15932FB9B1251E318372AC7C1040CA8FBB8F38EE82A7E7401AD4FF0744814ECF316209F9673F133CFA6B65AC195A43AB052839367EA9A0431923FC52ABDA6300B8429708E51AA6B101E3A0EF605A8B073420C299CB766817B97980B9C66A6437C032DB1DDCCE0C42F9CE43943CF756CD9B97D79E7B15AB3AFAF34D50606190F5606E19EEC4D672B81417C3AD747C2B78BE162EBAC0D34F7DB7FBC3E3277CF3E4A2795F3F5D043FB986D6AA42ED9DD5AF409471DF199EEB6E9742E8A22DDB75B1DD0DEB07D5F999EBA49EA3C2B99F9BCF3AFD845E1AE95A55E5DB51B6F90E8E05F20472C2C552779E8CCE93E1FC6A3B597800989E54DE354C5D9E551EF097DE76AD2AEEB9D261BCADB0EBE0A461136C35272E1DDECCFBA8F5E1FBA8942B32DF4ED1BD80E3A3E4B5A8D16A2924B793B27843A1AE85D2C2BE9D58E8159E58B63A547ACD64573FBEA1D2838CD74EDFC04C06DA795BC852EDC6B4D2E5E27DF791B7FF82BBA854B1D9B7261AE693AEFD7AC489658B33172BF342696EFA96088A0D67D8B390EE0B17B339CEBEDD117C3AFCAAF837F7CA39D2');
INSERT INTO "attempt" VALUES(3,1,2,'wireguard','chacha20-poly1305','as-found',1,'completed','','2026-03-04T09:31:20.000000+00:00','2026-03-04T09:31:55.000000+00:00',2.1,28.0,1.3,'json-zlib/1',X'789CED585F6FDB3610FF2A84F6B8D8A1285B760CECA11886AE400B146BDE9240A025DAE64C911A49D933827CF7DD519622C7AE5B782BBA00058C44E41D79BF3BDE3FF2315A8B5D347B8C2AE3A497464733761539A3EA66106DA515CB9ADB2282E95A7A0173F98AC38FD14165D42E4EE81868B9D1C57E8388BBC1C2D41A97D8F07F163FC16ACF7DED70B9292B25BC0874C15D5803DFA5708E2F4533006E0B2C19F7306694A5039A0CE8E896DECC9278C6E8CF94CE280546A18BCFB28DC71D9BE25EE81C54BD7BB88AFC0A702D57550DABEE1EA30274CC5BEC9937D91CD1CCA5CF00EE281EA6A3789A5236A1E90D1D4DD3AB486A2FEC86ABAC65BA3BC1F555530FBDCD609F7848D126DE72ED4AE95D388D9C579D205D2BF5747508798E90F921643A49623A4D921B36A249F219C42F98BE62E622B8B028AFEAAC3B81C788E39F79ED765995C3114CE2E188D2942513968EE1EBE62AAA9DB07BE2307E49743BE745D990476C38056493114BC688718CDEBBF0D2FED5D019ECCD683C9DC4F1E426450F41DF12803F90296AE0047A2FC04D87141C75FE3F46F7D4D8B2EFC03FCCF9AFCC5971BF4284526B4051FA3A9BEFBC40E71E536087F425ACE2BB63CAC2F26529B477590E590CD3D96C84F38ADBA5703EAB75CB01F9093E4BD1AD0F7C6623EC4AF0A29B8D47982585AF2B0C1D368CE1AC95E0BA19C74308E3CA9AB908D429EA029A2CE4B2B6BCC90490CA9C2C30816236584BCCBCD1422A01232FBD42CAB5ADF5B5AF41595572BBDE7F5E77697E887B22BFF81B53EA4FE4AD00BBA07A64BE23B7DDC2E1BDBE7B87A960C173F170AFDF4B30B4FE68AC27BF10164F19BDD7C0F251080BD4374A99AD28DE7D74408D6FA6C3187E43769DB07B1D613E3BC60D55A2E4A186B4D03FF0B5207E25886CE53EE394155152AF092F0AE2CB35257E5709D26945644126098D490578B2FDE03382E1C44D4FEA1FA28493FA92DC4260450BA2FBDBCE5FE939CCBFD739CCFFCB7380C2A3C5D278D9446774FBFED306C388C047F6E6B74F191BA7D9DB5F3F649F7E7F934C47B05BC1418ACE9459365D4861EA3996356C1A50094C1410926BFC0FE15B484C2B18951EAA7168681CC43B042B0427D4C4ADB028184750157D1D46215F331A1223C30489410E99070ED3EDA90D31D08CF6D6A8036A1AA829A6566BD6A209FCD64C689F460B221D594BA5C06360B0DC0ED0C79F412FB8546E902BE302EE73209E35A19D8200429BD00D86E33B102F36321728BE398D56FEFC5BC97FE863E9F26A30CB41DE4D29A6FB7C2D7CDBBB981A3CA94BC09311CE810AC6EE7A93D0F3B8EC399747B305574E00AC7CDD72250996BA17E262363D2B8F41393B92079397CA036F3E2B2F99D063793079A9BC71CCCECA4B597A2C2FC59A7CA13D291B9D3FC038999E384198BD5864A8D4E7448EE3534E03B3178B0C6B3B91EC58649A9EF09B3865C75A7A5B9F9088FDB835CE49BD742148F609571B3D9015C4E28A634F031CCF7BF4637DCF5ED6CACB9C3BFF72C55ED1134B368AEB97DC7845388C655E6C2490B2E38E2C9936CED372200D92EF06736083B39FB0A5FEB3BD233D462BE3BCEB9A656F2580EC2BBF30D0B5F5ABDCC29A9270A83712CA1694330BB7D32EBF432BC6AD951B5420C13BA8EFF21314271E9ACD9EDE9007F9EE6077EEB092ED08E6B52FEE9A9CDED58AEAE5B69702E4AAA13FEF044D86D182C03DAEDB93B1DEA63838BD2B58BE94C1BBC0D24FED05E087C58F6CD3597D166175241016441BA2179E7843564641AB07B14BF6B900BA28BF1A464F68528801F1B7282BBF8FB6A77035F026377B1BB723D8DBF9EAA0F036918796DDF25D1312CD9BC7414FF3CC7552BD5EBDDD3F3F5CB4FA098DDBC3AA54F17AC056DFC1B0401E4028F55A4DDA5B4FBBF57D87FA081758F428E02FC816FC4A905071FA1EF552B10136E8831045AFE63C4A7B781ED05AFA6F0A742FE078293DE735D62CA4167E50E4AFC8D5AD3456FAD7E30B2DE081E7CB43D02BAE9BB2F30D417732CEADBE85AB12A0235B88521B2EB74588C587E6ADBC7D089F2B93AFF71D8D856B4DD3B53DE245678B37555E64B9B1C2B59D14D428C1B1D5A1CD5321F7193E1B344BF0EBF071F61FBC82ABDD');
INSERT INTO "attempt" VALUES(4,1,3,'openvpn-udp','aes-256-gcm','as-found',1,'completed','','2026-03-04T09:32:00.000000+00:00','2026-03-04T09:32:35.000000+00:00',2.1,28.0,1.3,'json-zlib/1',X'789CED585F6FDB3610FF2A84F6B8D8A1444B960DECA11886AE400B046BDE9240A025DAE64C911A49D935827CF7DE499623C7AE5B782BBA00050247E41D797F78F7BB231F8395D806D3C7A0324E7A69743065578133AA6E0781A9845E577A50175500845A7A01B35CB841142783455EC26C6E74B15B1C7037989B5A17306D9BFFD3F009D679EE6B07E4DC9495125E3474C15DB306BE4BE11C5F887600DC165832EE611CD128195036A0A35B3A99B2684AE9AF94C22F300A5D7C918DC57B36C5BDD0399879F77015F825E8B5585635ACBA7B0C0A6945DEE99E7993CD509B99F419A8CBE870320A9388A6613C892693747C1548ED855D7395754C7727B8BE69EAA1B719EC130E29FAC45BAE5D293DCC44E05A5EED05E95AA9A7AB439567A8323F543919D184C59486511A4E58F205955F727DD3D4452AC3A2BCAAB3FD293C061C7F66B5DB66550EC73001D72463164FE2741CB398855741ED846D89A378384A59329E8C276C9C8C13B0C76D9D17654B66E13065693C8ED3384ED818CD7566EEA5FDA7A5870C6C8843CA262C0D198D26C8E005E8DF90295AE0044630A89B0C2904EBEC7FACDD53EBCB7E10FF74E7BF7267C5FD1235945A8316A5AFB3D9D60B0C6E087BD00D20C62ABE3DA6CC2D5F94427B97E580640869D311CE2B6E17C2F9ACD61D0760147C9662BF7E84569BB5B04BC18B6E36650894C2D715664E3404965C09AEDB7138045CAEAC9989869AA22960C85C2E6ACB5B30003473B268E019006125117C83B95402465E7A85946B5BEB6B5F83ADAAE476B5FBBCEEA1FC1077C515E213E2EA2FE4AD00C7A07D64B625B7FBA5C37B7DF70EB160CE73F170AFDF4BF0B4BE31D693DF4814A611BDD7C072238405EA1BA5CC4614EF6E1C50C3493A0CE16F185DB3E85E07086AC79A43A9287953483AE53FF095207E2988ECE43EEB292BA2A45E115E14C4972B4AFCB612A46717910519331A920A34CA76832F888643373DB97F89120EEB6B920B8185AD11DEDF76F66ACF62F6E3CE62F65F9E05D41F2D16C6CB364983DBF71FD7984E043EB2377F7CCCA093C9DEFEFE21FBF8E71B968E60B78283149D29B3681B92C2D433AC6ED83F6CA0FA225E406AAEF03F647121115D303B3D14E6A6B77190F690B490A4501A37C2A2601C4171F475336A603BA20D3E46889398EC0040709C6E476D890DCD686F8D3AA0260D354184B566255A00E8DC84FE69AD20D29195540A6206068BCD00E3FC59E93997CA0D72655CA3F739259E2DA17B0341096D9A96B039BE03F1622D7381E2DBD3E8E4CFBE97FC87BE2E7B786DDC7200BF0945D4CF57C2772D8CA921927AE88C736082B1DBDE24B43E2E7B86F4603AE7CA09502B5F755C8C61C57B210E5AA7B3F2A2303C96079397CA83683E2B8FB1C9B13C98BC545E1C4667E541A53F96079317FB9346A3F30718D2F1891384D98B453685FD6CCCA4278326BD3C6AE2B06F65742C326127E206EE16C7567A5B9F90886DB935CE49BD704D92EC00571B3D9078D95B726C6D80E3798F7EAEEFD8CB5A799973E75FAED8197A62C95A71FD921B6F0A87B9CC8BB5045276DC988DC2D6C68E036900BE6BC4C056CF3E604BFD77775D7A0C96C679B7EF99BD95A064DFF8B981E6AD5FE7E6D6948443BD91B6C08266E1A2BAC777385D6EAD5CA3010CAFA37E8F4F509C78D373F6EC061CE4DB83DDB9C34AB625886B5FDD959DDED58AEAE5B6972AC8554B7FDE09DA0CA30581EBDC7ECF28EA6D8A83D3BB82E74BD9441778FAA9BB07FCF4F8916FF65E9F06581D09A405D186E8B927DE90A551D0EC41EE921D16908DF4CB61F0842E851C109F4459F95DB63D3557046F72B3F3713782BD9DAF0E0A6F9B79E8D90DDFB629D13E7F1CF434CF5C27CDEBD5DBDD4BC445AB9FD0B93D5D952A5E8FB2D50F702C9007904ABD5693F6D6D3FDFA7E40DDC03D16230AF80BB281B812A4A938FD887A69D8001BF4419345AFE63C4A7B781ED05AFAEFAAE84EC0F1527A2E6AAC994B2DFCA0C85F51A85B69ACF4AF27163A85079E2F0E955E72DD969DEFA8F45EC6B9D5B7705502EDC806B2D43697DBA2C9C587F6D9BC7B139F2993AF761D8D856B4DDBB53DE245678337555E64B9B1C2759D14D428C1B1D5A1ED8B21F7193E1CB44BF0EBF08DF633440CAFA8');
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    host        TEXT NOT NULL,
    side        TEXT CHECK (side IN ('a', 'b')),
    command     TEXT NOT NULL,
    exit_status INTEGER,
    what        TEXT NOT NULL
, who TEXT NOT NULL DEFAULT '', deployment TEXT NOT NULL DEFAULT '', chain TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE audit_head (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    entries INTEGER NOT NULL,  -- how many are chained
    chain   TEXT NOT NULL      -- the last one's
) STRICT;
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
, note TEXT NOT NULL DEFAULT '', winner TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT 'comparison' CHECK (kind IN ('comparison', 'census')), number INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "campaign" VALUES(1,'north','custom','completed','2026-11-25T22:21:44.686922+00:00','2026-11-25T22:21:44.776106+00:00','','0.2.0',19,'{"pair":{"name":"north","a":{"label":"gateway-a","address":"192.0.2.10","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"b":{"label":"gateway-b","address":"192.0.2.11","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"underlay_a":"198.51.100.1","underlay_b":"198.51.100.2","is_lab":true,"load_cap_mbit_s":null,"may_open_firewall":false},"profile":{"name":"custom","pings":200,"seconds":3,"rounds":3,"frame_bytes":[60,128,256,512,1024,1400,1514],"block_pings":[],"budget_s":null},"candidates":[{"solution":"baseline","suite":"none","title":"Bare underlay","verdict":"unprotected","findings":[],"is_unprotected":true,"is_listed_only":false,"post_quantum":null},{"solution":"l2tp","suite":"none","title":"L2TPv3 without encryption","verdict":"unprotected","findings":[],"is_unprotected":true,"is_listed_only":false,"post_quantum":null},{"solution":"wireguard","suite":"chacha20-poly1305","title":"WireGuard, ChaCha20-Poly1305","verdict":"recommended","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-udp","suite":"aes-256-gcm","title":"OpenVPN over UDP, AES-256-GCM","verdict":"recommended","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-tcp","suite":"aes-256-gcm","title":"OpenVPN over TCP, AES-256-GCM","verdict":"acceptable","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-udp","suite":"bf-cbc","title":"OpenVPN over UDP, BF-CBC","verdict":"insecure","findings":[{"subject":"BF-CBC","verdict":"insecure","reason":"Blocks of 64 bits can be matched after 32 GB.","source":"CVE-2016-6329","replacement":"AES-256-GCM","question":"insecure"}],"is_unprotected":false,"is_listed_only":true,"post_quantum":null}],"attempts":[{"position":0,"solution":"baseline","suite":"none","condition":"as-found","round":1},{"position":1,"solution":"l2tp","suite":"none","condition":"as-found","round":1},{"position":2,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":1},{"position":3,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":1},{"position":4,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":1},{"position":5,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":1},{"position":6,"solution":"baseline","suite":"none","condition":"as-found","round":2},{"position":7,"solution":"l2tp","suite":"none","condition":"as-found","round":2},{"position":8,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":2},{"position":9,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":2},{"position":10,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":2},{"position":11,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":2},{"position":12,"solution":"baseline","suite":"none","condition":"as-found","round":3},{"position":13,"solution":"l2tp","suite":"none","condition":"as-found","round":3},{"position":14,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":3},{"position":15,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":3},{"position":16,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":3},{"position":17,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":3},{"position":18,"solution":"baseline","suite":"none","condition":"as-found","round":3}],"predicted_s":[40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0],"deadline_ms":5.0,"min_rate_mbit_s":null,"seed":0,"allow_load":false}','{"a":{"collected_at":"2026-03-04T09:30:00+00:00","hostname":"gw-a","os_id":"debian","os_name":"Debian GNU/Linux 13 (trixie)","kernel":"6.12.48+deb13-cloud-amd64","architecture":"x86_64","cpu_model":"QEMU TCG CPU version 2.5+","cpu_count":1,"cpu_flags":["aes","avx2"],"is_virtual":true,"memory_total_mib":610,"memory_available_mib":420,"nics":[{"name":"eth0","mac":"52:54:00:00:00:01","mtu_bytes":1500,"speed_mbit_s":null,"is_up":true,"addresses":["10.0.2.15/24"]},{"name":"eth1","mac":"52:54:00:00:00:02","mtu_bytes":1500,"speed_mbit_s":1000,"is_up":true,"addresses":["198.51.100.1/24"]}],"clock_offset_ms":1.8,"clock_error_ms":0.9,"init_system":"systemd","privilege":"root","user":"root","package_manager":"apt","tools":{"ping":{"name":"ping","flavour":"iputils","version":"iputils 20240905","path":"/usr/bin/ping"},"iperf3":{"name":"iperf3","flavour":"standard","version":"3.18","path":"/usr/bin/iperf3"}},"kernel_modules":["wireguard","l2tp_eth","tun"],"disk_free_mib":{"/":512,"/run":60,"/tmp":300},"load_1min":0.12,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{"wireguard":{"solution":"wireguard","is_available":true,"version":"1.0.20210914","features":[],"ciphers":[],"digests":[],"missing":[],"note":""},"openvpn-udp":{"solution":"openvpn-udp","is_available":true,"version":"2.6.14","features":[],"ciphers":[],"digests":[],"missing":[],"note":""}},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]},"b":{"collected_at":"2026-03-04T09:30:00+00:00","hostname":"gw-b","os_id":"debian","os_name":"Debian GNU/Linux 13 (trixie)","kernel":"6.12.48+deb13-cloud-amd64","architecture":"x86_64","cpu_model":"QEMU TCG CPU version 2.5+","cpu_count":1,"cpu_flags":["aes","avx2"],"is_virtual":true,"memory_total_mib":610,"memory_available_mib":420,"nics":[{"name":"eth0","mac":"52:54:00:00:00:01","mtu_bytes":1500,"speed_mbit_s":null,"is_up":true,"addresses":["10.0.2.15/24"]},{"name":"eth1","mac":"52:54:00:00:00:02","mtu_bytes":1500,"speed_mbit_s":1000,"is_up":true,"addresses":["198.51.100.1/24"]}],"clock_offset_ms":1.8,"clock_error_ms":0.9,"init_system":"systemd","privilege":"root","user":"root","package_manager":"apt","tools":{"ping":{"name":"ping","flavour":"iputils","version":"iputils 20240905","path":"/usr/bin/ping"},"iperf3":{"name":"iperf3","flavour":"standard","version":"3.18","path":"/usr/bin/iperf3"}},"kernel_modules":["wireguard","l2tp_eth","tun"],"disk_free_mib":{"/":512,"/run":60,"/tmp":300},"load_1min":0.12,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{"wireguard":{"solution":"wireguard","is_available":true,"version":"1.0.20210914","features":[],"ciphers":[],"digests":[],"missing":[],"note":""},"openvpn-udp":{"solution":"openvpn-udp","is_available":true,"version":"2.6.14","features":[],"ciphers":[],"digests":[],"missing":[],"note":""}},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]}}','','','','comparison',1);
INSERT INTO "campaign" VALUES(2,'north','custom','interrupted','2026-11-25T22:21:44.776989+00:00','2026-11-25T22:21:44.782449+00:00','gateway-b stays away.','0.2.0',19,'{"pair":{"name":"north","a":{"label":"gateway-a","address":"192.0.2.10","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"b":{"label":"gateway-b","address":"192.0.2.11","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"underlay_a":"198.51.100.1","underlay_b":"198.51.100.2","is_lab":true,"load_cap_mbit_s":null,"may_open_firewall":false},"profile":{"name":"custom","pings":200,"seconds":3,"rounds":3,"frame_bytes":[60,128,256,512,1024,1400,1514],"block_pings":[],"budget_s":null},"candidates":[{"solution":"baseline","suite":"none","title":"Bare underlay","verdict":"unprotected","findings":[],"is_unprotected":true,"is_listed_only":false,"post_quantum":null},{"solution":"l2tp","suite":"none","title":"L2TPv3 without encryption","verdict":"unprotected","findings":[],"is_unprotected":true,"is_listed_only":false,"post_quantum":null},{"solution":"wireguard","suite":"chacha20-poly1305","title":"WireGuard, ChaCha20-Poly1305","verdict":"recommended","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-udp","suite":"aes-256-gcm","title":"OpenVPN over UDP, AES-256-GCM","verdict":"recommended","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-tcp","suite":"aes-256-gcm","title":"OpenVPN over TCP, AES-256-GCM","verdict":"acceptable","findings":[],"is_unprotected":false,"is_listed_only":false,"post_quantum":null},{"solution":"openvpn-udp","suite":"bf-cbc","title":"OpenVPN over UDP, BF-CBC","verdict":"insecure","findings":[{"subject":"BF-CBC","verdict":"insecure","reason":"Blocks of 64 bits can be matched after 32 GB.","source":"CVE-2016-6329","replacement":"AES-256-GCM","question":"insecure"}],"is_unprotected":false,"is_listed_only":true,"post_quantum":null}],"attempts":[{"position":0,"solution":"baseline","suite":"none","condition":"as-found","round":1},{"position":1,"solution":"l2tp","suite":"none","condition":"as-found","round":1},{"position":2,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":1},{"position":3,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":1},{"position":4,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":1},{"position":5,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":1},{"position":6,"solution":"baseline","suite":"none","condition":"as-found","round":2},{"position":7,"solution":"l2tp","suite":"none","condition":"as-found","round":2},{"position":8,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":2},{"position":9,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":2},{"position":10,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":2},{"position":11,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":2},{"position":12,"solution":"baseline","suite":"none","condition":"as-found","round":3},{"position":13,"solution":"l2tp","suite":"none","condition":"as-found","round":3},{"position":14,"solution":"wireguard","suite":"chacha20-poly1305","condition":"as-found","round":3},{"position":15,"solution":"openvpn-udp","suite":"aes-256-gcm","condition":"as-found","round":3},{"position":16,"solution":"openvpn-tcp","suite":"aes-256-gcm","condition":"as-found","round":3},{"position":17,"solution":"openvpn-udp","suite":"bf-cbc","condition":"as-found","round":3},{"position":18,"solution":"baseline","suite":"none","condition":"as-found","round":3}],"predicted_s":[40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0,40.0],"deadline_ms":5.0,"min_rate_mbit_s":null,"seed":0,"allow_load":false}','{"a":{"collected_at":"2026-03-04T09:30:00+00:00","hostname":"gw-a","os_id":"debian","os_name":"Debian GNU/Linux 13 (trixie)","kernel":"6.12.48+deb13-cloud-amd64","architecture":"x86_64","cpu_model":"QEMU TCG CPU version 2.5+","cpu_count":1,"cpu_flags":["aes","avx2"],"is_virtual":true,"memory_total_mib":610,"memory_available_mib":420,"nics":[{"name":"eth0","mac":"52:54:00:00:00:01","mtu_bytes":1500,"speed_mbit_s":null,"is_up":true,"addresses":["10.0.2.15/24"]},{"name":"eth1","mac":"52:54:00:00:00:02","mtu_bytes":1500,"speed_mbit_s":1000,"is_up":true,"addresses":["198.51.100.1/24"]}],"clock_offset_ms":1.8,"clock_error_ms":0.9,"init_system":"systemd","privilege":"root","user":"root","package_manager":"apt","tools":{"ping":{"name":"ping","flavour":"iputils","version":"iputils 20240905","path":"/usr/bin/ping"},"iperf3":{"name":"iperf3","flavour":"standard","version":"3.18","path":"/usr/bin/iperf3"}},"kernel_modules":["wireguard","l2tp_eth","tun"],"disk_free_mib":{"/":512,"/run":60,"/tmp":300},"load_1min":0.12,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{"wireguard":{"solution":"wireguard","is_available":true,"version":"1.0.20210914","features":[],"ciphers":[],"digests":[],"missing":[],"note":""},"openvpn-udp":{"solution":"openvpn-udp","is_available":true,"version":"2.6.14","features":[],"ciphers":[],"digests":[],"missing":[],"note":""}},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]},"b":{"collected_at":"2026-03-04T09:30:00+00:00","hostname":"gw-b","os_id":"debian","os_name":"Debian GNU/Linux 13 (trixie)","kernel":"6.12.48+deb13-cloud-amd64","architecture":"x86_64","cpu_model":"QEMU TCG CPU version 2.5+","cpu_count":1,"cpu_flags":["aes","avx2"],"is_virtual":true,"memory_total_mib":610,"memory_available_mib":420,"nics":[{"name":"eth0","mac":"52:54:00:00:00:01","mtu_bytes":1500,"speed_mbit_s":null,"is_up":true,"addresses":["10.0.2.15/24"]},{"name":"eth1","mac":"52:54:00:00:00:02","mtu_bytes":1500,"speed_mbit_s":1000,"is_up":true,"addresses":["198.51.100.1/24"]}],"clock_offset_ms":1.8,"clock_error_ms":0.9,"init_system":"systemd","privilege":"root","user":"root","package_manager":"apt","tools":{"ping":{"name":"ping","flavour":"iputils","version":"iputils 20240905","path":"/usr/bin/ping"},"iperf3":{"name":"iperf3","flavour":"standard","version":"3.18","path":"/usr/bin/iperf3"}},"kernel_modules":["wireguard","l2tp_eth","tun"],"disk_free_mib":{"/":512,"/run":60,"/tmp":300},"load_1min":0.12,"steal_pct":0.0,"apparmor_profiles":[],"firewall":[],"solutions":{"wireguard":{"solution":"wireguard","is_available":true,"version":"1.0.20210914","features":[],"ciphers":[],"digests":[],"missing":[],"note":""},"openvpn-udp":{"solution":"openvpn-udp","is_available":true,"version":"2.6.14","features":[],"ciphers":[],"digests":[],"missing":[],"note":""}},"missing":[],"routes":[],"ports_in_use":[],"l2tp_tunnel_ids":[]}}','','','','comparison',2);
CREATE TABLE campaign_number (
    kind TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "campaign_number" VALUES('census',0);
INSERT INTO "campaign_number" VALUES('comparison',2);
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
CREATE TABLE pair (
    name       TEXT PRIMARY KEY,
    spec       TEXT NOT NULL,  -- PairSpec as JSON
    saved_at   TEXT NOT NULL
) STRICT;
INSERT INTO "pair" VALUES('north','{"name":"north","a":{"label":"gateway-a","address":"192.0.2.10","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"b":{"label":"gateway-b","address":"192.0.2.11","port":22,"user":"root","auth":"auto","identity_file":null,"host_key_file":null},"underlay_a":"198.51.100.1","underlay_b":"198.51.100.2","is_lab":true,"load_cap_mbit_s":null,"may_open_firewall":false}','2026-11-25T22:21:44.680984+00:00');
CREATE TABLE samples (
    attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
    quantity   TEXT NOT NULL,     -- rtt
    unit       TEXT NOT NULL,     -- us
    dtype      TEXT NOT NULL,     -- uint32
    codec      TEXT NOT NULL,     -- how data is packed
    count      INTEGER NOT NULL,  -- number of samples
    data       BLOB NOT NULL
) STRICT;
INSERT INTO "samples" VALUES(1,'rtt','us','uint32','shuffle4-zlib/1',10,X'789CBADAB9717E73D7EA1527A601C408070031C0014008001800E5610677');
INSERT INTO "samples" VALUES(2,'rtt','us','uint32','shuffle4-zlib/1',10,X'789C321331F5559ECA96F6461C20262860640288010E004200C00068110307');
INSERT INTO "samples" VALUES(3,'rtt','us','uint32','shuffle4-zlib/1',10,X'789C6AB8EB58BDEAD9BA83F16D003133B3B030B30049668018E0002004000C00D8140620');
INSERT INTO "samples" VALUES(4,'rtt','us','uint32','shuffle4-zlib/1',10,X'789C2A68FB23B1A4EDAC8B843340AC20C0C5CACAC60A10031C008400800100ACFD04D9');
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
INSERT INTO "series" VALUES(1,0,60,200,200,0,5,'');
INSERT INTO "series" VALUES(1,1,128,200,200,0,5,'');
INSERT INTO "series" VALUES(2,0,60,200,200,0,5,'');
INSERT INTO "series" VALUES(2,1,128,200,200,0,5,'');
INSERT INTO "series" VALUES(3,0,60,200,200,0,5,'');
INSERT INTO "series" VALUES(3,1,128,200,200,0,5,'');
INSERT INTO "series" VALUES(4,0,60,200,200,0,5,'');
INSERT INTO "series" VALUES(4,1,128,200,200,0,5,'');
CREATE TABLE snapshot (
    id           INTEGER PRIMARY KEY,
    pair         TEXT NOT NULL,
    side         TEXT NOT NULL CHECK (side IN ('a', 'b')),
    collected_at TEXT NOT NULL,
    facts        TEXT NOT NULL  -- HostFacts as JSON
) STRICT;
CREATE INDEX snapshot_latest ON snapshot (pair, side, collected_at);
CREATE INDEX campaign_of_pair ON campaign (pair, id);
CREATE INDEX audit_time ON audit (at);
CREATE INDEX deployment_of_pair ON deployment (pair, prepared_at);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit log cannot be changed');
END;
CREATE UNIQUE INDEX campaign_of_kind ON campaign (kind, number);
CREATE VIEW campaign_progress AS
SELECT
    campaign.id,
    campaign.kind,
    campaign.number,
    campaign.pair,
    campaign.profile,
    campaign.status,
    campaign.owner,
    campaign.started_at,
    campaign.ended_at,
    CASE
        WHEN campaign.profile = 'adaptive' AND campaign.status = 'completed'
        THEN (SELECT count(*) FROM attempt WHERE attempt.campaign_id = campaign.id)
        ELSE campaign.attempts_planned
    END AS attempts_planned,
    (
        SELECT count(*) FROM attempt
        WHERE attempt.campaign_id = campaign.id AND attempt.status NOT IN ('not-run', 'cancelled')
    ) AS attempts_done,
    (
        SELECT json_group_array(json_extract(value, '$.title')) FROM json_each(campaign.plan, '$.candidates')
    ) AS candidates,
    campaign.message,
    campaign.note
FROM campaign;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('campaign',2);
COMMIT;
