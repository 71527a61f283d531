"""Messages about deployments, and about what tests of a tunnel and of a link showed."""

from __future__ import annotations

from app.domain.messages import MessageForm

DEPLOYMENT_LAPSED = MessageForm("deployment.lapsed", "It was not confirmed in time, and both hosts rolled back.")
REPAIR_UNFINISHED = MessageForm(
    "deployment.repair-unfinished",
    "A deployment was interrupted on {hosts} before it was confirmed. Its files are removed.",
)
REPAIR_BY_REMOVAL = MessageForm(
    "deployment.repair-by-removal", "One host alone still has what was being removed. It is removed from both."
)
REPAIR_BY_DEPLOYMENT = MessageForm(
    "deployment.repair-by-deployment", "One host alone keeps the deployment. It is deployed on both once more."
)
LEAK_TEST_NOT_RUN = MessageForm("leak.not-run", "The leak test was not run.")
INJECTION_NOT_RUN = MessageForm("injection.not-run", "The injection test was not run.")
INJECTION_SHOWS_NOTHING = MessageForm(
    "injection.shows-nothing",
    "The test did not get into a tunnel without cryptography, so that it shows nothing.",
)
PACKETS_GOT_IN = MessageForm("injection.packets-got-in", "{entered} of {sent} packets {words} got in on {side}.")
NO_FORGERY_GOT_IN = MessageForm(
    "injection.no-forgery-got-in", "None of {sent} packets that were forged or altered got in."
)
NO_REPLAY_GOT_IN = MessageForm("injection.no-replay-got-in", "None of {sent} packets that were replayed got in.")
FORGERIES_LOST = MessageForm("injection.forgeries-lost", "Not tried, as none of them arrived: {titles:text}.")
FRAMES_INTACT = MessageForm(
    "injection.frames-intact", "Of {intact} altered ones the frame came out as it had been sent."
)
TRIAL_WORDS = {
    "forged": MessageForm("injection.forged", "forged {title:text}"),
    "altered": MessageForm("injection.altered", "altered {title:text}"),
    "delayed": MessageForm("injection.delayed", "delayed {title:text}"),
    "replayed": MessageForm("injection.replayed", "replayed {title:text}"),
}
"""Packets of the injection test in words, by their kind."""

NO_TRIAL_SENT = MessageForm("injection.no-trial-sent", "No {kind} packets were sent at {side}.")
NO_TRIAL_ARRIVED = MessageForm("injection.no-trial-arrived", "On {side}, no packet arrived of those {words}.")
INJECTION_CONTROL_FAILED = MessageForm(
    "injection.control-failed",
    "On {side}, the control did not get in: a captured packet that was sent later as it was.",
)
CUBIC_WITHOUT_HYSTART = MessageForm("transfer.cubic-without-hystart", "CUBIC without HyStart")
BBR_HERE = MessageForm("transfer.bbr-here", "BBR (here v1, in the study v2)")
CUBIC_BBR_ON_GATEWAYS = MessageForm("transfer.cubic-bbr-on-gateways", "CUBIC, BBR (v1) on gateways")
CUBIC_BBR_ON_PROXY = MessageForm("transfer.cubic-bbr-on-proxy", "CUBIC, BBR (v1) on the PEP alone")
CHECK_OF_ORDER = MessageForm("condition.check-of-order", "order{way:text}: {frames:.0f} frames overtaken")
CHECK_OF_LOSS = MessageForm(
    "condition.check-of-loss",
    "loss{way:text}: {measured:.2f} % (95 % interval {low:.2f} to {high:.2f} %), asked for {asked:.2f} %",
)
CHECK_OF_RTT = MessageForm(
    "condition.check-of-rtt", "round trip: {measured:.1f} ms, asked for {asked:.1f} ms with the link as found"
)
CHECK_OF_RATE = MessageForm(
    "condition.check-of-rate", "rate{way:text}: {measured:.2f} Mbit/s, asked for {asked:.2f} Mbit/s"
)
CHECK_OF_LOSS_TRACE = MessageForm(
    "condition.check-of-loss-trace",
    "loss{way:text}: {measured:.2f} % (95 % interval {low:.2f} to {high:.2f} %), asked for {asked:.2f} % on average, "
    "which is {least:.2f} to {most:.2f} % in the time of the test",
)
CHECK_OF_RATE_TRACE = MessageForm(
    "condition.check-of-rate-trace",
    "rate{way:text}: {measured:.2f} Mbit/s, asked for {asked:.2f} Mbit/s on average, which is {least:.2f} to "
    "{most:.2f} Mbit/s in the time of the test",
)
LEAK_COUNTS = MessageForm(
    "leak.counts",
    "{answered} of {sent} canary frames were answered. Captured packets of the tunnel: {captured:text}; packets with "
    "readable canaries: {clear:text}; control frames (unencrypted) seen: {control:text}.",
)
NUMBER_ON_SIDE = MessageForm("leak.number-on-side", "{number} on {side}")
