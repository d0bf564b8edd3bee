import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { licencesPage, packagesByLicence, withList } from './helpers/licence-list.ts';

const page = readFileSync(fileURLToPath(new URL(`../${licencesPage}`, import.meta.url)), 'utf8');

test('the page of the licences lists what is installed; `npm run list-licences` makes it', (t) => {
  t.is(withList(page), page);
  t.true(page.includes('`koa`'));
  t.false(page.includes('`ava`'), 'what only developers install is none of it');
});

test('packages are found wherever they lie, once, and one without a licence is a mistake', (t) => {
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
    message: 'Nobody knows the licence of d',
  });
});
