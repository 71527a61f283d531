"""Messages of the services that window and command line share."""

from __future__ import annotations

from app.domain.messages import MessageForm

MEASURING_OVERHEAD = MessageForm("services.measuring-overhead", "measuring the probe against bare pings")
CONNECTING = MessageForm("services.connecting", "Connecting to {a} and {b}")
READING_FILES = MessageForm("services.reading-files", "Reading configuration files")
INSTALLATION = MessageForm("services.installation", "an installation of packages")
A_PAIR_CHANGE = MessageForm("services.a-pair-change", "a change of the pair")
A_DEPLOYMENT = MessageForm("services.a-deployment", "a deployment")
A_KEY_ROTATION = MessageForm("services.a-key-rotation", "a key rotation")
A_REMOVAL = MessageForm("services.a-removal", "the removal of a deployment")
A_REPAIR = MessageForm("services.a-repair", "a repair")
A_COMPARISON = MessageForm("services.a-comparison", "a comparison")
A_CENSUS = MessageForm("services.a-census", "a census")
A_BENCHMARK = MessageForm("services.a-benchmark", "a benchmark")
