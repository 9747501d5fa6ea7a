"""Queries with a CTE that is not deterministic: Spark evaluates it once for all its references."""

from __future__ import annotations

from pyspark.sql import SparkSession

# Each with a place for a query that returns a column `id`.
DEFINITIONS = {
    "itself": "SELECT id, uuid() AS u FROM ({})",
    "scalar": "SELECT id, uuid() AS u FROM range(2000) WHERE id >= (SELECT max(id) FROM ({}))",
    "scalar in the output": (
        "SELECT id + (SELECT sum(id) FROM ({})) AS id, uuid() AS u FROM range(2000)"
    ),
    "IN": "SELECT id, uuid() AS u FROM range(2000) WHERE id IN ({})",
    "correlated": (
        "SELECT r.id + 10000 * (SELECT count(*) FROM ({}) AS x WHERE x.id = r.id) AS id, "
        "uuid() AS u FROM range(2000) AS r"
    ),
    "nested": (
        "SELECT id, uuid() AS u FROM range(2000) WHERE id IN "
        "(SELECT id FROM range(2000) WHERE id >= (SELECT min(id) FROM ({})))"
    ),
    "not used": "SELECT id, CAST(NULL AS STRING) AS u, rand() AS random FROM ({})",
}


def unmatched(spark: SparkSession, definition: str, query: str) -> int:
    """Return how many rows of a reference the other one lacks.

    Args:
        spark: The session.
        definition: A key of `DEFINITIONS`.
        query: The query with a LIMIT that is in the definition, or in a subquery of it.
    """
    df = spark.sql(
        f"WITH c AS ({DEFINITIONS[definition].format(query)}) "
        "SELECT count(*) FROM c a LEFT ANTI JOIN c b ON a.id <=> b.id AND a.u <=> b.u"
    )
    ((count,),) = df.collect()
    return int(count)
