//! Writes the files of Arrow Rust; see README.md. Needs the crates `arrow` and `parquet` of the version that is the argument.

use std::fs::File;
use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

const ROWS: i64 = 125;

fn some<T>(skipped: i64, of: impl Fn(i64) -> T) -> Vec<Option<T>> {
    (0..ROWS)
        .map(|row| if row % skipped == 0 { None } else { Some(of(row)) })
        .collect()
}

fn all<T>(of: impl Fn(i64) -> T) -> Vec<T> {
    (0..ROWS).map(of).collect()
}

fn page_of_nan(row: i64) -> f64 {
    match row {
        40 => f64::NAN,
        41..=59 => (row % 2 * 12 - 5) as f64,
        _ => 1.0,
    }
}

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let words = ["", "z", "\u{e9}", "zz", "\u{1f600}", "\u{ffff}", "~", "A"];
    let doubles = [1.0, f64::NAN, -0.0, 0.0, -2.5, f64::NEG_INFINITY, 1e300];
    let nulls = |row| row % 3 == 0 || row / 40 == 2;
    let decimals = |precision, of: &dyn Fn(i64) -> i128| {
        Arc::new(
            Decimal128Array::from(some(7, of))
                .with_precision_and_scale(precision, 2)
                .unwrap(),
        )
    };
    // Longer than the 64 bytes that are stated for pages, and cut within a character.
    let long = |row| {
        if row % 20 == 0 {
            Some(format!("a{}{row}", "\u{fc}".repeat(40)))
        } else {
            None
        }
    };
    let top = |row| {
        if row % 25 == 0 {
            Some(vec![0xffu8; if row % 50 == 0 { 80 } else { 3 }])
        } else {
            None
        }
    };
    let top = all(top);
    let y: Vec<Option<[u8; 2]>> = some(9, |row| [(row * 37 % 251) as u8, (row % 4) as u8]);
    let y = FixedSizeBinaryArray::try_from_sparse_iter_with_size(y.into_iter(), 2).unwrap();
    vec![
        ("id", Arc::new(Int64Array::from(all(|row| row)))),
        (
            "i",
            Arc::new(Int32Array::from(all(|row| {
                if nulls(row) {
                    None
                } else {
                    Some((row * 31 % 17 - 8) as i32)
                }
            }))),
        ),
        (
            "s",
            Arc::new(StringArray::from(some(5, |row| words[row as usize * 3 % 8]))),
        ),
        (
            "d",
            Arc::new(Float64Array::from(all(|row| {
                if row < 20 {
                    -0.0
                } else {
                    doubles[row as usize % 7]
                }
            }))),
        ),
        // A page begins with NaN, and alone has other numbers than 1.
        ("e", Arc::new(Float64Array::from(all(page_of_nan)))),
        ("n", Arc::new(Float64Array::from(all(|_| f64::NAN)))),
        (
            "f",
            Arc::new(Float32Array::from(some(4, |row| {
                if row % 9 == 8 {
                    0.0
                } else {
                    (row % 9) as f32 * -0.5
                }
            }))),
        ),
        ("m", decimals(30, &|row| ((row * 7919 % 1000 - 500) as i128) << 30)),
        ("m9", decimals(9, &|row| (row * 7919 % 1000 - 500) as i128)),
        ("m18", decimals(18, &|row| ((row % 10 - 5) as i128) << 40)),
        ("b", Arc::new(BooleanArray::from(all(|row| row >= 20 && row % 3 == 0)))),
        (
            "k",
            Arc::new(Int32Array::from(all(|row| {
                if row / 40 == 1 {
                    None
                } else {
                    Some((5 - row) as i32)
                }
            }))),
        ),
        (
            "day",
            Arc::new(Date32Array::from(some(50, |row| (19_000 - row % 31 * 4_000) as i32))),
        ),
        (
            "ms",
            Arc::new(TimestampMillisecondArray::from(all(|row| 1_003 * (row / 8 - 12))).with_timezone("UTC")),
        ),
        (
            "us",
            Arc::new(TimestampMicrosecondArray::from(some(60, |row| 1_000_003 * (row / 8))).with_timezone("UTC")),
        ),
        (
            "x",
            Arc::new(BinaryArray::from_iter_values(all(|row| {
                vec![(row * 37) as u8, (255 - row % 256) as u8]
            }))),
        ),
        ("y", Arc::new(y)),
        ("long", Arc::new(StringArray::from(all(long)))),
        (
            "top",
            Arc::new(BinaryArray::from_iter(top.iter().map(|value| value.as_deref()))),
        ),
        // A dictionary that becomes too large.
        (
            "g",
            Arc::new(StringArray::from(all(|row| {
                if row < 30 {
                    format!("few{}", row % 2)
                } else {
                    format!("text {}", row * 7919 % 9973)
                }
            }))),
        ),
        (
            "u32",
            Arc::new(UInt32Array::from(some(4, |row| row as u32 % 5 * 0x3000_0000))),
        ),
        (
            "u64",
            Arc::new(UInt64Array::from(all(|row| (row as u64 % 5 * 0x3000_0000) << 32))),
        ),
        ("none", Arc::new(Float64Array::from(all(|_| None::<f64>)))),
    ]
}

fn main() {
    let version = std::env::args().nth(1).unwrap();
    let columns = columns();
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), array.null_count() > 0))
        .collect();
    assert!(fields
        .iter()
        .any(|field| *field.data_type() == DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect()).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_size(90)
        .set_data_page_row_count_limit(40)
        .set_write_batch_size(10)
        .set_dictionary_page_size_limit(300)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_ndv(10)
        .set_column_dictionary_enabled(ColumnPath::from("k"), false)
        .build();
    let file = File::create(format!("parquet-rs-{version}.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}
