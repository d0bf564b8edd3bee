import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { readAgentCa } from '#src/start/agent-ca.ts';
import { emptyFolder } from './gateway-process.ts';

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

test('certificates are read where there are some', async (t) => {
  t.is(await readAgentCa(null), undefined);
  const file = join(await emptyFolder(t), 'ca.pem');
  await writeFile(file, certificate);
  t.is(await readAgentCa(file), certificate);
});

test('a file that is missing or holds no certificate stops the start with its setting and path', async (t) => {
  const folder = await emptyFolder(t);
  await t.throwsAsync(readAgentCa(join(folder, 'missing.pem')), {
    instanceOf: StartError,
    message: `GW_AGENT_CA_FILE cannot be read: ${join(folder, 'missing.pem')}`,
  });
  const key = join(folder, 'key.pem');
  await writeFile(key, '-----BEGIN PRIVATE KEY-----\nhush-hush\n-----END PRIVATE KEY-----\n');
  await t.throwsAsync(readAgentCa(key), {
    instanceOf: StartError,
    message: `GW_AGENT_CA_FILE holds no certificate in PEM form: ${key}`,
  });
});
