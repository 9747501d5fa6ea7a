import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.example.GroupWriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** Writes the files of parquet-java; see README.md. Needs org.apache.parquet:parquet-hadoop of the version that is the argument. */
public class MakeParquetMr {
  private static final int ROWS = 300;
  private static final int FIRST_PAGE_INDEXES = 11; // 1.11
  private static final int FIRST_BLOOM_FILTERS = 12; // 1.12

  private static final class Builder extends ParquetWriter.Builder<Group, Builder> {
    Builder(Path file) {
      super(file);
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    protected WriteSupport<Group> getWriteSupport(Configuration configuration) {
      return new GroupWriteSupport();
    }
  }

  public static void main(String[] arguments) throws Exception {
    String version = arguments[0];
    int minor = Integer.parseInt(version.split("\\.")[1]);
    Map<String, IntFunction<Object>> columns = columns(minor);
    StringBuilder text = new StringBuilder("message q {");
    columns.keySet().forEach(column -> text.append(column).append(';'));
    MessageType schema = MessageTypeParser.parseMessageType(text.append('}').toString());

    Configuration configuration = new Configuration();
    configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem"); // writes no checksums
    GroupWriteSupport.setSchema(schema, configuration);
    // Row groups and pages end where the writer checks their sizes: at the earliest after 100 rows.
    Builder builder =
        new Builder(new Path("parquet-mr-" + version + ".parquet"))
            .withConf(configuration)
            .withCompressionCodec(CompressionCodecName.GZIP)
            .withRowGroupSize((minor < FIRST_PAGE_INDEXES ? 15 : 9) * 1024)
            .withPageSize(minor < FIRST_PAGE_INDEXES ? 512 : 64)
            .withDictionaryPageSize(512)
            .withDictionaryEncoding(true);
    if (minor >= FIRST_BLOOM_FILTERS) {
      for (int field = 0; field < schema.getFieldCount(); field++) {
        String name = schema.getFieldName(field);
        if (!schema.getType(field).asPrimitiveType().getPrimitiveTypeName().name().equals("BOOLEAN")) {
          set(builder, "withBloomFilterEnabled", name, true);
          set(builder, "withBloomFilterNDV", name, 20L);
        }
      }
    }
    try (ParquetWriter<Group> writer = builder.build()) {
      Object[] row = columns.values().toArray();
      for (int number = 0; number < ROWS; number++) {
        Group group = new SimpleGroup(schema);
        for (int field = 0; field < row.length; field++) {
          @SuppressWarnings("unchecked")
          Object value = ((IntFunction<Object>) row[field]).apply(number);
          add(group, field, value);
        }
        writer.write(group);
      }
    }
  }

