/** Cookies with positions become the header Service-LSN; of all other cookies nothing is kept. */
import t from 'tap';
import { readHead } from '#app/serve/http/transport/request-head.js';

type Fields = readonly (readonly [name: string, value: string])[];

function packed(fields: Fields): string {
  const request = {
    forEach: (field: (name: string, value: string) => void) => {
      for (const [name, value] of fields) field(name, value);
    },
  };
  return readHead(request as unknown as Parameters<typeof readHead>[0]).packed;
}

t.test('cookies of other programs', (t) => {
  // prettier-ignore
  const cookies = [
    '', ';', 'a=b', 'service-lsn=1:0/1', 'Service-LSN=', 'Service-LSN=x', 'Service-LSN=0/1', 'Service-LSN="1:0/1"', 'Service-LSN=1:0/1x',
    'Service-LSN=1:0/1, 1:0/2', 'Service-LSN =1:0/1', 'XService-LSN=1:0/1', 'a=Service-LSN=1:0/1', 'a= Service-LSN=1:0/1', 'Service-LSN-=1:0/1',
    'Service-LSNa=1:0/1', 'Service-LSN-a(b)=1:0/1', 'Service-LSN-%zz=1:0/1', 'Service-LSN-%c3%b6=1:0/1', 'Service-LSN-ö=1:0/1',
    'Service-LSN-a=reports=1:0/1', `Service-LSN-${'a'.repeat(9_000)}`, `;${' '.repeat(9_000)}`, ';'.repeat(9_000),
  ];
  for (const cookie of cookies)
    t.equal(packed([['cookie', cookie]]), '', JSON.stringify(cookie.slice(0, 40)));
  t.end();
});

t.test('positions', (t) => {
  const cases: readonly (readonly [cookie: string, header: string])[] = [
    ['Service-LSN=1:0/3000148', '1:0/3000148'],
    ['a=b; Service-LSN=1:0/1; c=d', '1:0/1'],
    ['Service-LSN-reports=1:0/2', 'reports=1:0/2'],
    ['Service-LSN-a.b=1:0/2', 'a.b=1:0/2'],
    ['Service-LSN-a%28b%29=1:0/2', 'a%28b%29=1:0/2'],
    ['Service-LSN-gr%C3%B6%C3%9Fe=1:ab/2 ;x=y', 'gr%C3%B6%C3%9Fe=1:ab/2'],
    ['Service-LSN=1:0/1;Service-LSN-reports=1:0/2', '1:0/1, reports=1:0/2'],
    ['Service-LSN=x; Service-LSN-a-b=1:0/2; Service-LSN=1:0/1', 'a-b=1:0/2, 1:0/1'],
  ];
  for (const [cookie, header] of cases) {
    t.equal(packed([['cookie', cookie]]), `service-lsn\n${header}`, cookie);
    t.equal(packed([['accept', '*/*']]), 'accept\n*/*', 'nothing is left for the next request');
  }
  t.end();
});

t.test('with a header, and in several', (t) => {
  t.equal(
    packed([
      ['cookie', 'Service-LSN=1:0/1'],
      ['service-lsn', 'reports=1:0/2'],
      ['cookie', 'Service-LSN-reports=1:0/3'],
    ]),
    'service-lsn\nreports=1:0/2\nservice-lsn\n1:0/1, reports=1:0/3',
  );
  t.end();
});
