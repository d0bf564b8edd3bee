/** The inspector of a gateway that does not hold the call it is asked for. */
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import {
  oneDatabase,
  place,
  silent,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

const message = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  rootId: z.string(),
  sessionId: z.string(),
  snapshot: z.looseObject({ value: z.unknown().optional() }).optional(),
});

const addressOf = ({ url, adminToken }: Running, callId: string): string =>
  `${url.replace(/^http/, 'ws')}/inspect?${new URLSearchParams({ token: adminToken, call: callId }).toString()}`;

const inspect = async (t: ExecutionContext, gateway: Running, callId: string) => {
  const socket = new WebSocket(addressOf(gateway, callId));
  t.teardown(() => socket.terminate());
  const seen: z.infer<typeof message>[] = [];
  let raw = '';
  socket.on('message', (data: Buffer) => {
    seen.push(message.parse(JSON.parse(data.toString())));
    raw += data.toString();
  });
  await once(socket, 'open');
  const roots = (): string[] => [...new Set(seen.map(({ rootId }) => rootId))];
  return {
    seen,
    roots,
    raw: () => raw,
    closed: once(socket, 'close'),
    /** A state of the conversation at the gateway that tells so many-th. */
    untilConversing: (gateways: number, state: string) =>
      until(`${state} at gateway ${gateways}`, () => {
        const rootId = roots()[gateways - 1];
        const conversations = new Set(
          seen.filter(({ name }) => name === 'conversation').map(({ sessionId }) => sessionId),
        );
        return seen.some(
          (told) =>
            told.rootId === rootId &&
            conversations.has(told.sessionId) &&
            JSON.stringify(told.snapshot?.value) === state,
        )
          ? true
          : undefined;
      }),
  };
};

/** The status of the answer that lets nobody in. */
const refusal = async (address: string): Promise<number> => {
  const [error] = await once(new WebSocket(address), 'error').catch((reason: unknown) => [reason]);
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};

test('a call is inspected at any gateway, through the death of the one that holds it', async (t) => {
  const { start } = await oneDatabase(t);
  const inspected = { GW_INSPECT: '1' };
  const holder = await start('holder', inspected);
  // It goes on with no calls, so that the one that is inspected goes to a third gateway.
  const showing = await start('showing', { ...inspected, GW_LINES: 'none' });
  const next = await start('next', inspected);
  const callId = await place(holder, silent);
  await untilStatus(showing, callId, 'active');
  const onlooker = await inspect(t, showing, callId);
  await onlooker.untilConversing(1, '{"listening":"silent"}');

  holder.signal('SIGKILL');
  await holder.ended;
  await untilTakenOver(next, callId);
  await onlooker.untilConversing(2, '{"listening":"silent"}');
  const told = await next.client.get(`/api/v1/calls/${callId}/transcript`);
  const turns = z.array(z.object({ text: z.string() })).parse(told.body['transcript']);
  const hangup = await next.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(hangup.status, 202);
  const [code] = await onlooker.closed;
  t.is(code, 1000);
  t.true(onlooker.seen.some(({ snapshot }) => snapshot?.value === 'completed'));
  t.is(onlooker.roots().length, 2);

  t.true(turns.length > 0);
  for (const secret of [silent, ...turns.map(({ text }) => text)]) t.false(onlooker.raw().includes(secret));
  t.is(await refusal(addressOf(showing, callId)), 404, 'the call is over');
  t.is(await refusal(addressOf(showing, crypto.randomUUID())), 404);
});