  private static Map<String, IntFunction<Object>> columns(int minor) {
    String[] words = {"", "z", "\u00e9", "zz", "\ud83d\ude00", "\uffff", "~", "A"};
    double[] doubles = {1.0, Double.NaN, -0.0, 0.0, -2.5, Double.NEGATIVE_INFINITY, 1e300};
    Map<String, IntFunction<Object>> columns = new LinkedHashMap<>();
    columns.put("required int64 id", row -> (long) row);
    columns.put("optional int32 i", row -> row % 3 == 0 || row / 100 == 2 ? null : (Object) (row * 31 % 17 - 8));
    columns.put("optional binary s (UTF8)", row -> row % 5 == 0 ? null : Binary.fromString(words[row * 3 % 8]));
    columns.put("required double d", row -> row < 100 ? -0.0 : doubles[row % doubles.length]);
    // The second page begins with NaN, and alone has other numbers than 1.
    columns.put("required double e", row -> row < 90 || row > 149 ? 1.0 : row < 111 ? Double.NaN : row % 2 * 12 - 5.0);
    columns.put("required double n", row -> Double.NaN);
    columns.put("optional float f", row -> row % 4 == 0 ? null : (Object) (row % 9 == 8 ? 0.0f : row % 9 * -0.5f));
    columns.put("optional fixed_len_byte_array(13) m (DECIMAL(30,2))", row -> fixed(row * 7919L % 1000 - 500, 13));
    columns.put("optional int32 m9 (DECIMAL(9,2))", row -> row % 7 == 0 ? null : (Object) (row * 7919 % 1000 - 500));
    columns.put("optional int64 m18 (DECIMAL(18,2))", row -> (row % 10 - 5L) << 40);
    columns.put("optional binary mb (DECIMAL(38,2))", row -> row % 6 == 0 ? null : shortest(row % 40 * 77L - 1000));
    columns.put("required boolean b", row -> row >= 100 && row % 3 == 0);
    columns.put("optional int32 k", row -> row / 100 == 1 ? null : (Object) (5 - row)); // descending
    columns.put("optional int32 day (DATE)", row -> row % 50 == 0 ? null : (Object) (19_000 - row % 31 * 4_000));
    columns.put("optional int64 ms (TIMESTAMP_MILLIS)", row -> 1_003L * (row / 8 - 40));
    if (minor > 8) { // the first with this type
      columns.put("optional int64 us (TIMESTAMP_MICROS)", row -> row == 5 ? null : (Object) (1_000_003L * (row / 8)));
    }
    columns.put("optional binary x", row -> bytes(row * 37, -row));
    columns.put("optional fixed_len_byte_array(2) y", row -> row % 9 == 0 ? null : bytes(row * 37 % 251, row % 4));
    // Longer than the 64 bytes that are stated for pages, and cut within a character.
    columns.put("optional binary long (UTF8)", row -> row % 20 == 0 ? Binary.fromString("a" + "\u00fc".repeat(40) + row) : null);
    // Bytes without a successor.
    columns.put("optional binary top", row -> row % 25 == 0 ? top(row / 25 % 2 == 0 ? 80 : 3) : null);
    columns.put("optional binary g (UTF8)", row -> Binary.fromString(row < 100 ? "few" + row % 2 : "text " + row * 7919L % 9973));
    columns.put("optional int32 u8 (UINT_8)", row -> row * 3 % 256);
    columns.put("optional int32 u32 (UINT_32)", row -> row % 4 == 0 ? null : (Object) (row % 8 * 0x3000_0000));
    columns.put("optional int64 u64 (UINT_64)", row -> (row % 8 * 0x3000_0000L) << 32);
    columns.put("required int96 t", row -> int96(row % 12));
    columns.put("optional double none", row -> null);
    return columns;
  }

  private static void add(Group group, int field, Object value) {
    if (value instanceof Boolean) {
      group.add(field, (boolean) value);
    } else if (value instanceof Integer) {
      group.add(field, (int) value);
    } else if (value instanceof Long) {
      group.add(field, (long) value);
    } else if (value instanceof Float) {
      group.add(field, (float) value);
    } else if (value instanceof Double) {
      group.add(field, (double) value);
    } else if (value instanceof Binary) {
      group.add(field, (Binary) value);
    }
  }

  private static Binary bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int at = 0; at < values.length; at++) {
      bytes[at] = (byte) values[at];
    }
    return Binary.fromByteArray(bytes);
  }

  private static Binary top(int length) {
    int[] values = new int[length];
    Arrays.fill(values, 0xff);
    return bytes(values);
  }

  private static Binary shortest(long value) {
    return Binary.fromByteArray(BigInteger.valueOf(value).toByteArray());
  }

  private static Binary fixed(long value, int length) {
    byte[] bytes = BigInteger.valueOf(value).shiftLeft(30).toByteArray();
    byte[] padded = new byte[length];
    Arrays.fill(padded, (byte) (value < 0 ? -1 : 0));
    System.arraycopy(bytes, 0, padded, length - bytes.length, bytes.length);
    return Binary.fromByteArray(padded);
  }

  private static Binary int96(int hour) {
    ByteBuffer buffer = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(hour * 3_600_000_000_000L).putInt(2_440_588 + 19_000 - hour).flip();
    return Binary.fromByteArray(buffer.array());
  }

  /** Calls a method that old versions do not have. */
  private static void set(Builder builder, String name, String column, Object value) throws Exception {
    Class<?> type = value instanceof Boolean ? boolean.class : long.class;
    Method method = ParquetWriter.Builder.class.getMethod(name, String.class, type);
    method.invoke(builder, column, value);
  }
}
