/** Gateways that share a database, as processes of their own: a call is watched at one that does not hold it. */
import test, { type ExecutionContext } from 'ava';
import type { EventStreamReader } from '#test/helpers/event-stream.ts';
import { until } from '#test/helpers/until.ts';
import {
  oneDatabase,
  place,
  silent,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

/** The states of the conversation that were told. */
const statesOf = ({ events }: EventStreamReader): unknown[] =>
  events.filter(({ event }) => event === 'state').map(({ data }) => data['conversation']);

/** Waits for a state that was not among the first so many. */
const untilState = (stream: EventStreamReader, state: string, behind = 0): Promise<unknown> =>
  until(`the state ${state}`, () => statesOf(stream).slice(behind).includes(state) || undefined);

/** Hangs up: every fact of the call was told once, in order, and then the end. */
const endsWhole = async (t: ExecutionContext, stream: EventStreamReader, holder: Running, callId: string) => {
  const hangup = await holder.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(hangup.status, 202);
  await stream.until('the end', ({ event }) => event === 'end');
  const { body } = await holder.client.get(`/api/v1/calls/${callId}/events`);
  t.deepEqual(
    stream.events.filter(({ event }) => event === 'fact').map(({ data }) => data),
    body['events'],
  );
};

test.serial(
  'a call of another gateway is watched with its states, through the death of that one',
  async (t) => {
    const { start } = await oneDatabase(t);
    const holder = await start('holder');
    // It goes on with no calls, so that the one that is watched goes to a third gateway.
    const showing = await start('showing', { GW_LINES: 'none' });
    const next = await start('next');
    const callId = await place(holder, silent);
    const stream = await showing.watch(callId);
    await untilState(stream, 'replying.speaking');
    // A state is told before what it follows from is stored, and only what is stored can be gone on with.
    await untilStatus(showing, callId, 'active');
    holder.signal('SIGKILL');
    await holder.ended;
    const told = statesOf(stream).length;
    await untilTakenOver(next, callId);
    // The sentence that was cut off is said again.
    await untilState(stream, 'listening.silent', told);
    await endsWhole(t, stream, next, callId);
  },
);

test.serial(
  'no fact is lost or told twice when a call is handed over to the gateway at which it is watched',
  async (t) => {
    const { start } = await oneDatabase(t);
    const leaving = await start('leaving');
    const staying = await start('staying');
    const callId = await place(leaving, silent);
    const stream = await staying.watch(callId);
    await untilState(stream, 'listening.silent');
    leaving.signal('SIGTERM');
    await leaving.ended;
    await untilTakenOver(staying, callId);
    await endsWhole(t, stream, staying, callId);
  },
);
