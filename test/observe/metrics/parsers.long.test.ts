/**
 * A scrape of a running service, read by programs of others: the parsers of Prometheus's client for Python, of which that of
 * OpenMetrics is strict, Google's protobuf with the messages of Prometheus, and promtool where it is installed. Where PyPI or
 * Python's venv is missing, the first two are skipped.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PythonTools } from '../../describe/client/python-tools.js';
import { startPostgres } from '../../support/postgres.js';
import { without } from '../../support/programs.js';
import { metricsUrl } from '../../support/scrape.js';
import { startService } from '../../support/service.js';

/** Parses both texts, and compares them. */
const TEXTS = `
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

families = {family.name: family for family in openmetrics(open("open.txt").read())}
plain = {family.name: family for family in prometheus(open("plain.txt").read())}
for name, family in families.items():
    assert family.documentation, name
    assert family.unit == "" or name.endswith(family.unit), name
    other = plain.get(name) or plain[name + "_info"]
    assert {s.name for s in family.samples} == {s.name for s in other.samples}, name
requests = families["http_server_request_duration_seconds"]
counts = [s.value for s in requests.samples if s.name.endswith("_count")]
print(len(families), int(sum(counts)))
`;

/** Reads the protobuf format with messages made here from their numbers, and adds the native buckets up. */
const PROTOBUF = `
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.decoder import _DecodeVarint32

file = descriptor_pb2.FileDescriptorProto(name="metrics.proto", package="p", syntax="proto2")
F = descriptor_pb2.FieldDescriptorProto
def message(name, *fields):
    made = file.message_type.add(name=name)
    for number, field, kind, label in fields:
        one = made.field.add(name=field, number=number, label=label)
        if isinstance(kind, str):
            one.type, one.type_name = F.TYPE_MESSAGE, ".p." + kind
        else:
            one.type = kind
ONE, MANY = F.LABEL_OPTIONAL, F.LABEL_REPEATED
message("LabelPair", (1, "name", F.TYPE_STRING, ONE), (2, "value", F.TYPE_STRING, ONE))
message("Number", (1, "value", F.TYPE_DOUBLE, ONE))
message("Bucket", (1, "cumulative_count", F.TYPE_UINT64, ONE), (2, "upper_bound", F.TYPE_DOUBLE, ONE))
message("BucketSpan", (1, "offset", F.TYPE_SINT32, ONE), (2, "length", F.TYPE_UINT32, ONE))
message("Histogram", (1, "sample_count", F.TYPE_UINT64, ONE), (2, "sample_sum", F.TYPE_DOUBLE, ONE),
    (3, "bucket", "Bucket", MANY), (5, "schema", F.TYPE_SINT32, ONE), (6, "zero_threshold", F.TYPE_DOUBLE, ONE),
    (7, "zero_count", F.TYPE_UINT64, ONE), (12, "positive_span", "BucketSpan", MANY),
    (13, "positive_delta", F.TYPE_SINT64, MANY))
message("Metric", (1, "label", "LabelPair", MANY), (2, "gauge", "Number", ONE), (3, "counter", "Number", ONE),
    (7, "histogram", "Histogram", ONE))
message("MetricFamily", (1, "name", F.TYPE_STRING, ONE), (2, "help", F.TYPE_STRING, ONE),
    (3, "type", F.TYPE_INT32, ONE), (4, "metric", "Metric", MANY), (5, "unit", F.TYPE_STRING, ONE))
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
MetricFamily = message_factory.GetMessageClass(pool.FindMessageTypeByName("p.MetricFamily"))

data, at, families, requests = open("metrics.pb", "rb").read(), 0, 0, 0
while at < len(data):
    length, at = _DecodeVarint32(data, at)
    family = MetricFamily.FromString(data[at:at + length])
    assert not family._unknown_fields() if hasattr(family, "_unknown_fields") else True
    at += length
    families += 1
    assert family.help and family.metric, family.name
    for metric in family.metric:
        kind = {0: "counter", 1: "gauge", 4: "histogram"}[family.type]
        assert metric.HasField(kind), family.name
        if kind != "histogram": continue
        h = metric.histogram
        assert h.schema == 2 and h.zero_threshold > 0, family.name
        spans, index, count, total = list(h.positive_span), 0, 0, h.zero_count
        buckets = []
        for span in spans:
            index += span.offset
            buckets += [index + i for i in range(span.length)]
            index += span.length
        assert len(buckets) == len(h.positive_delta), family.name
        at_most = {b.upper_bound: h.zero_count for b in h.bucket}
        for index, delta in zip(buckets, h.positive_delta):
            count += delta
            assert count > 0
            total += count
            for bound in at_most:
                if 2 ** (index / 4) <= bound * 1.0000001: at_most[bound] += count
        assert total == h.sample_count, family.name
        assert all(b.cumulative_count == at_most[b.upper_bound] for b in h.bucket), family.name
        if family.name == "http_server_request_duration_seconds": requests += h.sample_count
print(families, requests)
`;

const ACCEPT = {
  'plain.txt': 'text/plain;version=0.0.4',
  'open.txt': 'application/openmetrics-text;version=1.0.0',
  'metrics.pb':
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited',
};

t.setTimeout(280_000);

const tools = new PythonTools(t, 'prometheus-client', 'protobuf');

t.test('a scrape', { skip: tools.missing ?? false }, async (t) => {
  const { url: database } = await startPostgres(t);
  const service = await startService(t, {
    database,
    scripts: { 'shop/one.read.sql': 'SELECT pg_sleep({{sqlVal "s"}}::float)' },
    config: { 'http.processes': 2, 'metrics.listen': '127.0.0.1:0' },
  });
  const url = await metricsUrl(service);
  for (const s of ['0', '0.001', '0.01', '0.1', '0.3', 'x']) await service.ask(`shop/one?s=${s}`);
  await service.ask('/nope"\\');
  for (const [file, accept] of Object.entries(ACCEPT)) {
    const response = await fetch(url, { headers: { accept } });
    writeFileSync(join(tools.folder, file), Buffer.from(await response.arrayBuffer()));
  }
  for (const [name, program] of Object.entries({ TEXTS, PROTOBUF })) {
    writeFileSync(join(tools.folder, 'read.py'), program);
    const { status, text } = tools.run('python3', 'read.py');
    t.equal(status, 0, `${name}: ${text}`);
    t.match(text, /^\d+ 7$/m, name);
  }
  await t.test('promtool', { skip: without('promtool') }, async (t) => {
    const text = await (await fetch(url)).text();
    const checked = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    // OpenTelemetry's conventions have gauges with names that promtool would leave to histograms.
    t.strictSame(
      (checked.stdout + checked.stderr).trim().split('\n'),
      ['db_client_connection_count', 'process_open_file_descriptor_count'].map(
        (name) => `${name} non-histogram and non-summary metrics should not have "_count" suffix`,
      ),
    );
  });
});
