/** Checks the page that lists the installed packages by licence. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { licencesPage, packagesByLicence, withList } from './licence-list.ts';

const page = readFileSync(fileURLToPath(new URL(`../../${licencesPage}`, import.meta.url)), 'utf8');

test('the list of licences is up to date (else run `npm run list-licences`)', (t) => {
  t.is(withList(page), page);
  t.true(page.includes('`koa`'));
  t.false(page.includes('`ava`'), 'development dependencies are left out');
});

test('lists each installed package once by its licence, and throws for a package without one', (t) => {
  const packages = {
    '': { license: 'MIT' },
    'node_modules/a': { license: 'MIT' },
    'node_modules/b/node_modules/a': { license: 'MIT' },
    'node_modules/@scope/c': { license: 'ISC' },
    'node_modules/tool': { license: 'GPL-3.0', dev: true },
    'src/client': { license: 'MIT' },
    'node_modules/@trunkline/client': { link: true },
  };
  t.deepEqual(
    [...packagesByLicence({ packages })],
    [
      ['ISC', ['@scope/c']],
      ['MIT', ['a']],
    ],
  );
  t.throws(() => packagesByLicence({ packages: { 'node_modules/d': {} } }), {
    message: 'No licence is known for d',
  });
});
