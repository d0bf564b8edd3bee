/** What is published, as its users have it: packed, unpacked into a folder of theirs, used without this tree. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { sendJson, startAgentServer } from '#test/helpers/agent-server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));

const plainJavaScript = `
import { createClient, TrunklineProblem } from 'trunkline/client';
const client = createClient({ baseUrl: process.argv[2], key: 'gw_live_1' });
const { calls } = await client.listCalls({ limit: 1 });
console.log(JSON.stringify({ calls, isClass: typeof TrunklineProblem }));
`;

const typedConsumer = `
import { createClient, pagesOf, TrunklineProblem, type Call, type Client } from 'trunkline/client';

const client: Client = createClient({ baseUrl: 'https://gateway.example.com', key: () => 'gw_live_1' });

export const reasonOf = async (callId: string): Promise<Call['end_reason']> => {
  const { call_id } = await client.createCall({ body: { to: '01000000001' }, 'idempotency-key': callId });
  for await (const news of client.watchCall({ call_id }, { signal: AbortSignal.timeout(1000) }))
    if (news.type === 'fact') console.log(news.event.type, news.event.t_offset_sec);
    else console.log(news.state.conversation?.length);
  for await (const { calls } of pagesOf(client.listCalls, { direction: 'outbound' })) console.log(calls[0]?.id);
  const recording: Response = await client.getRecording({ call_id });
  await client.deleteTrunk({ id: String(recording.status) }).catch((error: unknown) => {
    if (error instanceof TrunklineProblem && error.code === 'not_found') console.log(error.errors[0]?.path);
  });
  await client.listNumbers();
  return (await client.getCall({ call_id })).end_reason;
};

// @ts-expect-error The number to call is missing.
export const withoutNumber = client.createCall({ body: {} });
// @ts-expect-error There is no such filter.
export const byColour = pagesOf(client.listCalls, { colour: 'red' });
// @ts-expect-error There is no such operation.
export const flown = client.flyAway();
`;

const tsconfig = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  },
  files: ['consumer.ts'],
};

test('the packed client runs as plain JavaScript and is typed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-package-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const [tarball] = packed.parse(JSON.parse(stdout));
  const paths = tarball?.files.map(({ path }) => path) ?? [];
  t.deepEqual(paths.filter((path) => !/^dist\/client\/[\w-]+(\.d\.ts|\.js)$/.test(path)).toSorted(), [
    'LICENSE',
    'README.md',
    'package.json',
  ]);

  // Unpacked by hand: an installation would fetch the packages of the gateway, which the client needs none of.
  const installed = join(folder, 'node_modules', 'trunkline');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, tarball?.filename ?? ''), '--strip-components=1', '-C', installed]);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');

  const server = await startAgentServer(sendJson({ calls: [], next_cursor: null }));
  t.teardown(server.close);
  await writeFile(join(folder, 'use.js'), plainJavaScript);
  const used = await run(process.execPath, ['use.js', new URL(server.url).origin], { cwd: folder });
  t.deepEqual(JSON.parse(used.stdout), { calls: [], isClass: 'function' });

  await writeFile(join(folder, 'consumer.ts'), typedConsumer);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const checked = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  t.is(checked.stdout, '');
});
