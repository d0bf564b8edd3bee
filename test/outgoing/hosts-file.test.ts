import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openHostsFile, parseHosts } from '#src/outgoing/hosts-file.ts';

test('names have the addresses of their lines, whatever else is in the file', (t) => {
  const hosts = parseHosts(
    '# 1.1.1.1 nobody\n127.0.0.1\tlocalhost\r\n::1 localhost ip6-localhost # here\n\n10.0.0.7  Agent agent.internal\nnonsense x\n',
  );
  t.deepEqual(Object.fromEntries(hosts), {
    localhost: ['127.0.0.1', '::1'],
    'ip6-localhost': ['::1'],
    agent: ['10.0.0.7'],
    'agent.internal': ['10.0.0.7'],
  });
});

test('the file is read again when it was changed, and may be absent', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-hosts-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'hosts');
  const hosts = openHostsFile(path);
  t.deepEqual(hosts('agent'), []);
  await writeFile(path, '10.0.0.7 agent');
  t.deepEqual(hosts('agent'), ['10.0.0.7']);
  await writeFile(path, '10.0.0.77 agent');
  t.deepEqual(hosts('agent'), ['10.0.0.77']);
  await rm(path);
  t.deepEqual(hosts('agent'), []);
});
