"""The phases between two locked hosts and a tunnel that is up: keys, preflight, plan, apply, verify."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future

from app.domain.adapters import PublicIdentity
from app.domain.cancel import CancelToken
from app.domain.concurrency import WorkerPool
from app.domain.errors import CommandFailed, PreflightRefused, TunnelDown, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.host.parallel import on_both
from app.host.script_events import ScriptEvent
from app.tunnel.acquire import Acquired, AcquireRequest
from app.tunnel.active_tunnel import add_log
from app.tunnel.apply import Building, apply, negotiated_on_both
from app.tunnel.key_encapsulation import derive_secrets
from app.tunnel.messages import KEY_UNREAD
from app.tunnel.plan import plan_of, recipe_of
from app.tunnel.preflight import obstacles_on, outside_paths, own_words
from app.tunnel.psk_transfer import share_secrets
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.transaction import StageSink, Transaction


class TunnelBuild:
    """The phases of one transaction that build what a request asks for; a composition calls them in this order.

    Args:
        member: Which of several tunnels that are built side by side it is; None for the only one.
        on_stage: Gets each stage of this tunnel as it begins; None for that of the transaction.

    Attributes:
        plan: For reading only until the keys have been exchanged.
        identities: The keys' public parts.
        warnings: What preflight found that did not stop it.
    """

    def __init__(
        self,
        work: Transaction,
        request: DeployRequest,
        *,
        member: int | None = None,
        on_stage: StageSink | None = None,
    ) -> None:
        self.work = work
        self.request = request
        self.member = member
        self.stage = on_stage or work.stage
        self.plan = plan_of(request)
        self.identities: Mapping[Side, PublicIdentity] = {}
        self.warnings: tuple[Obstacle, ...] = ()

    def acquire(self, *, token: CancelToken, asked: str = "") -> dict[Side, Acquired]:
        """Acquire both hosts and make their keys; see `Transaction.acquire`.

        Args:
            asked: A small file whose first line each host is asked for once it is locked; empty for none.
        """
        request = self.request
        requests = {
            side: AcquireRequest(
                request.link.run_dir,
                recipe_of(request, side),
                request.link.underlay(side.other),
                outside_paths(request, self.plan.on(side)),
                asked,
            )
            for side in Side
        }
        return self.work.acquire(requests, token=token)

    def refuse_obstacles(self) -> None:
        """Keep warnings, and stop where something is in the way.

        Raises:
            PreflightRefused: Something is.
        """
        inspections = self.work.inspections
        found = tuple(one for side in Side for one in obstacles_on(side, self.request, self.plan, inspections))
        blocking = [obstacle for obstacle in found if obstacle.is_blocking]
        if blocking:
            raise PreflightRefused(
                sentences(obstacle.what for obstacle in blocking),
                hint=sentences(dict.fromkeys(obstacle.hint for obstacle in blocking)),
                context={"count": str(len(blocking))},
            )
        self.warnings = found

    def exchange_keys(self, acquired: Mapping[Side, Acquired], *, token: CancelToken) -> None:
        """Make the plan with both public keys, and see that each host has the secrets that both must have."""
        self.identities = {side: self._identity(side, one) for side, one in acquired.items()}
        self.plan = plan_of(self.request, self.identities[Side.A], self.identities[Side.B])
        share_secrets(self.work.hosts, self.request, token=token)
        derive_secrets(self.work.hosts, self.work.ledgers, self.request, self.identities, token=token)

    def _identity(self, side: Side, acquired: Acquired) -> PublicIdentity:
        if not acquired.outputs:
            return PublicIdentity()
        try:
            return self.request.adapter.parse_identity(acquired.outputs)
        except CommandFailed as error:
            label = self.work.hosts[side].label
            context = {"host": label, **error.context}
            raise CommandFailed(KEY_UNREAD(host=label, why=error.message), hint=error.hint, context=context) from error

    def apply(self, *, token: CancelToken) -> str:
        """Build both sides, and try a new SSH connection to each host as soon as its last change has been made.

        Returns:
            What both sides report as negotiated; empty if the plan changes nothing.
        """
        if self.is_bare:
            return ""
        self.stage(Stage.APPLY, "")
        with self.work.timed("build"):
            events = self._apply_to_both(token)
        return negotiated_on_both(self.work.hosts, self._building(), events, token=token)

    @property
    def is_bare(self) -> bool:
        """Whether the plan changes nothing on either host."""
        return not any(host.steps or host.files or host.interface for host in (self.plan.a, self.plan.b))

    def _building(self) -> Building:
        return Building(self.request, self.plan, self.work.ids, self.member)

    def _apply_to_both(self, token: CancelToken) -> dict[Side, tuple[ScriptEvent, ...]]:
        work, building = self.work, self._building()
        built: set[Side] = set()
        checks: dict[Side, Future[None]] = {}
        checking = CancelToken()

        with WorkerPool(2, thread_name_prefix="tunnelmark-new-connection") as pool:

            def apply_to(side: Side, child: CancelToken) -> tuple[ScriptEvent, ...]:
                def on_event(words: tuple[str, ...]) -> None:
                    if words[0] == "built":
                        if self.member is None:  # else all of them are followed by one
                            checks[side] = pool.submit(work.check_connection, side, checking)
                        built.add(side)
                        if len(built) == len(Side):
                            self.stage(Stage.VERIFY, "")

                return apply(work.hosts[side], building, work.ledgers[side], token=child, on_event=on_event)

            unregister = token.on_cancel(checking.cancel)
            try:
                events = on_both(apply_to, token=token)
                for check in checks.values():
                    check.result()
            except BaseException:
                checking.cancel()
                raise
            finally:
                unregister()
        return events

    def words(self, side: Side) -> tuple[str, ...]:
        """Return the names, paths and addresses by which this tunnel is known on a host."""
        return own_words(self.request, self.plan, side)

    def add_logs(self, error: TunnelmarkError) -> None:
        """Put the daemons' logs into an error's context, as far as the hosts can be asked; and the warnings before."""
        if isinstance(error, TunnelDown) and self.warnings:
            warned = [text for one in self.warnings for text in (one.what, one.hint)]
            error.hint = sentences([*warned, error.hint])
        if self.work.is_held and "log" not in error.context:
            add_log(error, self.work.hosts, self.plan)
