"""The choice of a study's heat maps while results come in."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.ranking.comparison_study import comparison_studies
from app.ranking.heat_maps import HeatMap
from app.ranking.repeated_study import unmeasured_study
from app.ranking.study_maps import comparison_maps
from ui.common.heat_maps import HeatMaps
from ui.common.theme import Theme


def maps_of(study: str) -> list[HeatMap]:
    return list(comparison_maps(unmeasured_study(comparison_studies()[study])))


def test_the_list_keeps_what_is_highlighted_in_it_when_a_result_comes(qtbot: QtBot, theme: Theme) -> None:
    page = HeatMaps(theme)
    qtbot.addWidget(page)
    choice = page.view.choice
    page.view.show_maps(maps_of("industrial-2019"))
    choice.setCurrentIndex(1)
    choice.view().setCurrentIndex(choice.model().index(3, 0))
    page.view.show_maps(maps_of("industrial-2019"))
    assert choice.view().currentIndex().row() == 3
    assert choice.currentIndex() == 1


def test_other_maps_have_a_choice_of_their_own_and_the_chosen_one_remains(qtbot: QtBot, theme: Theme) -> None:
    page = HeatMaps(theme)
    qtbot.addWidget(page)
    maps = maps_of("industrial-2019")
    choice = page.view.choice
    page.view.show_maps(maps)
    choice.setCurrentIndex(2)
    page.view.show_maps(maps[1:])
    assert [choice.itemText(nth) for nth in range(choice.count())] == [one.title for one in maps[1:]]
    assert choice.currentText() == maps[2].title
    page.view.show_maps(maps_of("ipsec-tls-2011"))
    assert choice.currentIndex() == 0
