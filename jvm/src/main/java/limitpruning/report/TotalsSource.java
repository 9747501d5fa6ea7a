package limitpruning.report;

import java.util.function.ToLongFunction;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;

/**
 * The totals of an application as a source of Spark's metrics. Spark's sinks (Prometheus, JMX, …) show them
 * as <code>limitPruning.…</code> of the driver. This is Java code, because the interface is private to Spark
 * in Scala.
 */
final class TotalsSource {
  private TotalsSource() {}

  /** Adds values to the metrics of the application that runs in this JVM. */
  static void register(String[] names, ToLongFunction<String> valueOf) {
    MetricRegistry registry = new MetricRegistry();
    for (String name : names) {
      registry.register(name, (Gauge<Long>) () -> valueOf.applyAsLong(name));
    }
    SparkEnv.get().metricsSystem().registerSource(new Source() {
      @Override
      public String sourceName() {
        return "limitPruning";
      }

      @Override
      public MetricRegistry metricRegistry() {
        return registry;
      }
    });
  }
}
