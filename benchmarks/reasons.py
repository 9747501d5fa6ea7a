"""Why a target is missed, as far as it was looked into; shown beside the target where it is."""

REASONS: dict[str, str] = {}
