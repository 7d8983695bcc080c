// Writes the files of folder "written" beside it, which programs other than Mediant wrote: node written.mjs, with the packages
//
//	npm install --save-exact @duckdb/node-api@1.5.6-r.1 nodejs-polars@0.26.1 nodejs-polars-linux-x64-gnu@0.26.1 parquet-wasm@0.8.0 apache-arrow@21.2.0
//
// All have the four rows of written_test.go. DuckDB makes them; polars, arrow-rs (parquet-wasm) and the JavaScript library of Arrow read its file and write
// their own.
import { writeFileSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const { DuckDBInstance } = require("@duckdb/node-api");
const polars = require("nodejs-polars");
const rs = require("parquet-wasm");
const arrow = require("apache-arrow");

const folder = fileURLToPath(new URL("./written/", import.meta.url));
const rows = `
  SELECT whole::BIGINT AS whole, id::BIGINT AS id, small::UTINYINT AS small, f32::FLOAT AS f32, f64::DOUBLE AS f64, flag::BOOLEAN AS flag, word::VARCHAR AS word,
    level::ENUM('lo', 'hi') AS level, day::DATE AS day, moment::TIMESTAMP AS moment, utc::TIMESTAMPTZ AS utc, clock::TIME AS clock, dec::DECIMAL(9, 2) AS dec,
    wide::DECIMAL(30, 3) AS wide, emb::FLOAT[2] AS emb, list::BIGINT[] AS list, rec::STRUCT(a BIGINT) AS rec
  FROM (VALUES
    (1, 1234567890123450159, 0, 0.5, 0.1, true, 'a', 'lo', '2024-02-29', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789+00', '01:02:03', 12.34, 12345678901234.125, [1, 2], [1], {a: 1}),
    (NULL, 2, 255, -1.25, NULL, false, 'ü "q",', 'hi', '1969-12-31', '1969-12-31 23:59:59', '1969-12-31 23:59:59+00', '23:59:59.000001', -0.05, -1, [3, 4], [1, 2], {a: 2}),
    (-3, 3, 7, NULL, -2.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (4, 4, 1, 3, 1e100, true, '', 'lo', '2000-01-01', '2000-01-01', '2000-01-01 00:00:00+00', '00:00:00', 100, 0.5, [5, 6], [], {a: NULL})
  ) t(whole, id, small, f32, f64, flag, word, level, day, moment, utc, clock, dec, wide, emb, list, rec)`;

const db = await (await DuckDBInstance.create(":memory:")).connect();
await db.run("SET TimeZone = 'UTC'");
const copy = (name, options) => db.run(`COPY (${rows}) TO '${folder}${name}' (${options})`);
await copy("duckdb-snappy.parquet", "FORMAT parquet, COMPRESSION snappy, PARQUET_VERSION V1");
await copy("duckdb-lz4.parquet", "FORMAT parquet, COMPRESSION lz4_raw, PARQUET_VERSION V2");
await copy("duckdb.jsonl", "FORMAT json");
await copy("duckdb.csv.zst", "FORMAT csv, COMPRESSION zstd");
await copy("base.parquet", "FORMAT parquet, COMPRESSION uncompressed");

const base = folder + "base.parquet";
let df = polars.readParquet(base);
df = df.withColumns(polars.col("level").cast(polars.Categorical), polars.col("utc").alias("zone"));
writeFileSync(folder + "polars-zstd.parquet", df.writeParquet({ compression: "zstd", statistics: false }));
writeFileSync(folder + "polars-brotli.parquet", df.writeParquet({ compression: "brotli", statistics: false }));
writeFileSync(folder + "polars.arrow", df.writeIPC({ compression: "zstd" }));
writeFileSync(folder + "polars-stream.arrow", df.writeIPCStream({ compression: "lz4" }));

const plain = rs.readParquet(readFileSync(base)).intoIPCStream();
const write = (name, compression, version) => {
  const properties = new rs.WriterPropertiesBuilder().setCompression(compression).setWriterVersion(version).setMaxRowGroupSize(3).setStatisticsEnabled(rs.EnabledStatistics.None).build();
  writeFileSync(folder + name, rs.writeParquet(rs.Table.fromIPCStream(plain), properties));
};
write("arrow-rs-gzip.parquet", rs.Compression.GZIP, rs.WriterVersion.V1);
write("arrow-rs-lz4.parquet", rs.Compression.LZ4_RAW, rs.WriterVersion.V2);

const js = arrow.tableFromIPC(plain);
writeFileSync(folder + "arrow-js.arrow", arrow.tableToIPC(js, "file"));
writeFileSync(folder + "arrow-js-stream.arrow", arrow.tableToIPC(js, "stream"));
rmSync(base);
