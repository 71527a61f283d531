"""Messages of ranking: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

NOTHING_GIVEN = MessageForm("rank.nothing-given", "(empty)")
NO_MEASURE = MessageForm(
    "rank.no-measure",
    "Not a measure: {name}.",
    "Measures are {measures}, as in latency=2,cpu=1. Presets are {presets}.",
)
WEIGHT_TWICE = MessageForm(
    "rank.weight-twice",
    "Two weights for {measure}.",
    "Give each measure once.",
)
NO_WEIGHT = MessageForm(
    "rank.no-weight",
    "No measure has weight.",
    "Give at least one a weight above 0.",
)
WEIGHT_OUT_OF_RANGE = MessageForm(
    "rank.weight-out-of-range",
    "Weight of {measure}: {text}.",
    "It is a number from 0 to {most:g}.",
)
NO_WINNER = MessageForm(
    "rank.no-winner",
    "none, because {reason}",
)
NO_CLEAR_WINNER = MessageForm(
    "rank.no-clear-winner",
    "no clear winner, first: {title:title}",
)
TIED_WINNER = MessageForm(
    "rank.tied-winner",
    "{title:title} (tied)",
)
NO_VPN_COMPARED = MessageForm(
    "rank.no-vpn-compared",
    "no VPN was compared",
)
ALL_VPNS_FAILED = MessageForm(
    "rank.all-vpns-failed",
    "all VPNs failed",
)
NO_VPN_MEASURED = MessageForm(
    "rank.no-vpn-measured",
    "no VPN was measured to the end",
)
NO_VPN_CARRIED_ALL_SIZES = MessageForm(
    "rank.no-vpn-carried-all-sizes",
    "no VPN carried every frame size",
)
TOO_LITTLE_MEASURED = MessageForm(
    "rank.too-little-measured",
    "too little was measured",
)
LINK_UNKNOWN = MessageForm("rank.link-unknown", "what lost frames may be the link, which was not measured")
FRAMES_OR_TESTS_FAILED = MessageForm(
    "rank.frames-or-tests-failed",
    "what was measured failed, lost frames or failed its packet test",
)
HOSTS_TOO_BUSY = MessageForm(
    "rank.hosts-too-busy",
    "the hosts were too busy",
)
MEASURED_NOT_DEPLOYABLE = MessageForm(
    "rank.measured-not-deployable",
    "what was measured must not be deployed",
)
LAST_ATTEMPT_FAILED = MessageForm(
    "rank.last-attempt-failed",
    "Its last attempt did not complete.",
)
SLOWER_THAN = MessageForm(
    "rank.slower-than",
    "It is slower than {title:title}, beyond chance.",
)
CLOSE_TO = MessageForm(
    "rank.close-to",
    "It is within 10 % of {title:title}.",
)
FASTEST_DECIDED = MessageForm(
    "rank.fastest-decided",
    "It is the fastest; each comparison with another one is decided.",
)
FASTEST_SO_FAR = MessageForm(
    "rank.fastest-so-far",
    "It is the fastest so far; no other one is left to compare it with.",
)
NOT_DISTINGUISHED = MessageForm(
    "rank.not-distinguished",
    "It could not be distinguished from {title:title}.",
)
NO_COMPLETE_ROUND = MessageForm(
    "rank.no-complete-round",
    "It has no complete round.",
)
EVERY_PAIR_DECIDED = MessageForm(
    "rank.every-pair-decided",
    "Every pair is decided, or within 10 %.",
)
NO_PAIR_LEFT = MessageForm(
    "rank.no-pair-left",
    "No pair is left that more rounds would decide.",
)
REFERENCE_MEASURED = MessageForm(
    "rank.reference-measured",
    "It has no cryptography: it is a reference, and two rounds are enough.",
)
NONE_ELIGIBLE = MessageForm("rank.none-eligible", "Nothing that was measured may be recommended; the results say why.")
NONE_FASTER = MessageForm(
    "rank.none-faster",
    "No other VPN that may be recommended can be more than 10 % (or 0.05 ms) faster than {title:title}.",
)
NONE_MEASURED_AT_ALL = MessageForm(
    "rank.none-measured",
    "No VPN could be measured.",
)
TIME_USED_UP = MessageForm(
    "rank.time-used-up",
    "The time for measuring is used up.",
)
TIME_USED_UP_UNDECIDED = MessageForm(
    "rank.time-used-up-undecided",
    "The time for measuring is used up without a decision between {one:title} and {other:title}.",
)
LAST_ROUND_MEASURED = MessageForm(
    "rank.last-round-measured",
    "The last round is measured.",
)
LAST_ROUND_MEASURED_UNDECIDED = MessageForm(
    "rank.last-round-measured-undecided",
    "The last round is measured without a decision between {one:title} and {other:title}.",
)
MINUTES_WOULD_DISTINGUISH = MessageForm(
    "rank.minutes-would-distinguish",
    "About {minutes} min more would probably decide between {one:title} and {other:title}.",
)
TIME_LEFT_TOO_SHORT = MessageForm(
    "rank.time-left-too-short",
    "The time that is left will probably not decide between {one:title} and {other:title}.",
)
BARRED_MEASURED_AGAIN = MessageForm(
    "rank.barred-measured-again",
    "The hosts were too busy while {title:title} was measured ({words}), so that nothing could be recommended: it is "
    "measured again.",
)
BARRED_TO_THE_END = MessageForm(
    "rank.barred-to-the-end",
    "The hosts were too busy while {title:title} was measured ({words}), so that nothing can be recommended; no "
    "repeat, round or time is left for it.",
)
BARRED_BY_LOSS = MessageForm(
    "rank.barred-by-loss",
    "{title:title} lost frames and may be the best; whether the link lost them is not known without the bare link, so "
    "that nothing can be recommended.",
)
MEANS_AND_MEDIANS_DIFFER = MessageForm(
    "rank.means-and-medians-differ",
    "Its mean latency is {means:.2f} times that of {best:title}, its median {medians:.2f} times: a few slow replies "
    "raise a mean. The medians decide.",
)

# --- transfers --------------------------------------------------------------------------------------------------------

CONGESTION_CONTROL = MessageForm("transfer.congestion-control", "congestion control")
CARRIER = MessageForm("transfer.carrier", "carrier")
FASTEST_WAS = MessageForm("transfer.fastest-was", "{condition}: fastest was {name}, {seconds:.1f} s.")
FASTEST_WITH_CUBIC = MessageForm(
    "transfer.fastest-with-cubic",
    "{condition}: where end hosts remain with CUBIC, {name} was fastest, {seconds:.1f} s.",
)
NOTHING_MATTERS = MessageForm(
    "transfer.nothing-matters", "{condition}: none of these choices changes more than 10 %: {factors}."
)
EFFECT_OF = MessageForm(
    "transfer.effect-of", "{factor} ({best}; with {worst} transfers take {ratio:.1f} times as long, {pairs} pairs)"
)
WHAT_MATTERS = MessageForm("transfer.what-matters", "{condition}: what matters, most first: {effects}.")
LESS_MATTERS = MessageForm("transfer.less-matters", "Less than 10 %: {factors}.")
WAY_OF_CELL = MessageForm("transfer.way-of-cell", "{solution} with {place}, {congestion}")
GOAL_ORDER = MessageForm(
    "transfer.goal-order", "Order: at least {share:.0f} % of the pairs that differ by more than 5 % in the study"
)
GOAL_NOT_MEASURED = MessageForm("transfer.goal-not-measured", "{goal}: not measured.")
GOAL_LEFT_OPEN = MessageForm("transfer.goal-left-open", "Open for lack of a time: {number}.")
LEFT_OUT = MessageForm(
    "transfer.left-out",
    "{condition}: without a time, and therefore in none of these comparisons: {names}. They may be the slowest.",
)
GOAL_SHARE = MessageForm("transfer.goal-share", "{goal}: {same} of {pairs}, {share:.0f} %.")
GOAL_BBR_AHEAD = MessageForm("transfer.goal-bbr-ahead", "BBR ahead of CUBIC in every cell with loss")
GOAL_IN_CELLS = MessageForm("transfer.goal-in-cells", "{goal}: in {ahead} of {pairs}.")
GOAL_SLOWEST = MessageForm("transfer.goal-slowest", "{solutions} with a PEP at A the slowest GEO cell without loss")
GOAL_SLOWEST_IS = MessageForm(
    "transfer.goal-slowest-is",
    "{goal}: the slowest of {cells} is {solution}, PEP {proxy}, {congestion} ({seconds:.1f} s).",
)

# --- comparisons ------------------------------------------------------------------------------------------------------

LINK_CHANGED = MessageForm(
    "compare.link-changed",
    "The bare link changed beyond chance, and each latency holds its change; what is left without it has a "
    "column of its own.",
)
SETTING_OF_SIDE = MessageForm("compare.setting-of-side", "{side}: {what:text}")
CONDITION_VALUE = MessageForm("compare.condition-value", "condition, {key}")
VERDICT_OF = MessageForm("compare.verdict-of", "verdict of {title:title}")
NONE_BECAUSE = MessageForm("history.none-because", "none, {word:text}: {title:title}")
PEP_NONE = MessageForm("transfer.pep-none", "no PEP")
PEP_AT_A = MessageForm("transfer.pep-at-a", "a PEP at A")
PEP_AT_B = MessageForm("transfer.pep-at-b", "a PEP at B")
NO_LOSS_LEO = MessageForm("transfer.no-loss-leo", "no loss, LEO")
NO_LOSS_GEO = MessageForm("transfer.no-loss-geo", "no loss, GEO")
LOSS_LEO = MessageForm("transfer.loss-leo", "loss, LEO")
LOSS_GEO = MessageForm("transfer.loss-geo", "loss, GEO")
REASON_BBR = MessageForm("transfer.reason-bbr", "BBR is the kernel's version 1; the study had version 2.")
REASON_WHOLE_FRAMES = MessageForm(
    "transfer.reason-whole-frames",
    "The lab loses whole frames on the way; on a sender with segmentation offload, a queue loses larger pieces.",
)
REASON_STUDY_SILENT = MessageForm(
    "transfer.reason-study-silent",
    "The study prints neither the length of its queue nor the changes of the LEO delay; those of the presets are used.",
)
REASON_EMULATED = MessageForm(
    "transfer.reason-emulated", "Gateways are emulated on this computer: whatever else runs on it delays them."
)
FIGURE_TITLE = MessageForm("transfer.figure-title", "{link:text}, {congestion:text}")
PART_QUICK = MessageForm("study.part-quick", "GEO without loss, CUBIC")
PART_NO_LOSS = MessageForm("study.part-no-loss", "GEO and LEO without loss, each congestion control")
PART_LOSS = MessageForm("study.part-loss", "GEO and LEO with loss, each congestion control, and section IV.A")
PART_ALL = MessageForm("study.part-all", "GEO and LEO with and without loss: the parts no-loss and loss")
