/** What slots are part of in a rendered text. */
import t from 'tap';
import { placesOf } from '#app/proof/branches/places.js';
import { Slots } from '#app/proof/branches/slots.js';

const slots = new Slots('');
const A = slots.value('a')!;
const SECOND = slots.value('a', 1)!;
const B = slots.value('b')!;
const LOW = slots.low(A);
const NAME = slots.name('c');
const NUMBER = slots.number('d');

/** Each place as `kind token`. */
const CASES: [text: string, ...wanted: string[]][] = [
  ['SELECT 1'],
  [`SELECT id FROM t WHERE x = ${A}`, `value ${A}`],
  [`SELECT ${A}, x`, `item ${A}`],
  [`SELECT x, ${A} FROM t`, `item ${A}`],
  [`SELECT DISTINCT ${A}`, `item ${A}`],
  [`SELECT x + ${A}`, `value ${A}`],
  [`SELECT f(${A}, ${B})`, `value ${A}`, `value ${B}`],
  [`SELECT x FROM t, ${A}`, `value ${A}`],
  [`SELECT x FROM t WHERE y IN (${A}, ${SECOND})`, `value ${A}`, `value ${SECOND}`],
  [`SELECT (SELECT ${A}), x`, `item ${A}`],
  [`SELECT (1), ${A}`, `item ${A}`],
  [`SELECT x FROM t ORDER BY ${A}`, `item ${A}`],
  [`SELECT x FROM t ORDER BY ${A} DESC, ${B}`, `item ${A}`, `item ${B}`],
  [`SELECT x FROM t ORDER BY x ${A}`, `value ${A}`],
  [`SELECT x FROM t ORDER BY lower(${A}), ${B}`, `value ${A}`, `item ${B}`],
  [`SELECT x FROM t order by ${A} LIMIT ${B}`, `item ${A}`, `value ${B}`],
  [`SELECT x FROM t GROUP BY ${A}, ${B} HAVING x = ${A}`, `item ${A}`, `item ${B}`, `value ${A}`],
  [`SELECT x FROM t GROUP BY x ORDER BY y, '${A}'`, `quoted '${A}'`],
  [`SELECT row_number() OVER (PARTITION BY ${A} ORDER BY ${B}), ${A}`, `value ${A}`, `item ${B}`, `item ${A}`],
  [`SELECT array_agg(x ORDER BY ${A}) FROM t WHERE z = ${B}`, `item ${A}`, `value ${B}`],
  [`SELECT x FROM (SELECT y FROM u ORDER BY ${A}) v WHERE w IN (1, ${B})`, `item ${A}`, `value ${B}`],
  [`SELECT x FROM t ORDER BY y UNION SELECT ${A}`, `item ${A}`],
  [`SELECT x FROM t WHERE a = '${A}'`, `literal '${A}'`],
  [`SELECT x FROM t WHERE a LIKE '%${A}%'`, `literal '%${A}%'`],
  [`SELECT x FROM t WHERE a = '${A}''${B}'`, `literal '${A}''${B}'`],
  [`SELECT x FROM t WHERE a = E'\\'${A}'`, `literal E'\\'${A}'`],
  [`SELECT x FROM t WHERE a = $$${A}$$`, `literal $$${A}$$`],
  [`SELECT x FROM t WHERE a = $q$ '${A}' $q$`, `literal $q$ '${A}' $q$`],
  [`SELECT x FROM t WHERE a = B'${A}'`, `literal B'${A}'`],
  [`SELECT x -- ${A}\nFROM t`],
  [`SELECT x /* ${A} /* ${B} */ */ FROM t`],
  [`SELECT "${A}" FROM t`, `name "${A}"`],
  [`SELECT "x""${A}" FROM t`, `name "x""${A}"`],
  [`SELECT col_${A} FROM t`, `name col_${A}`],
  [`SELECT ${A}_id FROM t`, `name ${A}_id`],
  [`SELECT x FROM t LIMIT ${LOW} OFFSET '${LOW}'`, `value ${LOW}`, `literal '${LOW}'`],
  [`SELECT col_${LOW} FROM t`, `name col_${LOW}`],
  [`SELECT x FROM s.${A}`, `value ${A}`],
  [`SELECT ${A}${B} FROM t`, `name ${A}${B}`],
  [`SELECT ${A}::int`, `item ${A}`],
  [`SELECT "${NAME}" FROM t`, `name "${NAME}"`],
  [`SELECT x FROM t LIMIT ${NUMBER}`],
  [`SELECT x FROM t LIMIT ${NUMBER} OFFSET ${A}`, `value ${A}`],
  [`INSERT INTO t VALUES (${A}, '${B}')`, `value ${A}`, `literal '${B}'`],
  [`UPDATE t SET x = ${A} WHERE y = ${B}`, `value ${A}`, `value ${B}`],
]; // prettier-ignore

for (const [text, ...wanted] of CASES)
  t.test(text, (t) => {
    const places = placesOf(text, slots);
    t.strictSame(
      places.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`),
      wanted,
    );
    for (const { start, end, keys } of places)
      t.strictSame(keys, slots.keysIn(text.slice(start, end)));
    t.end();
  });
