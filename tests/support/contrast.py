"""How well colours stand out, as WCAG defines it."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours from 1, where they are equal, to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour such as ``rgb(0, 0, 0)``."""
    parts = [int(part) / 255 for part in color.removeprefix("rgb(").rstrip(")").split(",")]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
