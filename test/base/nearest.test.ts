/** The known name that a mistyped one resembles: a typing error is found, another word is not. */
import t from 'tap';
import { nearest, similar } from '#app/base/nearest.js';

const KNOWN = ['name', 'tag', 'state', 'customer', 'id', '_page', '_page_size', 'body.file'];

/** A name, and the known one that it resembles; none for another word. */
const CASES: readonly [name: string, similar?: string][] = [
  ['nope'],
  ['page_number'],
  ['size'],
  ['a'],
  ['if'],
  ['tga_'],
  ['statistics'],
  ['cust'],
  ['costumers_'],
  ['constructor'],
  ['ile'],
  ['😀😀'],
  [''],
  ['nmae', 'name'],
  ['anme', 'name'],
  ['naem', 'name'],
  ['nam', 'name'],
  ['names', 'name'],
  ['game', 'name'],
  ['tga', 'tag'],
  ['tags', 'tag'],
  ['stat', 'state'],
  ['satte', 'state'],
  ['status', 'state'],
  ['custmer', 'customer'],
  ['costumer', 'customer'],
  ['cutsomer', 'customer'],
  ['cutsmer', 'customer'],
  ['ID', 'id'],
  ['Customer', 'customer'],
  ['CUSTMOER', 'customer'],
  ['page', '_page'],
  ['pagesize', '_page_size'],
  ['file', 'body.file'],
];

for (const [name, wanted] of CASES)
  t.test(`${name} resembles ${wanted ?? 'none'}`, (t) => {
    t.equal(similar(name, KNOWN), wanted);
    t.end();
  });

t.test('fewer edits, and letters for each of them', (t) => {
  t.equal(similar('tagss', ['tags', 'tag']), 'tags', 'the fewest edits');
  t.equal(similar('tagged', ['flagged', 'bagged', 'ragged']), 'bagged', 'the first of those');
  t.equal(similar('tags', [], 1), undefined, 'nothing is known');
  t.equal(similar('all', ['call']), 'call');
  t.equal(similar('all', ['call'], 4), undefined, 'one edit for four letters');
  t.end();
});

t.test('the nearest name, however far it is', (t) => {
  t.equal(nearest('port', ['pg.host', 'http.port', 'ports']), 'http.port');
  t.equal(nearest('nope', ['name', 'state']), 'name');
  t.end();
});
