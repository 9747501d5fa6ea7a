import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.TimestampType.TIMESTAMP_MICROS;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static io.trino.spi.type.VarcharType.VARCHAR;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.trino.parquet.writer.ParquetSchemaConverter;
import io.trino.parquet.writer.ParquetWriter;
import io.trino.parquet.writer.ParquetWriterOptions;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.io.FileOutputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.parquet.format.CompressionCodec;

/** Writes the files of Trino; see README.md. Needs io.trino:trino-parquet of the version that is the argument. */
public class MakeTrino {
  private record Column(Type type, IntFunction<Object> value) {}

  private static final double NAN = Double.NaN;

  public static void main(String[] arguments) throws Exception {
    String version = arguments[0];
    write("trino-" + version, version, few(), 8, ParquetWriterOptions.builder().build());
    // Several pages and row groups, and dictionaries that become too large.
    ParquetWriterOptions small =
        ParquetWriterOptions.builder()
            .setMaxPageValueCount(50)
            .setMaxPageSize(DataSize.ofBytes(1024))
            .setMaxBlockSize(DataSize.ofBytes(12 * 1024))
            .setBatchSize(50)
            .build();
    write("trino-" + version + "-pages", version, many(), 1000, small);
  }

  private static Map<String, Column> few() {
    List<Long> numbers = Arrays.asList(1L, null, 2L, null, 3L, 4L, null, 5L);
    List<String> texts = Arrays.asList("a", null, "b", null, "c", "a", null, "b");
    List<Double> doubles = List.of(1.0, NAN, 2.0, 3.0, NAN, 3.0, 2.5, 2.0);
    long[] cents = {-150, 225, 0, -700};
    String[] words = {"", "z", "\u00e9", "zz", "\ud83d\ude00", "\uffff", "~", "A"};
    Map<String, Column> columns = new LinkedHashMap<>();
    columns.put("id", new Column(BIGINT, row -> (long) row));
    columns.put("i", new Column(BIGINT, numbers::get));
    columns.put("s", new Column(VARCHAR, row -> text(texts.get(row))));
    columns.put("d", new Column(DOUBLE, doubles::get));
    columns.put("n", new Column(DOUBLE, row -> NAN));
    columns.put("m", new Column(DecimalType.createDecimalType(9, 2), row -> cents[row % 4]));
    columns.put("m18", new Column(DecimalType.createDecimalType(18, 2), row -> cents[row % 4] << 32));
    columns.put("m38", new Column(DecimalType.createDecimalType(38, 2), row -> wide(cents[row % 4])));
    columns.put("w", new Column(VARCHAR, row -> text(words[row])));
    columns.put("x", new Column(VARBINARY, row -> Slices.wrappedBuffer(new byte[] {(byte) (row * 37), (byte) -row})));
    columns.put("b", new Column(BOOLEAN, row -> row == 3 ? null : (Object) (row % 2 == 0)));
    columns.put("k", new Column(INTEGER, row -> (long) (row * 7 % 5 - 2)));
    columns.put("f", new Column(REAL, row -> (long) Float.floatToIntBits(row == 0 ? -0.0f : row % 3)));
    columns.put("day", new Column(DATE, row -> 19_000L - row * 30_000L));
    columns.put("ts", new Column(TIMESTAMP_MICROS, row -> row == 5 ? null : (Object) (1_000_003L * (row - 4))));
    return columns;
  }

  private static Map<String, Column> many() {
    Map<String, Column> columns = new LinkedHashMap<>();
    columns.put("id", new Column(INTEGER, row -> (long) row));
    columns.put("i", new Column(INTEGER, row -> row % 3 == 0 ? null : (Object) (long) (row * 31 % 17 - 8)));
    columns.put("s", new Column(VARCHAR, row -> row / 100 == 3 ? null : text("v" + row * 7919L % 1000)));
    columns.put("m", new Column(DecimalType.createDecimalType(38, 2), row -> wide(row * 7919L % 1000 - 500)));
    // Longer than the 1,024 bytes that are stated.
    columns.put("long", new Column(VARCHAR, row -> row % 100 == 0 ? text("\u00fc".repeat(1100) + row) : null));
    columns.put("g", new Column(VARCHAR, row -> text(row < 100 ? "few" + row % 2 : "a long text " + row * 7919L)));
    columns.put("none", new Column(DOUBLE, row -> null));
    return columns;
  }

  private static Slice text(String value) {
    return value == null ? null : Slices.utf8Slice(value);
  }

  private static Int128 wide(long value) {
    return Int128.valueOf(BigInteger.valueOf(value).shiftLeft(64));
  }

  private static void write(
      String name, String version, Map<String, Column> columns, int rows, ParquetWriterOptions options)
      throws Exception {
    List<Type> types = columns.values().stream().map(Column::type).toList();
    ParquetSchemaConverter schema =
        new ParquetSchemaConverter(types, List.copyOf(columns.keySet()), false, false);
    try (FileOutputStream out = new FileOutputStream(name + ".parquet");
        ParquetWriter writer =
            new ParquetWriter(
                out,
                schema.getMessageType(),
                schema.getPrimitiveTypes(),
                options,
                CompressionCodec.SNAPPY,
                version,
                Optional.empty(),
                Optional.empty())) {
      Block[] blocks =
          columns.values().stream().map(column -> block(column, rows)).toArray(Block[]::new);
      writer.write(new Page(blocks));
    }
  }

  private static Block block(Column column, int rows) {
    BlockBuilder builder = column.type().createBlockBuilder(null, rows);
    for (int row = 0; row < rows; row++) {
      TypeUtils.writeNativeValue(column.type(), builder, column.value().apply(row));
    }
    return builder.build();
  }
}
