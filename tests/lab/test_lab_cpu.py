"""Features of a virtual gateway's emulated CPU."""

from __future__ import annotations

import base64
import subprocess

import pytest

from app.domain.hosts import Side
from app.lab import Lab
from support.tiny_elf import elf

# Swaps 16 bytes on the stack at once: from (1, 2) to (3, 4), which must work, and once more, which must not and has to
# yield what is there. Its exit status is 0, or the number of the attempt whose result is wrong. It is executed many
# times, as interrupts have to come in between. Where arithmetic comes right before it and a jump right after it, QEMU
# may end the program (docs/practice-lab.md); that is not asked for here.
CMPXCHG16B = bytes.fromhex(
    "48 83 e4 f0"  #        and $-16, %rsp      the operand must be aligned
    "41 bf 40 0d 03 00"  #   mov $200000, %r15d
    "6a 02"  #        again: push $2            higher half
    "6a 01"  #               push $1            lower half
    "b8 01 00 00 00"  #      mov $1, %eax       compared: lower half
    "ba 02 00 00 00"  #      mov $2, %edx       compared: higher half
    "bb 03 00 00 00"  #      mov $3, %ebx       new: lower half
    "b9 04 00 00 00"  #      mov $4, %ecx       new: higher half
    "bf 01 00 00 00"  #      mov $1, %edi       exit status
    "f0 48 0f c7 0c 24"  #   lock cmpxchg16b (%rsp)
    "75 42"  #               jne end            it must have been equal
    "48 83 3c 24 03"  #      cmpq $3, (%rsp)
    "75 3b"  #               jne end
    "48 83 7c 24 08 04"  #   cmpq $4, 8(%rsp)
    "75 33"  #               jne end
    "bf 02 00 00 00"  #      mov $2, %edi
    "f0 48 0f c7 0c 24"  #   lock cmpxchg16b (%rsp)
    "74 26"  #               je end             now it must not have been equal
    "48 83 f8 03"  #         cmp $3, %rax       what is there has been read
    "75 20"  #               jne end
    "48 83 fa 04"  #         cmp $4, %rdx
    "75 1a"  #               jne end
    "48 83 3c 24 03"  #      cmpq $3, (%rsp)    and is unchanged
    "75 13"  #               jne end
    "48 83 7c 24 08 04"  #   cmpq $4, 8(%rsp)
    "75 0b"  #               jne end
    "48 83 c4 10"  #         add $16, %rsp
    "41 ff cf"  #            dec %r15d
    "75 9b"  #               jne again
    "31 ff"  #               xor %edi, %edi
    "b8 3c 00 00 00"  # end: mov $60, %eax      exit
    "0f 05"  #               syscall
)


@pytest.mark.parametrize("platform", ["debian-13", "debian-11"])
def test_a_program_may_swap_16_bytes_at_once(platform: str, lab_mixed: Lab) -> None:
    side = next(side for side in Side if lab_mixed.spec.platform(side) == platform)
    script = "set -e; f=$(mktemp); base64 -d > $f; chmod 700 $f; s=0; $f || s=$?; rm $f; echo $s"
    done = subprocess.run(
        [*lab_mixed.ssh_argv(side), script],
        input=base64.b64encode(elf(CMPXCHG16B)),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == b"0\n", done.stderr  # 132 is SIGILL: the CPU has no such instruction
