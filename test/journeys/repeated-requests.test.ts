/**
 * `Idempotency-Key` and a gateway that is killed while it is asked: the promise of guides/design/wire.md, "Repeated
 * requests", with a real process.
 */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { apiClient, type ApiClient, type ApiResponse } from '#test/helpers/api-client.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { serverSettings, startedGateway } from '#test/start/gateway-process.ts';

/** Keys of a round, and how often each is asked with at the same time. */
const keysAtOnce = 14;
const twins = 3;
/** Moments between the first answer and the kill. */
const kills = [0, 10, 25, 50, 100];

const placedCall = z.object({ call_id: z.uuid(), status: z.literal('ringing') });

/** The call that was placed, or `undefined`: there was no answer, or that of a request whose twin is under way. */
const placedBy = (t: ExecutionContext, answer: ApiResponse | undefined): string | undefined => {
  if (answer === undefined) return undefined;
  if (answer.status === 201) return placedCall.parse(answer.body).call_id;
  t.like(answer, { status: 409, body: { code: 'idempotency_in_progress' } });
  return undefined;
};

const ask = (client: ApiClient, key: string): Promise<ApiResponse> =>
  client.post('/api/v1/calls', { to: '01000000004' }, { 'Idempotency-Key': key });

test('whenever a gateway is killed, a repeated request gets its one call', async (t) => {
  const settings = await serverSettings(t);
  const databaseUrl = settings['GW_DATABASE_URL'] ?? '';
  const asked: { key: string; callId: string | undefined; isLost: boolean }[] = [];

  for (const [round, killAfterMs] of kills.entries()) {
    const gateway = await startedGateway(t, settings);
    const client = apiClient(gateway.credentials.base_url, gateway.credentials.number_key);
    let first = true;
    const asking = Array.from({ length: keysAtOnce * twins }, async (_, index) => {
      const key = `round-${round}-key-${index % keysAtOnce}`;
      const answer = await ask(client, key).catch(() => undefined);
      if (answer !== undefined && first) {
        first = false;
        setTimeout(() => gateway.signal('SIGKILL'), killAfterMs);
      }
      asked.push({ key, callId: placedBy(t, answer), isLost: answer === undefined });
    });
    await Promise.all([...asking, gateway.ended]);
  }

  const gateway = await startedGateway(t, settings);
  const client = apiClient(gateway.credentials.base_url, gateway.credentials.number_key);
  const calls = new Map<string, string>();
  for (const { key, callId } of asked) {
    const answer = await ask(client, key);
    t.is(answer.status, 201);
    const repeated = placedBy(t, answer) ?? '';
    t.is(repeated, callId ?? repeated);
    t.is(repeated, calls.get(key) ?? repeated, 'twins have one call');
    calls.set(key, repeated);
  }
  t.is(new Set(calls.values()).size, keysAtOnce * kills.length);
  const [row] = await runStatement(databaseUrl, 'select count(*)::int as calls from call');
  t.deepEqual(row, { calls: calls.size }, 'no request has placed a second call');
  const lost = asked.filter(({ isLost }) => isLost).length;
  t.true(lost > 0, 'some requests have lost their answer');
  t.log(`${lost} of ${asked.length} requests lost their answer`);
});
