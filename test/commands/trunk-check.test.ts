import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { main, stepReport } from '#src/commands/trunk-check.ts';
import { fakeGateway } from '#test/api/fake-gateway.ts';

const run = async (
  t: ExecutionContext,
  args: readonly string[],
  environment: Record<string, string> = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-check-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const printed: string[] = [];
  const code = await main(args, { GW_DATA_DIR: folder, ...environment }, (text) => void printed.push(text));
  return { code, printed: printed.join('\n') };
};

test('a trunk is named, tried out on the gateway, and reported', async (t) => {
  const { admin, baseUrl, adminToken } = await fakeGateway(t);
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const args = ['check', 'carrier', '--url', `${baseUrl}/`];
  t.deepEqual(await run(t, [...args, '--token', adminToken]), {
    code: 0,
    printed: '✔ options: The trunk answers.\n',
  });
  t.is((await run(t, args, { GW_ADMIN_TOKEN: adminToken })).code, 0);
  await t.throwsAsync(run(t, ['check', 'other', '--url', baseUrl, '--token', adminToken]), {
    message: 'There is no trunk named "other" (there are: carrier)',
  });
  await t.throwsAsync(run(t, [...args, '--token', 'wrong']), { message: /^The gateway answers 401: / });
});

test('what failed is in the exit code', async (t) => {
  const { admin, baseUrl, adminToken } = await fakeGateway(t, {
    tryTrunk: async () => [{ step: 'call', result: 'failed', sentence: 'It is full.', ladder: [] }],
  });
  await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const { code, printed } = await run(t, ['check', 'carrier', '--url', baseUrl, '--token', adminToken]);
  t.is(code, 1);
  t.is(printed, '✘ call: It is full.\n');
});

test('the messages are drawn as a ladder', (t) => {
  t.is(
    stepReport({
      step: 'registration',
      result: 'ok',
      sentence: 'The trunk took the registration.',
      ladder: [
        { at_ms: 0, direction: 'out', message: 'REGISTER sip:sip.example.com' },
        { at_ms: 31, direction: 'in', message: '200 OK' },
      ],
    }),
    [
      '✔ registration: The trunk took the registration.',
      '       0 ms  gateway ──▶ trunk  REGISTER sip:sip.example.com',
      '      31 ms  gateway ◀── trunk  200 OK',
      '',
    ].join('\n'),
  );
});

test('what is called wrongly says how it is called', async (t) => {
  const usage = { message: /npm run trunk -- check NAME/ };
  await t.throwsAsync(run(t, []), usage);
  await t.throwsAsync(run(t, ['check']), usage);
  await t.throwsAsync(run(t, ['mend', 'carrier']), usage);
  await t.throwsAsync(run(t, ['check', 'carrier', '--nonsense']), { message: /nonsense/ });
  await t.throwsAsync(run(t, ['check', 'carrier']), { message: /give --url and --token/ });
  await t.throwsAsync(run(t, ['check', 'carrier', '--url', 'http://127.0.0.1:9', '--token', 'x']), {
    message: 'There is no gateway at http://127.0.0.1:9',
  });
  t.regex((await run(t, ['--help'])).printed, /Tries a trunk out/);
});

test('the trunks that a call would take are listed in their order', async (t) => {
  const { baseUrl, adminToken, asked, workspaceId, number } = await fakeGateway(t);
  const args = ['route', '+82 10-0000-0001', '--url', baseUrl, '--token', adminToken];
  t.deepEqual(await run(t, [...args, '--from', number.number]), {
    code: 0,
    printed: [
      '+821000000001',
      '  1. carrier (+8210): sip.example.com:5060',
      '  –  second: left out (drained)',
      '',
    ].join('\n'),
  });
  t.deepEqual(asked, [['routeTo', { workspaceId, trunkId: null, to: '01000000001' }]]);
  await t.throwsAsync(run(t, [...args, '--from', '01099999999']), { message: /^The gateway answers 400: / });
  await t.throwsAsync(run(t, ['route', '12', '--url', baseUrl, '--token', adminToken]), {
    message: /^The gateway answers 400: /,
  });
});

test('where no trunk would carry the call, the exit code says so', async (t) => {
  const { baseUrl, adminToken } = await fakeGateway(t, {
    routeTo: () => ({ number: '+821000000001', trunks: [], leftOut: [], sentence: 'There is none.' }),
  });
  t.deepEqual(await run(t, ['route', '01000000001', '--url', baseUrl, '--token', adminToken]), {
    code: 1,
    printed: '+821000000001: There is none.\n',
  });
});
