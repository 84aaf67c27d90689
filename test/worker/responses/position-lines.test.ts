/** The header lines with the position of a write: a name and a cookie for each database. */
import t from 'tap';
import { PositionLines } from '#app/worker/responses/position-lines.js';
import type { PositionCookies } from '#app/messages/database-settings.js';

const POSITION = { timeline: 1, lsn: 0x3000148n };
const ALIASES = ['shop', 'reports', 'größe', 'Größe', '-_9'];

/** The lines for each of ALIASES, of which the first one is the default. */
function lines(cookies: PositionCookies | undefined): readonly string[] {
  const replication = { maxLag: {}, lsnWait: 0, failoverWait: 0, cookies };
  const positions = new PositionLines({ defaultAlias: 'shop', replication });
  return ALIASES.map((alias) => positions.of(alias, POSITION));
}

t.test('the header', (t) => {
  t.strictSame(lines(undefined), [
    '\r\nService-LSN: 1:0/3000148',
    '\r\nService-LSN: reports=1:0/3000148',
    '\r\nService-LSN: gr%C3%B6%C3%9Fe=1:0/3000148',
    '\r\nService-LSN: Gr%C3%B6%C3%9Fe=1:0/3000148',
    '\r\nService-LSN: -_9=1:0/3000148',
  ]);
  t.end();
});

t.test('the cookie', (t) => {
  const cookies = (own: PositionCookies): readonly string[] =>
    lines(own).map((all) => all.split('\r\nSet-Cookie: ')[1]!);
  const plain = 'Max-Age=60; HttpOnly; SameSite=Lax';
  t.strictSame(cookies({ path: '/', secure: false }), [
    `Service-LSN=1:0/3000148; Path=/; ${plain}`,
    `Service-LSN-reports=1:0/3000148; Path=/; ${plain}`,
    `Service-LSN-gr%C3%B6%C3%9Fe=1:0/3000148; Path=/; ${plain}`,
    `Service-LSN-Gr%C3%B6%C3%9Fe=1:0/3000148; Path=/; ${plain}`,
    `Service-LSN--_9=1:0/3000148; Path=/; ${plain}`,
  ]);
  t.equal(
    cookies({ path: '/api', secure: true })[1],
    `Service-LSN-reports=1:0/3000148; Path=/api; ${plain}; Secure`,
  );
  t.end();
});
