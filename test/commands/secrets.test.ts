/** A change of the master key from its beginning to its end: gateways, and the operator's command between them. */
import test from 'ava';
import { z } from 'zod';
import { main } from '#src/commands/admin.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { finalStatuses, testGateway, testSettings } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

const masterKey = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

const answer = z.object({
  secrets: z.array(z.object({ kind: z.string(), resealed: z.number(), unreadable: z.number() })),
  admin_tokens_waiting: z.array(z.looseObject({ name: z.string() })),
});

test('a new master key takes over step by step, and the old one is then not needed any more', async (t) => {
  const server = await startAgentServer(sendReply('Good day.'));
  t.teardown(server.close);
  const url = await testDatabaseUrl(t);
  const folder = await emptyFolder(t);
  const changing = { GW_MASTER_KEY: masterKey(8), GW_OLD_MASTER_KEYS: masterKey(7) };
  const start = (keys: Record<string, string>) =>
    testGateway(t, { GW_DATABASE_URL: url, GW_DATA_DIR: folder, ...keys });
  const reseal = async (...options: string[]): Promise<string> => {
    const printed: string[] = [];
    const settings = { ...testSettings(url, folder), ...changing };
    await main(['secrets', 'reseal', ...options], settings, (text) => void printed.push(text));
    return printed.join('\n');
  };
  const resealed = async () => answer.parse(JSON.parse(await reseal('--json')));

  const before = await start({ GW_MASTER_KEY: masterKey(7) });
  t.is(
    (
      await before.admin.put(`${before.numberPath}/agents/outbound`, {
        agent: 'endpoint',
        agent_type: 'webhook',
        chat_url: server.url,
        token: 'for-the-agent',
      })
    ).status,
    200,
  );
  await before.close();

  const during = await start(changing);
  const first = await resealed();
  t.deepEqual(
    first.secrets.map(({ kind, resealed: count }) => [kind, count]),
    [
      ['number_keys', 1],
      ['agent_tokens', 1],
      ['handshake_secrets', 0],
      ['trunk_passwords', 0],
      ['webhook_secrets', 0],
      ['call_keys', 0],
    ],
  );
  t.deepEqual(
    first.admin_tokens_waiting.map(({ name }) => name),
    ['dev-credentials.json'],
  );
  t.regex(
    await reseal(),
    /\nkeys of numbers +0 +0\n[^]*These admin tokens change over .*"dev-credentials\.json"/,
  );
  t.is((await during.client.get('/api/v1/calls')).status, 200);
  t.is((await during.admin.get('/api/v1/admin/numbers')).status, 200);
  await until('the token has changed over', async () =>
    (await resealed()).admin_tokens_waiting.length === 0 ? true : undefined,
  );
  t.regex(await reseal(), /Nothing needs an older master key any more/);
  await during.close();

  const after = await start({ GW_MASTER_KEY: masterKey(8) });
  t.deepEqual(after.credentials.number_key, before.credentials.number_key);
  t.is((await after.client.get('/api/v1/calls')).status, 200);
  t.is((await after.admin.get('/api/v1/admin/numbers')).status, 200);
  await after.untilStatus(await after.call('01000000007'), ...finalStatuses);
  t.is(server.requests[0]?.headers.authorization, 'Bearer for-the-agent');
});
