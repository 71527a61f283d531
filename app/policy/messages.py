"""Messages of the policy: findings, guidelines, settings file, permissions of files."""

from __future__ import annotations

from app.domain.messages import MessageForm

NO_CRYPTOGRAPHY = MessageForm(
    "policy.no-cryptography", "{title:title} has no cryptography: everything can be read and changed on the way."
)
OWN_POLICY = MessageForm("policy.own", "policy {name} {version}")
SOURCES = MessageForm("policy.sources", "{first:text}; {rest:text}")
GUIDELINE_TITLE = MessageForm("policy.guideline-title", "{title}, {version:text}")
GUIDELINE_SECTION = MessageForm("policy.guideline-section", "{guideline}, {section:text}")
OUTSIDE_UNTIL = MessageForm("policy.outside-until", "{reason:text} (until the end of {year:d})")
OUTSIDE_SINCE = MessageForm("policy.outside-since", "{reason:text} (since {year:d})")
ON_ONE_NAME = MessageForm("policy.on-one-name", "{name}: {reason:text}")
IN_MODE = MessageForm("policy.in-mode", "{cipher:text} in {mode:text}")
PARTS = MessageForm("policy.parts", "{parts:text}")
NAME_NOT_IN_POLICY = MessageForm("policy.name-not-in-policy", "This name is not known to the policy.")
CHECK_SPELLING = MessageForm(
    "policy.check-spelling",
    "The policy does not know this name; check whether it is spelled as the program lists it.",
)
MEND_THE_LINE = MessageForm("policy.mend-the-line", "Correct the line, or delete the file: then the defaults hold.")
WANTED_GUIDELINES = MessageForm("policy.wanted-guidelines", "guidelines is a list of names in quotes")
WANTED_ONE_OF = MessageForm("policy.wanted-one-of", "{setting} is one of {values}, in quotes")
WANTED_SECONDS = MessageForm("policy.wanted-seconds", "{setting} is a number of seconds, {low:g} to {high:g}")
SETTING_UNKNOWN = MessageForm("policy.setting-unknown", "there is no setting {setting}")
GUIDELINE_NOT_THERE = MessageForm("policy.guideline-not-there", "there is no guideline {guideline}; there are {known}")
SLOW_LATENCY = MessageForm(
    "policy.slow-latency", "its latency of {latency:.2f} ms is {times:.1f} times that of the best, {best:.2f} ms"
)
SLOW_THROUGHPUT = MessageForm(
    "policy.slow-throughput",
    "its throughput of {throughput:.1f} Mbit/s is {share:.0f} % of that of the best, {best:.1f} Mbit/s",
)
SLOW_ONCE = MessageForm("policy.slow-once", "Slow on this pair: {what}.")
SLOW_TWICE = MessageForm("policy.slow-twice", "Slow on this pair: {first}, and {second}.")
MEASURED_HERE = MessageForm("policy.measured-here", "measured here; policy {name} {version}")
FILE_HOLDS_SECRET = MessageForm("policy.file-holds-secret", "The file holds a secret (line {line})")
FILE_DECIDES_PROTECTION = MessageForm("policy.file-decides-protection", "The file decides how the tunnel is protected")
PATH_IS_SECRET = MessageForm("policy.path-is-secret", "{path} is secret")
ALL_CAN_READ = MessageForm("policy.all-can-read", "every user of this computer can read it")
ALL_CAN_CHANGE = MessageForm("policy.all-can-change", "every user of this computer can change it")
ALL_CAN_DO_BOTH = MessageForm("policy.all-can-do-both", "every user of this computer can read and change it")
GROUP_CAN_READ = MessageForm("policy.group-can-read", "{whose} can read it")
GROUP_CAN_CHANGE = MessageForm("policy.group-can-change", "{whose} can change it")
GROUP_CAN_DO_BOTH = MessageForm("policy.group-can-do-both", "{whose} can read and change it")
THE_GROUP = MessageForm("policy.the-group", "the group {group}")
ITS_GROUP = MessageForm("policy.its-group", "its group")
OF_ANOTHER_USER = MessageForm(
    "policy.of-another-user", "it belongs to another user ({owner}), who can read and change it"
)
ACCESS_FAULT = MessageForm("policy.access-fault", "{subject}, and {fault} (mode {mode:04o}).")
TWO_VERDICTS = MessageForm("policy.two-verdicts", "The policy has two verdicts on {name}.")
GUIDELINE_UNKNOWN = MessageForm("policy.guideline-unknown", "There is no guideline {unknown}.", "There are: {known}.")
KIND_TWICE = MessageForm("policy.kind-twice", "{name} speaks of {kind}, and another file does so too.")
SETTINGS_WRONG = MessageForm("policy.settings-wrong", "{path}, line {line}: {what}.")
SETTINGS_NO_TOML = MessageForm("policy.settings-no-toml", "{path}, line {line}: this is not TOML ({reason}).")
SETTINGS_NOT_WRITTEN = MessageForm(
    "policy.settings-not-written", "{path} cannot be written: {reason}.", "See to the data folder."
)
SETTINGS_NO_TEXT = MessageForm("policy.settings-no-text", "{path}, line {line}: this is not UTF-8 text.")
SETTINGS_UNREADABLE = MessageForm("policy.settings-unreadable", "{path} cannot be read: {reason}.")
