"""The style sheet, where Fusion's own style is not enough. Widgets choose a style by the property `variant`."""

from __future__ import annotations

import re

from ui.common.colours import Colours
from ui.common.icons import ICONS_DIR

_SHEET = """
QToolTip {{ color: {text}; background: {raised}; border: 1px solid {border}; padding: 4px; }}
QScrollArea, QScrollArea > QWidget > QWidget[variant="page"] {{ background: transparent; }}

QFrame[variant="topbar"] {{ background: {base}; border: 0; border-bottom: 1px solid {border}; }}
QFrame[variant="footer"] {{ background: {base}; border: 0; border-top: 1px solid {border}; }}
QFrame[variant="steps"] {{ background: {base}; border: 0; border-right: 1px solid {border}; }}
QFrame[variant="card"] {{ background: {base}; border: 1px solid {border}; border-radius: 6px; }}
QFrame[variant="callout"] {{
    background: {accent_soft}; border: 1px solid {border}; border-left: 4px solid {accent}; border-radius: 4px; }}
QFrame[variant="running"] {{
    background: {accent_soft}; border: 0; border-left: 4px solid {accent}; border-bottom: 1px solid {border}; }}
QFrame[variant="caution"] {{
    background: {base}; border: 1px solid {border}; border-left: 4px solid {legacy}; border-radius: 4px; }}
QFrame[variant="error"] {{
    background: {base}; border: 1px solid {bad}; border-left: 4px solid {bad}; border-radius: 4px; }}
QFrame[variant="line"] {{ background: {border}; border: 0; max-height: 1px; min-height: 1px; }}

QLabel[variant="title"] {{ font-size: 16pt; font-weight: 600; }}
QLabel[variant="heading"] {{ font-size: 11pt; font-weight: 600; }}
QLabel[variant="brand"] {{ font-size: 12pt; font-weight: 700; }}
QLabel[variant="muted"] {{ color: {muted}; }}
QLabel[variant="figure"] {{ font-size: 12pt; font-weight: 600; }}
QLabel[variant="countdown"] {{ font-size: 26pt; font-weight: 600; }}
QLabel[variant="sentence"] {{ font-size: 11pt; font-weight: 600; }}
QLabel[variant="strong"] {{ font-weight: 600; }}
QLabel[variant="good"] {{ color: {good}; font-weight: 600; }}
QLabel[variant="bad"] {{ color: {bad}; font-weight: 600; }}

QPushButton {{
    background: {base}; color: {text}; border: 1px solid {border}; border-radius: 4px;
    padding: 7px 14px; }}
QPushButton:hover {{ background: {raised}; }}
QPushButton:pressed {{ background: {border}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 6px 13px; }}
QPushButton:disabled {{ color: {muted}; background: {window}; }}
QPushButton[variant="primary"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; font-weight: 600; }}
QPushButton[variant="primary"]:hover {{ border-color: {text}; }}
QPushButton[variant="primary"]:focus {{ border: 2px solid {text}; padding: 6px 13px; }}
QPushButton[variant="primary"]:disabled {{
    background: {raised}; color: {muted}; border-color: {border}; font-weight: 600; }}
QPushButton[variant="tab"] {{ border: 0; border-radius: 4px; background: transparent; padding: 6px 12px; }}
QPushButton[variant="tab"]:hover {{ background: {raised}; }}
QPushButton[variant="tab"]:checked {{ background: {accent_soft}; }}
QPushButton[variant="tab"][running="true"] {{ border-bottom: 3px solid {accent}; padding-bottom: 3px; }}
QPushButton[variant="tab"]:focus {{ border: 2px solid {accent}; padding: 4px 10px; }}
QPushButton[variant="switch"] {{ border: 2px solid transparent; background: transparent; padding: 1px 2px; }}
QPushButton[variant="switch"]:hover {{ background: {raised}; }}
QPushButton[variant="switch"]:focus {{ border: 2px solid {accent}; padding: 1px 2px; }}
QPushButton[variant="step"] {{
    border: 0; border-left: 4px solid transparent; border-radius: 0; background: transparent; text-align: left;
    padding: 10px 8px 10px 12px; }}
QPushButton[variant="step"]:hover:enabled {{ background: {raised}; }}
QPushButton[variant="step"]:checked {{ background: {accent_soft}; border-left: 4px solid {accent}; font-weight: 600; }}
QPushButton[variant="step"]:focus {{
    border: 2px solid {accent}; border-left: 4px solid {accent}; padding: 8px 6px 8px 12px; }}
QPushButton[variant="step"]:disabled {{ color: {muted}; background: transparent; }}

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{
    background: {base}; color: {text}; border: 1px solid {muted}; border-radius: 4px; padding: 6px 6px;
    placeholder-text-color: {muted}; selection-background-color: {accent}; selection-color: {on_accent}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus {{
    border: 2px solid {accent}; padding: 5px 5px; }}
QLineEdit:read-only, QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{
    background: {window}; color: {muted}; border-color: {border}; }}
/* Qt lays out a box's list by the box without focus: with another padding the list is too low for its lines. */
QComboBox {{ padding: 5px 6px; margin: 1px 0; }}
QComboBox:focus {{ margin: 0; }}
QLineEdit:read-only:focus {{ border: 2px solid {accent}; }}
QComboBox QLineEdit {{ border: 0; padding: 0; min-height: 18px; background: transparent; }}
QComboBox::drop-down, QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button {{ border: 0; width: 22px; background: transparent; }}
QComboBox::down-arrow, QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{
    image: url("{icons}/less-{scheme}.svg"); width: 12px; height: 12px; }}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{
    image: url("{icons}/more-{scheme}.svg"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{
    background: {base}; border: 1px solid {border}; selection-background-color: {accent_soft};
    selection-color: {text}; }}
QLineEdit[fault="true"], QComboBox[fault="true"], QCheckBox[fault="true"] {{ border: 2px solid {bad}; }}
QLineEdit[fault="true"], QComboBox[fault="true"] {{ padding: 5px 5px; margin: 0; }}
QCheckBox, QRadioButton {{ spacing: 8px; padding: 3px; border: 2px solid transparent; border-radius: 4px; }}
QCheckBox:focus, QRadioButton:focus {{ border: 2px solid {accent}; }}
QCheckBox::indicator, QTreeWidget::indicator {{
    width: 14px; height: 14px; border: 1px solid {muted}; border-radius: 3px; background: {base}; }}
QRadioButton::indicator {{
    width: 14px; height: 14px; border: 1px solid {muted}; border-radius: 8px; background: {base}; }}
QCheckBox::indicator:checked, QTreeWidget::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/tick-{scheme}.svg"); }}
QRadioButton::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/bullet-{scheme}.svg"); }}
QCheckBox::indicator:disabled, QTreeWidget::indicator:disabled {{ border-color: {border}; background: {window}; }}

QPlainTextEdit, QTreeWidget, QTableView, QListWidget {{
    background: {base}; border: 1px solid {border}; border-radius: 4px;
    selection-background-color: {accent_soft}; selection-color: {text}; }}
QPlainTextEdit {{ selection-background-color: {accent}; selection-color: {on_accent}; }}
QPlainTextEdit:focus, QTreeWidget:focus, QTableView:focus, QListWidget:focus {{ border: 2px solid {accent}; }}
QTreeWidget::item, QTableView::item, QListWidget::item {{ padding: 4px 6px; }}
QListWidget::item {{ padding: 6px; }}
QTreeWidget::item:selected, QTableView::item:selected, QListWidget::item:selected {{
    background: {accent_soft}; color: {text}; }}
QHeaderView::section {{
    background: {window}; color: {muted}; border: 0; border-bottom: 1px solid {border};
    padding: 6px; font-weight: 600; }}
QTableCornerButton::section {{ background: {window}; border: 0; }}

QTabWidget::pane {{ border: 1px solid {border}; border-radius: 4px; background: {base}; top: -1px; }}
QTabBar::tab {{
    background: transparent; color: {muted}; padding: 7px 6px; border: 2px solid transparent;
    border-bottom: 3px solid transparent; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 3px solid {accent}; font-weight: 600; }}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar:focus {{ outline: 0; }}
QTabBar::tab:selected:focus {{ border: 2px solid {accent}; border-bottom: 3px solid {accent}; }}

QProgressBar {{
    background: {raised}; border: 0; border-radius: 4px; min-height: 8px; max-height: 8px; color: transparent; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 4px; }}
QScrollBar {{ background: transparent; border: 0; }}
QScrollBar:vertical {{ width: 12px; }}
QScrollBar:horizontal {{ height: 12px; }}
QScrollBar::handle {{ background: {border}; border-radius: 4px; margin: 2px; min-width: 32px; min-height: 32px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: transparent; }}
QGroupBox {{
    border: 1px solid {border}; border-radius: 6px; margin-top: 18px; background: {base}; padding: 8px; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 8px; color: {text}; font-weight: 600; }}
"""


def stylesheet(colours: Colours, text_scale: float = 1.0) -> str:
    """Return the style sheet in these colours."""
    sheet = re.sub(r"(\d+)pt;", lambda found: f"{float(found[1]) * text_scale:.2f}pt;", _SHEET)
    names = {name: value for name in colours.__slots__ if isinstance(value := getattr(colours, name), str)}
    return sheet.format(icons=ICONS_DIR.as_posix(), scheme="dark" if colours.is_dark else "light", **names)
