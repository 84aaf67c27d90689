/**
 * What a service exports, read with the messages that OpenTelemetry publishes for Python (opentelemetry-proto): nothing is
 * unknown to them, and they have what our own reader of the schema has. Skipped where PyPI or Python's venv is missing.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PythonTools } from '../../describe/client/python-tools.js';
import { startCollector } from '../../support/collector.js';
import { startPostgres } from '../../support/postgres.js';
import { startService } from '../../support/service.js';

const READ = `
import glob
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

spans = []
for name in sorted(glob.glob("*.pb")):
    data = open(name, "rb").read()
    request = ExportTraceServiceRequest.FromString(data)
    known = ExportTraceServiceRequest.FromString(data)
    known.DiscardUnknownFields()
    assert known.SerializeToString() == request.SerializeToString(), "unknown members"
    for of_resource in request.resource_spans:
        resource = {a.key: a.value for a in of_resource.resource.attributes}
        assert resource["service.name"].string_value == "sql-rest-service"
        assert resource["process.pid"].int_value > 0
        for scope in of_resource.scope_spans:
            assert scope.scope.name == "sql-rest-service"
            spans += scope.spans
assert all(len(s.trace_id) == 16 and len(s.span_id) == 8 for s in spans)
assert all(0 < s.start_time_unix_nano <= s.end_time_unix_nano for s in spans)
servers = [s for s in spans if s.kind == Span.SPAN_KIND_SERVER]
for span in spans:
    if span not in servers:
        assert any(span.parent_span_id == s.span_id and span.trace_id == s.trace_id for s in servers)
failed = [s for s in servers if s.status.code == Status.STATUS_CODE_ERROR]
remote = [s for s in servers if s.flags == 0x301]
print(len(spans), len(servers), len(failed), len(remote))
`;

t.setTimeout(280_000);

const tools = new PythonTools(t, 'opentelemetry-proto');

t.test('the official schema', { skip: tools.missing ?? false }, async (t) => {
  const { url: database } = await startPostgres(t);
  const { collector, endpoint } = await startCollector(t);
  const service = await startService(t, {
    database,
    scripts: { 'a/one.read.sql': 'SELECT 1 AS one', 'a/bad.read.sql': 'TABLE nothing' },
    config: { 'http.processes': 2, 'trace.endpoint': endpoint, 'trace.ratio': 1 },
  });
  for (let i = 0; i < 10; i++) t.equal((await service.ask('a/one')).status, 200);
  t.equal((await service.ask('a/bad')).status, 500);
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await service.ask('/tables', { headers: { traceparent } });
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  for (const [i, body] of collector.bodies.entries())
    writeFileSync(join(tools.folder, `${i}.pb`), body);
  writeFileSync(join(tools.folder, 'read.py'), READ);
  const { status, text } = tools.run('python3', 'read.py');
  t.equal(status, 0, text);
  t.match(text, new RegExp(`^${collector.spans.length} 12 1 1$`, 'm'));
});
