"""Compile the translations in resources/locale and print how many texts of each are translated.

`pybabel compile` takes "95 % interval" for a format of Python and refuses other words after the sign. Placeholders are
compared in tests/repo/test_translations.py.
"""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE = Path(__file__).parents[1] / "resources" / "locale"

for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
    with source.open("rb") as file:
        catalogue = read_po(file, locale=source.parts[-3])
    with source.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)
    texts = [message for message in catalogue if message.id]
    translated = sum(bool(message.string) and not message.fuzzy for message in texts)
    print(f"{source.parts[-3]}: {translated} of {len(texts)} texts are translated")
