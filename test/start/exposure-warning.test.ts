import test from 'ava';
import { exposureWarning } from '#src/start/exposure-warning.ts';

for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '::ffff:127.0.0.1'])
  test(`nobody is warned of ${host}, which only this machine reaches`, (t) => {
    t.is(exposureWarning({ host, databaseUrl: null }), undefined);
  });

for (const host of ['0.0.0.0', '::', '192.168.1.5', 'gateway.example.com', '127.example.com'])
  test(`who starts a trial on ${host} is told that others reach it`, (t) => {
    const warning = exposureWarning({ host, databaseUrl: null }) ?? '';
    t.true(warning.includes(`${host} (GW_HOST)`));
    t.regex(warning, /dev-credentials\.json/);
  });

test('a gateway with a database server of its own is meant to be reached', (t) => {
  t.is(exposureWarning({ host: '0.0.0.0', databaseUrl: 'postgresql://db/trunkline' }), undefined);
});
