"""Both sides of a deployment as files and scripts, with tokens in place of what depends on keys."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.deployment.boot_bundle import BootBundleRequest, boot_bundle_files
from app.deployment.slots import service_name, slot_dir
from app.domain.adapters import EndpointPlan, IdentityRecipe, TunnelPlan
from app.domain.declared import declared
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.export.messages import NO_TUNNEL, STEP_READS_SECRET, WORD_NOT_QUOTABLE
from app.export.path_fit import check_fit
from app.export.request import ExportRequest, check_request
from app.export.values import ValueToken, placeholder_identity, tokens_in
from app.tunnel.plan import plan_of, recipe_of

_LEFT_OUT = "uninstall.sh"
"""Files of a boot bundle that only a provisional deployment needs."""
_START = "start.sh"
_SCRIPTS = tuple(f"/{name}" for one in declared().values() for name in one.scripts)


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """One file of one host.

    Attributes:
        path: Below the place's folder, for example `start.sh`.
        mode: Permission bits.
        text: Its content; tokens are in place of what is not known yet.
    """

    path: str
    mode: int
    text: str

    @property
    def tokens(self) -> tuple[ValueToken, ...]:
        """Values that have to be filled in."""
        return tokens_in((self.text,))


@dataclass(frozen=True, slots=True)
class BundleSide:
    """Files and keys of one side.

    Attributes:
        side: A or B.
        files: Every file but keys.
        plan: The plan of this side.
        recipe: How its keys are made.
        tokens: Everything that has to be filled in.
        lan_port: The LAN port that is joined with the tunnel; empty where there is none.
    """

    side: Side
    files: tuple[PlacedFile, ...]
    plan: EndpointPlan
    recipe: IdentityRecipe
    tokens: tuple[ValueToken, ...]
    lan_port: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """Export bundle of both sides.

    Attributes:
        request: What was asked for.
        plan: The plan, with tokens for identities.
        a: A's end.
        b: B's end.
        base: The place's folder on the hosts.
        service: Name of the service that starts it.
        run_dir: Folder of the running parts.
    """

    request: ExportRequest
    plan: TunnelPlan
    a: BundleSide
    b: BundleSide
    base: str
    service: str
    run_dir: str

    def on(self, side: Side) -> BundleSide:
        """Return the files and keys of one side."""
        return self.a if side is Side.A else self.b

    def needed_from(self, side: Side) -> tuple[ValueToken, ...]:
        """Return the public values of one side that any file needs."""
        tokens = {token for one in Side for token in self.on(one).tokens if token.side is side}
        return tuple(sorted(tokens))


def make_bundle(request: ExportRequest) -> Bundle:
    """Return the bundle of both sides.

    Raises:
        InvalidPlan: This cannot or must not be exported.
    """
    check_request(request)
    deploy = request.deploy_request()
    plan = plan_of(deploy, placeholder_identity(Side.A), placeholder_identity(Side.B))
    check_fit(request, plan, deploy.link)
    sides = {}
    for side in Side:
        bundle = BootBundleRequest(deploy, plan, side, request.deployment_id, request.slot, request.mark)
        recipe = recipe_of(deploy, side)
        placed = (*_boot_files(bundle), *_kept(plan.on(side), deploy.link.run_dir, request.deployment_id))
        tokens = tokens_in(file.text for file in placed)
        _check(request, plan.on(side), placed)
        sides[side] = BundleSide(side, placed, plan.on(side), recipe, tokens, request.options.bridge(side))
    base, service = slot_dir(request.slot), service_name(request.slot)
    return Bundle(request, plan, sides[Side.A], sides[Side.B], base, service, deploy.link.run_dir)


def _boot_files(bundle: BootBundleRequest) -> Iterator[PlacedFile]:
    for file in boot_bundle_files(bundle, ""):
        name = posixpath.basename(file.path)
        if name != _LEFT_OUT:
            path = name if name == _START else f"{bundle.deployment_id}/{name}"
            yield PlacedFile(path, file.mode, file.content.decode())


def _kept(own: EndpointPlan, run_dir: str, deployment_id: str) -> Iterator[PlacedFile]:
    for file in own.files:
        below = posixpath.relpath(file.path, run_dir)
        yield PlacedFile(f"{deployment_id}/kept/{below}", file.mode, file.content.decode())


def _check(request: ExportRequest, own: EndpointPlan, placed: Sequence[PlacedFile]) -> None:
    title = request.adapter.info.title
    if not own.interface:
        raise InvalidPlan(NO_TUNNEL(title=title))
    secret = next((step.title for step in own.steps if step.command.stdin is not None), "")
    if secret:
        raise InvalidPlan(STEP_READS_SECRET(title=title, secret=secret))
    for file in placed:
        is_shell = file.path.endswith((".sh", *_SCRIPTS))
        words = [token.text for token in file.tokens if not token.value.is_word]
        if is_shell and words:
            raise InvalidPlan(WORD_NOT_QUOTABLE(title=title, word=words[0], file=file.path))
