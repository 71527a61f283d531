"""Messages of storage: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

SAMPLES_MISFIT = MessageForm(
    "store.samples-misfit",
    "In the database, the samples of comparison {comparison} do not fit their series.",
)
SAMPLES_UNKNOWN_KIND = MessageForm(
    "store.samples-unknown-kind",
    "Comparison {comparison} holds samples of a kind that is not known here: {quantity} in {unit}, {dtype}, {codec}.",
)
RUNS_ELSEWHERE = MessageForm(
    "store.runs-elsewhere",
    "{title} is still running in another Tunnelmark.",
    "Wait until it has finished, or cancel it there.",
)
RUNNING_NOT_DELETED = MessageForm(
    "store.running-not-deleted",
    "{title} is running and cannot be deleted.",
    "Wait until it has finished, or cancel it. Nothing was deleted.",
)
NUMBER_NOT_FINITE = MessageForm(
    "store.number-not-finite",
    "A {kind} holds a number that is not finite.",
)
NOT_JSON = MessageForm(
    "store.not-json",
    "{what} is not JSON: {error}.",
)
TIME_WITHOUT_OFFSET = MessageForm(
    "store.time-without-offset",
    "The time {time} does not say its offset from UTC.",
)
SAMPLES_IN_JSON = MessageForm(
    "store.samples-in-json",
    "Samples are arrays and are kept beside JSON, not in it.",
)
DATABASE_CLOSED = MessageForm(
    "store.database-closed",
    "The database {path} is closed already.",
)
FOREIGN_DATABASE = MessageForm(
    "store.foreign-database",
    "The database {path} was made by another program.",
    "Move the file away, or set TUNNELMARK_HOME to another folder; a new database is made then.",
)
NEWER_DATABASE = MessageForm(
    "store.newer-database",
    "The database {path} was made by a newer Tunnelmark (its format is {format}, this one knows {known}).",
    "Install that Tunnelmark, or set TUNNELMARK_HOME to another folder.",
)
NO_DEPLOYMENT = MessageForm(
    "store.no-deployment",
    "There is no deployment {number}.",
    "List them with: tunnelmark deployments",
)
DEPLOYMENT_AMBIGUOUS = MessageForm(
    "store.deployment-ambiguous",
    "More than one deployment begins with {number}.",
    "Give more of its digits.",
)
DATABASE_NOT_OPENED = MessageForm(
    "store.database-not-opened",
    "The database {path} cannot be opened: {reason}.",
    "Give yourself the right to write its folder, or set TUNNELMARK_HOME to another one.",
)
DATABASE_DISK_FULL = MessageForm(
    "store.disk-full",
    "There is no space left to write the database {path}.",
    "Free some space on that disk; what was stored before is unharmed.",
)
DATABASE_UNUSABLE = MessageForm(
    "store.database-unusable",
    "The database {path} cannot be used: {error}.",
)
PAIR_NAME_TAKEN = MessageForm(
    "store.pair-name-taken",
    "{name} is the name of a pair.",
    "Choose another name.",
)
PAIR_DEPLOYED = MessageForm(
    "store.pair-deployed",
    "{pair} cannot be removed: its deployment {number} ({title:title}) is {state}.",
    "Remove the deployment first: tunnelmark undeploy {pair}",
)
NO_TIME = MessageForm(
    "store.no-time",
    "The database holds {text} where a time should be.",
)
NO_SUCH_VALUE = MessageForm(
    "store.no-such-value",
    "The database holds {text} where a {kind} should be.",
)
ROW_DAMAGED = MessageForm(
    "store.row-damaged",
    "In the database, {why}",
    "It is damaged, or was changed by hand.",
)
PACKING_UNKNOWN = MessageForm(
    "store.packing-unknown",
    "In the database, {what} is packed in a way that is not known here: {codec}.",
)
PACKING_DAMAGED = MessageForm(
    "store.packing-damaged",
    "In the database, {what} is damaged and cannot be unpacked.",
)
SAMPLES_DAMAGED = MessageForm(
    "store.samples-damaged",
    "Stored round-trip times are damaged and cannot be unpacked.",
)
SAMPLES_MISCOUNTED = MessageForm(
    "store.samples-miscounted",
    "Stored round-trip times are damaged: {count} were announced, but there are others.",
)
REPEAT_FAILED = MessageForm(
    "store.repeat-failed", "This is of an earlier run; measured again without a new figure: {why}"
)
REPEAT_DISTURBED = MessageForm(
    "store.repeat-disturbed",
    "This is of an earlier run; measured again, other work of this computer disturbed it.",
)
STUDY_UNREAD = MessageForm(
    "store.study-unread",
    "The results in {file} cannot be read: {kind}.",
    "Move the file away to begin again, or restore it.",
)
RESULTS_NOT_RENAMED = MessageForm(
    "store.results-not-renamed",
    "{pair} keeps its name: its results of studies in {folder} cannot be written under the new one. {reason}.",
    "Free space there, or see to it that this user may write there, then rename the pair again.",
)
STUDY_FORMAT = MessageForm(
    "store.study-format",
    "The results in {file} have format {format}; this version reads {known}.",
)
DATABASE_BUSY = MessageForm(
    "store.database-busy",
    "The database {path} is in use by another program.",
    "Close the other Tunnelmark, or wait until it has finished, and try again.",
)
DATABASE_READ_ONLY = MessageForm(
    "store.database-read-only",
    "The database {path} cannot be written.",
    "Give yourself the right to write it and its folder.",
)
DATABASE_NO_RIGHT = MessageForm(
    "store.database-no-right",
    "The database {path} cannot be opened.",
    "Give yourself the right to read and write it and its folder.",
)
NOT_A_DATABASE = MessageForm(
    "store.not-a-database",
    "The database {path} is not a database.",
    "Move the file away, or set TUNNELMARK_HOME to another folder; a new database is made then.",
)
DATABASE_DAMAGED = MessageForm(
    "store.database-damaged",
    "The database {path} is damaged.",
    "Move it away together with its -wal and -shm files, or restore it from a backup.",
)
DATABASE_IO = MessageForm(
    "store.database-io",
    "The database {path} cannot be read or written.",
    "Check whether the disk it lies on is sound and still there.",
)
HOST_IN_USE = MessageForm(
    "store.host-in-use",
    "{hosts} is in use on this computer by {owner}.",
    "Wait until it has ended, or cancel it: with Ctrl-C in its terminal, or in its window.",
)
HOSTS_IN_USE = MessageForm(
    "store.hosts-in-use",
    "{hosts} are in use on this computer by {owner}.",
    "Wait until it has ended, or cancel it: with Ctrl-C in its terminal, or in its window.",
)
END_PROCESSES = MessageForm(
    "store.end-processes",
    "Or end it with: kill {pids}",
)
ANOTHER_TUNNELMARK = MessageForm(
    "store.another-tunnelmark",
    "another Tunnelmark",
)
HOLDER = MessageForm(
    "store.holder",
    "{what} (process {pid}, since {since:time})",
)
HOLDER_NO_TIME = MessageForm(
    "store.holder-no-time",
    "{what} (process {pid})",
)
HOLDER_NO_PROCESS = MessageForm(
    "store.holder-no-process",
    "{what} (its process is not known, since {since:time})",
)
HOLDER_UNKNOWN = MessageForm(
    "store.holder-unknown",
    "{what} (its process is not known)",
)
PAIR_NAME_LEFT = MessageForm(
    "store.pair-name-left",
    "{name} is taken: there are {what} of a pair of other hosts that was removed.",
    "Choose another name.",
)
LEFT_COMPARISONS = MessageForm(
    "store.left-comparisons",
    "comparisons",
)
LEFT_CENSUSES = MessageForm(
    "store.left-censuses",
    "cipher censuses",
)
LEFT_DEPLOYMENTS = MessageForm(
    "store.left-deployments",
    "deployments",
)
UNKNOWN_PAIR = MessageForm(
    "store.unknown-pair",
    "There is no pair named {name}.",
)
PAIR_GONE = MessageForm(
    "store.pair-gone",
    "There is no pair named {name} any more: it was renamed or removed in another window or terminal.",
)
CHOOSE_PAIR_AGAIN = MessageForm(
    "store.choose-pair-again",
    "Choose the pair again.",
)
KNOWN_PAIRS = MessageForm(
    "store.known-pairs",
    "Known pairs: {pairs}.",
)
NO_PAIR_YET = MessageForm(
    "store.no-pair-yet",
    "No pair is stored yet; `tunnelmark pair add` makes one.",
)
NO_CENSUS = MessageForm(
    "store.no-census",
    "There is no census {number}.",
    "Run one with: tunnelmark census PAIR",
)
NO_COMPARISON = MessageForm(
    "store.no-comparison",
    "There is no comparison {number}.",
    "`tunnelmark history` shows what is stored.",
)
NO_ENTRY = MessageForm(
    "store.no-entry",
    "There is no deployment {number}.",
    "`tunnelmark history` shows what is stored.",
)
PAIR_MEASURED_NOT_RENAMED = MessageForm(
    "store.pair-measured-not-renamed",
    "{pair} cannot be renamed while it is measured.",
    "Wait until the measurement has ended.",
)
PAIR_MEASURED_NOT_REMOVED = MessageForm(
    "store.pair-measured-not-removed",
    "{pair} cannot be removed while it is measured.",
    "Wait until the measurement has ended.",
)
PAIR_CHANGING_NOT_RENAMED = MessageForm(
    "store.pair-changing-not-renamed",
    "{pair} cannot be renamed: its deployment {number} is {state}.",
    "Confirm it or let it roll back; `tunnelmark status {pair}` shows how far it is.",
)
PAIR_CHANGING_NOT_REMOVED = MessageForm(
    "store.pair-changing-not-removed",
    "{pair} cannot be removed: its deployment {number} is {state}.",
    "Confirm it or let it roll back; `tunnelmark status {pair}` shows how far it is.",
)
COMPARISON_INTERRUPTED = MessageForm(
    "store.comparison-interrupted",
    "Tunnelmark was ended while this comparison was running.",
)
NUMBERED_WORK = MessageForm("store.numbered-work", "{kind:text} {number}")
ENTRY_WITHOUT_DIGEST = MessageForm(
    "store.entry-without-digest",
    "Entry {number} has no digest: it was put in, or an older Tunnelmark that was still open wrote it.",
)
ENTRY_CHANGED = MessageForm(
    "store.entry-changed",
    "Entry {number} is not what was written, or an entry before it was changed, removed or put in. Entry {last} is the "
    "last one that holds.",
)
FIRST_ENTRY_CHANGED = MessageForm(
    "store.first-entry-changed",
    "Entry {number}, the first that is chained, or one before it, is not what was written.",
)
LAST_ENTRIES_REMOVED = MessageForm(
    "store.last-entries-removed",
    "{written} entries were written and {count} are there: the last ones were removed.",
)
PLAN_OF_COMPARISON = MessageForm("store.plan-of-comparison", "the plan of comparison {number}")
PLAN_OF_CENSUS = MessageForm("store.plan-of-census", "the plan of census {number}")
FOUND_BEFORE = MessageForm("store.found-before", "what was found before {kind} {number}")
OPTION_OF_CENSUS = MessageForm("store.option-of-census", "option {position} of census {number}")
ATTEMPT_OF_COMPARISON = MessageForm("store.attempt-of-comparison", "attempt {position} of comparison {number}")
WINNER_OF_COMPARISON = MessageForm("store.winner-of-comparison", "the winner of comparison {number}")
LINK_OF_COMPARISON = MessageForm("store.link-of-comparison", "the link of comparison {number}")
PAIR_OF_WORK = MessageForm("store.pair-of-work", "the pair of {kind} {number}")
DEPLOYMENT_NUMBER = MessageForm("store.deployment-number", "deployment {number}")
REMOVED_PAIR = MessageForm("store.removed-pair", "a removed pair")
STORED_PAIR = MessageForm("store.stored-pair", "pair {pair}")
FOUND_ON = MessageForm("store.found-on", "what was found on {pair}, side {side}")
