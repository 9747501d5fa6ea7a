"""What other clients of an object store do: write, delete, list. And what the store has seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from support.object_store.server import REQUESTS


class Bucket:
    """A new bucket of the store at an address."""

    def __init__(self, address: str, name: str) -> None:
        """Make it."""
        self.address = address
        self.name = name
        self.client.create_bucket(Bucket=name)

    @cached_property
    def client(self) -> Any:
        """The client, which is not Spark's."""
        import boto3

        any_keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        return boto3.client("s3", "us-east-1", endpoint_url=self.address, **any_keys)

    def url(self, key: str) -> str:
        """The name under which Spark knows an object or a folder."""
        return f"s3a://{self.name}/{key}"

    def put(self, key: str, file: Path) -> None:
        """Write one object."""
        self.client.put_object(Bucket=self.name, Key=key, Body=file.read_bytes())

    def upload(self, folder: Path, key: str) -> str:
        """Write all files of a folder, and return the name of the folder of objects."""
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            self.put(f"{key}/{file.relative_to(folder).as_posix()}", file)
        return self.url(key)

    def delete(self, key: str) -> None:
        """Remove one object."""
        self.client.delete_object(Bucket=self.name, Key=key)

    def times(self, key: str) -> tuple[datetime, datetime]:
        """When an object was written, as a listing tells it, and as the answer to HEAD does."""
        (listed,) = self.client.list_objects_v2(Bucket=self.name, Prefix=key)["Contents"]
        head = self.client.head_object(Bucket=self.name, Key=key)
        return listed["LastModified"], head["LastModified"]


@dataclass(frozen=True)
class Requests:
    """Requests that a store has seen, each with its kind, path, query and range."""

    seen: list[dict[str, str]]

    @staticmethod
    def since_last(address: str) -> Requests:
        """Those since this was last called."""
        with urlopen(f"{address}{REQUESTS}", timeout=30) as answer:
            return Requests(json.loads(answer.read()))

    def count(self, *kinds: str) -> int:
        """How many were of these kinds: GET, HEAD, LIST, PUT, DELETE."""
        return sum(request["kind"] in kinds for request in self.seen)

    def objects(self, *kinds: str) -> set[str]:
        """The keys that requests of these kinds named, each with its bucket."""
        return {request["path"][1:] for request in self.seen if request["kind"] in kinds}
