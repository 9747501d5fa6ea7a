"""A REST catalog of Iceberg on loopback: the server of Iceberg's own tests, in a JVM of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from support import downloads
from support.jvm import SMALL_JVM

LIBRARIES = ("hadoop-client-*.jar", "jcl-over-slf4j-*.jar")
"""What the server needs to write to a file system, among the JARs of Spark."""


@contextmanager
def running(warehouse: Path) -> Iterator[str]:
    """Keep a server for the block, and give its address.

    Args:
        warehouse: The folder of its tables. The namespace ``db`` is made there.
    """
    of_spark = Path(pyspark.__path__[0]) / "jars"
    jars = [
        *downloads.folder("iceberg-rest-jars").glob("*.jar"),
        *(jar for pattern in LIBRARIES for jar in of_spark.glob(pattern)),
    ]
    (py4j,) = of_spark.glob("py4j-*.jar")
    port, token = launch_gateway(
        jarpath=str(py4j),
        classpath=os.pathsep.join(map(str, jars)),
        javaopts=[*SMALL_JVM.split(), "-Xmx256m"],
        die_on_exit=True,
        enable_auth=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token))
    try:
        server = served(gateway.jvm, warehouse)
        server.start()
        yield f"http://127.0.0.1:{server.getURI().getPort()}"
        server.stop()
    finally:
        gateway.shutdown()


def served(jvm: Any, warehouse: Path) -> Any:
    """Return a server of a catalog, on any port."""
    (warehouse / "db").mkdir()  # Spark would create it with properties, which this catalog lacks
    conf = jvm.org.apache.hadoop.conf.Configuration()
    catalog = jvm.org.apache.iceberg.hadoop.HadoopCatalog(conf, str(warehouse))
    rest, jetty = jvm.org.apache.iceberg.rest, jvm.org.eclipse.jetty
    servlet = rest.RESTCatalogServlet(rest.RESTCatalogAdapter(catalog))
    context = jetty.ee10.servlet.ServletContextHandler()
    context.addServlet(jetty.ee10.servlet.ServletHolder(servlet), "/*")
    server = jetty.server.Server(jvm.java.net.InetSocketAddress("127.0.0.1", 0))
    server.setHandler(context)
    return server
