/** Differences that few scripts show; test/cli/contract-diff.test.ts has the others. */
import t from 'tap';
import type {
  ColumnContract,
  ParameterContract,
  ScriptContract,
} from '#app/describe/contract/contract.js';
import { diffContracts } from '#app/describe/contract/contract-diff.js';
import { readContract, writeContract } from '#app/describe/contract/contract-text.js';

const COLUMN: ColumnContract = { name: 'id', types: ['integer'], nullable: false, always: true };
const PARAMETER: ParameterContract = { name: 'by', types: [], required: false, list: false };
const SCRIPT: ScriptContract = {
  script: 'stock/shop/list',
  verb: 'read',
  verdict: 'proved',
  deprecated: false,
  strict: false,
  paths: [{ path: '/_QUERIES/stock/shop/list', methods: ['GET', 'HEAD'] }],
  parameters: [],
  response: { shape: 'list', status: 200, headers: [] },
  columns: [COLUMN],
};

const withParameters = (...parameters: Partial<ParameterContract>[]): Partial<ScriptContract> => ({
  parameters: parameters.map((one) => ({ ...PARAMETER, ...one })),
});
const isA = '`by` is "a"';

const CASES: readonly (readonly [
  old: Partial<ScriptContract>,
  now: Partial<ScriptContract>,
  changes: readonly string[],
])[] = [
  [{}, { columns: null }, ['!the columns of the result are not known any more']],
  [{ columns: null }, {}, []],
  [{ columns: [] }, { columns: null }, []],
  [
    withParameters({ neededWhen: '`to` is sent' }),
    withParameters({ neededWhen: '`from` is sent' }),
    ['!the parameter `by` is needed when `from` is sent, and was when `to` is sent'],
  ],
  [
    withParameters({ required: true }),
    withParameters({ neededWhen: '`to` is sent' }),
    ['the parameter `by` is needed only when `to` is sent'],
  ],
  [
    withParameters({ neededWhen: '`to` is sent' }),
    withParameters({}),
    ['the parameter `by` is not needed any more when `to` is sent'],
  ],
  [
    {},
    withParameters({}, { name: 'least', neededWhen: '`by` is not sent' }),
    [
      '!the parameter `least` is new, and needed when `by` is not sent',
      'the parameter `by` is new',
    ],
  ],
  [
    {},
    withParameters({}, { name: 'least', neededWhen: '`by` is not "date"' }),
    [
      '!the parameter `least` is new, and needed when `by` is not "date"',
      'the parameter `by` is new',
    ],
  ],
  [
    withParameters({ required: true }),
    withParameters({ default: '5' }),
    ['the parameter `by` is not required any more'],
  ],
  [
    withParameters({}),
    withParameters({}, { name: 'least', neededWhen: isA }),
    [`!the parameter \`least\` is new, and needed when ${isA}`],
  ],
  [
    withParameters({ max: '2026-12-31' }),
    withParameters({ max: '10000-01-01' }),
    ['the parameter `by` has max=10000-01-01 now, and had 2026-12-31'],
  ],
  [{}, { verb: 'write' }, ['!the script is gone', 'new script']],
  [{ deprecated: true }, {}, ['the script is not deprecated any more']],
];

for (const [old, now, changes] of CASES)
  t.test(changes.join('; ') || 'no change', (t) => {
    const [before, after] = [old, now].map((part) =>
      readContract(writeContract({ format: 1, scripts: [{ ...SCRIPT, ...part }] })),
    );
    const found = diffContracts(before!, after!);
    t.strictSame(
      found.map(({ breaking, message }) => `${breaking ? '!' : ''}${message}`),
      changes,
    );
    t.end();
  });
