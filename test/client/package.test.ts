/**
 * The published package as used by its users: packed, installed in an empty folder without a network, and run from
 * there.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import type * as clientModule from '#src/client/client.ts';
import { consoleTest } from '#test/console/in-browser.ts';
import { sendJson, startAgentServer } from '#test/helpers/agent-server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));

const plainJavaScript = `
import { createClient, TrunklineProblem } from '@trunkline/client';
const client = createClient({ baseUrl: process.argv[2], key: 'gw_live_1' });
const { calls } = await client.listCalls({ limit: 1 });
console.log(JSON.stringify({ calls, isClass: typeof TrunklineProblem }));
`;

const typedConsumer = `
import { createClient, pagesOf, TrunklineProblem, type Call, type Client } from '@trunkline/client';

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

/** An empty folder in which the tarball was installed, as a user does it. */
let folder = '';
let packedPaths: string[] = [];

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-package-'));
  const pack = [
    'pack',
    '--workspace',
    '@trunkline/client',
    '--json',
    '--silent',
    '--pack-destination',
    folder,
  ];
  const { stdout } = await run('npm', pack, { cwd: root });
  const [tarball] = packed.parse(JSON.parse(stdout));
  packedPaths = tarball?.files.map(({ path }) => path) ?? [];
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  await run('npm', [...install, `./${tarball?.filename}`], { cwd: folder });
});

test.after.always(() => rm(folder, { recursive: true, force: true }));

/** The Node version of this process, and the machine's own if it differs. */
const nodes = (): string[] => {
  const ownFolders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((each) => !each.includes('node_modules'));
  const found = ownFolders.map((each) => join(each, 'node')).find((path) => existsSync(path));
  return [process.execPath, ...(found === undefined || found === process.execPath ? [] : [found])];
};

test('packs only the client, without dependencies', async (t) => {
  t.deepEqual(packedPaths.filter((path) => !/^dist\/[\w-]+(\.d\.ts|\.js)$/.test(path)).toSorted(), [
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  t.true(packedPaths.includes('dist/client.js'));
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
  t.deepEqual(installed, ['@trunkline']);
  t.deepEqual(await readdir(join(folder, 'node_modules/@trunkline')), ['client']);
  const [licence, ofPackage] = await Promise.all(
    ['LICENSE', 'src/client/LICENSE'].map((path) => readFile(join(root, path), 'utf8')),
  );
  t.is(ofPackage, licence);
});

test('runs the installed client as plain JavaScript', async (t) => {
  const server = await startAgentServer(sendJson({ calls: [], next_cursor: null }));
  t.teardown(server.close);
  await writeFile(join(folder, 'use.js'), plainJavaScript);
  for (const node of nodes()) {
    const used = await run(node, ['use.js', new URL(server.url).origin], { cwd: folder });
    t.deepEqual(JSON.parse(used.stdout), { calls: [], isClass: 'function' });
    t.log((await run(node, ['--version'])).stdout.trim());
  }
});

test('provides types with the installed client', async (t) => {
  await writeFile(join(folder, 'consumer.ts'), typedConsumer);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const checked = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  t.is(checked.stdout, '');
});

consoleTest(
  'a web page uses the client to place a call, watch it and play its recording',
  async (t, world) => {
    const page = await world.open();
    await page.route('**/client/*.js', async (route) => {
      const name = new URL(route.request().url()).pathname.replace('/client/', '');
      const body = await readFile(join(folder, 'node_modules/@trunkline/client/dist', name), 'utf8');
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    const heard = await page.evaluate(
      async ({ key, place }) => {
        const { createClient, TrunklineProblem }: typeof clientModule = await import(place);
        const client = createClient({ baseUrl: '', key });
        const { call_id } = await client.createCall({ body: { to: '01000000001' } });
        const types: string[] = [];
        for await (const news of client.watchCall({ call_id }))
          types.push(news.type === 'fact' ? news.event.type : news.type);
        const recording = await client.getRecording({ call_id });
        const refusal: unknown = await client.getCall({ call_id: 'x' }).catch((error: unknown) => error);
        return {
          types,
          bytes: (await recording.arrayBuffer()).byteLength,
          code: refusal instanceof TrunklineProblem ? refusal.code : refusal,
        };
      },
      { key: world.gateway.credentials.number_key, place: '/client/client.js' },
    );
    for (const type of ['state', 'turn.spoken', 'call.ended', 'recording.completed'])
      t.true(heard.types.includes(type), type);
    t.true(heard.bytes > 1_000);
    t.is(heard.code, 'call_not_found');
  },
  { GW_RECORDINGS_FORMAT: 'ogg' },
);
