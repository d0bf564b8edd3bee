/**
 * `Idempotency-Key` and a gateway that is killed while it is asked: the promise of guides/design/wire.md, "Repeated
 * requests", with a real process.
 */
import test from 'ava';
import { z } from 'zod';
import { apiClient } from '#test/helpers/api-client.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { serverSettings, startedGateway } from '#test/start/gateway-process.ts';

const requests = 40;
/** Moments between the first answer and the kill. */
const kills = [0, 10, 25, 50, 100];

const placedCall = z.object({ call_id: z.uuid(), status: z.literal('ringing') });

test('whenever a gateway is killed, a repeated request gets its one call', async (t) => {
  const settings = await serverSettings(t);
  const databaseUrl = settings['GW_DATABASE_URL'] ?? '';
  const keys: { key: string; callId: string | undefined }[] = [];

  for (const [round, killAfterMs] of kills.entries()) {
    const gateway = await startedGateway(t, settings);
    const { base_url, number_key } = gateway.credentials;
    const client = apiClient(base_url, number_key);
    let first = true;
    const asked = Array.from({ length: requests }, async (_, index) => {
      const key = `round ${round}, request ${index}`.replaceAll(/[ ,]+/g, '-');
      const answer = await client
        .post('/api/v1/calls', { to: '01000000004' }, { 'Idempotency-Key': key })
        .catch(() => undefined);
      if (answer !== undefined && first) {
        first = false;
        setTimeout(() => gateway.signal('SIGKILL'), killAfterMs);
      }
      keys.push({ key, callId: answer && placedCall.parse(answer.body).call_id });
    });
    await Promise.all([...asked, gateway.ended]);
  }

  const gateway = await startedGateway(t, settings);
  const client = apiClient(gateway.credentials.base_url, gateway.credentials.number_key);
  const callIds = new Set<string>();
  for (const { key, callId } of keys) {
    const { status, body } = await client.post(
      '/api/v1/calls',
      { to: '01000000004' },
      { 'Idempotency-Key': key },
    );
    t.is(status, 201);
    const repeated = placedCall.parse(body).call_id;
    if (callId !== undefined) t.is(repeated, callId);
    callIds.add(repeated);
  }
  t.is(callIds.size, keys.length);
  const [row] = await runStatement(databaseUrl, 'select count(*)::int as calls from call');
  t.deepEqual(row, { calls: keys.length }, 'no request has placed a second call');
  const lost = keys.filter(({ callId }) => callId === undefined).length;
  t.true(lost > 0, 'some requests have lost their answer');
  t.log(`${lost} of ${keys.length} requests lost their answer`);
});
