"""The only module that calls the driver's JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CLASS = "limitpruning.report.ReportBridge"

# The JVM side by SparkContext, once found: py4j searches all of Spark's JARs for a class name.
_found: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


class ReportBridge:
    """The reports of the extension, in plain types: booleans, numbers and JSON text.

    Spark loads the JARs of ``spark.jars`` with a class loader that py4j's ``jvm`` view does not
    search. So this class uses the context class loader of the JVM's thread.
    """

    def __init__(self, spark: SparkSession) -> None:
        """Bind to `spark`, a classic session; the first one finds the JVM side."""
        # pyspark declares these as optional or not at all; a classic session has both.
        session: Any = spark
        self._session = session._jsparkSession
        context = session.sparkContext
        self._java = _found.get(context) or _new_instance(session._jvm, context._gateway)
        if self._java is not None:
            _found[context] = self._java

    def is_active(self) -> bool:
        """Return whether the extension is loaded in this session."""
        return self._java is not None and bool(self._java.isActive(self._session))

    def report(self, df: DataFrame) -> str:
        """Return the pruning report of a query as JSON; the query is planned if necessary."""
        frame: Any = df
        return str(self._java.report(frame._jdf.queryExecution()))

    def inspect(self, df: DataFrame) -> Any:
        """Return the JVM's Inspection of the table of a query with one LIMIT."""
        frame: Any = df
        return self._java.inspect(frame._jdf.queryExecution(), self._session)

    def history(self) -> str:
        """Return the reports of the last queries of the application as JSON."""
        return str(self._java.history(self._session))

    def totals(self) -> str:
        """Return the totals of the application as JSON."""
        return str(self._java.totals(self._session))

    def version(self) -> str:
        """Return the version of the JAR."""
        return str(self._java.version())


def delete_folder(spark: SparkSession, path: str) -> None:
    """Delete a folder and its contents, on the file system where Spark finds the path."""
    session: Any = spark
    folder = session._jvm.org.apache.hadoop.fs.Path(path)
    conf = session._jsparkSession.sessionState().newHadoopConf()
    folder.getFileSystem(conf).delete(folder, True)


def _new_instance(jvm: Any, gateway: Any) -> Any:
    from py4j.protocol import Py4JJavaError

    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        bridge = loader.loadClass(_CLASS)
    except Py4JJavaError as error:
        if "ClassNotFoundException" in str(error.java_exception):
            return None
        raise
    constructor = bridge.getDeclaredConstructor(gateway.new_array(jvm.java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(jvm.java.lang.Object, 0))
