/** packaging/kubernetes.yaml fits the schemas of Kubernetes, has no unknown fields, and configures this service. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IConfigMap, IService } from 'kubernetes-models/v1';
import t from 'tap';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { makeLoader } from '../commands/config/load-config.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

type Kind = new (manifest: Manifest) => { validate(): void };

const FILE = new URL('../../../packaging/kubernetes.yaml', import.meta.url);
const manifests = parseAllDocuments(readFileSync(FILE, 'utf8')).map((one) => {
  t.strictSame(one.errors, []);
  return one.toJS() as Manifest;
});
const [configuration, deployment, service, disruption, autoscaler] = manifests as unknown as [
  IConfigMap,
  IDeployment,
  IService,
  IPodDisruptionBudget,
  IHorizontalPodAutoscaler,
];
const { metadata, spec: pod } = deployment.spec!.template;
const container = pod!.containers[0]!;

t.test('each fits its schema', async (t) => {
  const kinds = [
    'ConfigMap',
    'Deployment',
    'Service',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
  ];
  t.strictSame(
    manifests.map(({ kind }) => kind),
    kinds,
  );
  for (const manifest of manifests) {
    const module = await moduleOf(manifest);
    t.doesNotThrow(() => new module(manifest).validate(), manifest.kind);
  }
});

t.test('no field is unknown', (t) => {
  t.strictSame(problemsOf(manifests), []);
  const misspelt = JSON.stringify(deployment).replace('"image":', '"imagee":');
  t.match(problemsOf([JSON.parse(misspelt) as Manifest]), [/imagee/]);
  t.end();
});

t.test('names, labels and ports belong together', (t) => {
  const labels = metadata!.labels!;
  t.strictSame(deployment.spec!.selector.matchLabels, labels);
  t.strictSame(service.spec!.selector, labels);
  t.strictSame(disruption.spec!.selector!.matchLabels, labels);
  t.equal(autoscaler.spec.scaleTargetRef.name, deployment.metadata!.name);
  t.equal(service.spec!.ports![0]!.targetPort, container.ports![0]!.name);
  const volumes = pod!.volumes!.map(({ name }) => name);
  t.strictSame(
    container.volumeMounts!.map(({ name }) => name),
    volumes,
  );
  const mounted = pod!.volumes!.map(({ configMap }) => configMap?.name);
  t.ok(mounted.includes(configuration.metadata!.name));
  t.end();
});

t.test('the service takes its configuration, and ends within the grace period', (t) => {
  const text = configuration.data!['service.toml']!;
  const { loaded, problems } = makeLoader(t).load(text, { env: { SERVICE_PG_PASS: 'secret' } });
  t.strictSame(problems, []);
  const { config } = loaded!;
  t.equal(config['http.port'], container.ports![0]!.containerPort);
  t.ok(pod!.terminationGracePeriodSeconds! * 1_000 > config['http.grace'] + 5_000);
  t.end();
});

async function moduleOf({ apiVersion, kind }: Manifest): Promise<Kind> {
  const module = (await import(`kubernetes-models/${apiVersion}`)) as Record<string, Kind>;
  return module[kind]!;
}

/** What TypeScript finds wrong with manifests as literals of the types that are made from the schemas. */
function problemsOf(checked: readonly Manifest[]): string[] {
  const lines = checked.map((manifest, i) => {
    const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`;
    return `export const manifest${i}: ${type} = ${JSON.stringify(manifest)};`;
  });
  const file = fileURLToPath(new URL('manifests.mts', import.meta.url));
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), version) : read(name, version);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
