/** Timers of a process that was frozen or blocked. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { steadyClock } from '#src/clocks.ts';
import { listenOn } from '#test/helpers/listen-on.ts';
import { ownPort } from '#test/helpers/own-port.ts';

/** Blocks the process, like a freeze. */
const freeze = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** A connection whose other end can send before a freeze what is read only after it. */
const startConnection = async (t: ExecutionContext) => {
  const server = createServer();
  t.teardown(() => server.close());
  const port = await ownPort();
  await listenOn(server, port);
  const receiving = connect(port, '127.0.0.1');
  t.teardown(() => receiving.destroy());
  const [sending] = await once(server, 'connection');
  t.teardown(() => sending.destroy());
  return { receiving, send: (): void => void sending.write('an answer') };
};

/** The turn of the event loop after the freeze, with its timers, sockets and immediates. */
const afterFreeze = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};

test.serial('a timer that ran out during a freeze waits until what arrived meanwhile is read', async (t) => {
  const { receiving, send } = await startConnection(t);
  const seen: string[] = [];
  receiving.on('data', () => seen.push('answer'));
  await nextTurn();
  send();
  steadyClock.setTimeout(() => seen.push('time'), 10);
  freeze(600);
  await afterFreeze();
  t.deepEqual(seen, ['answer', 'time']);
});

test.serial('a timer that ran out during a freeze can be stopped by what arrived meanwhile', async (t) => {
  const { receiving, send } = await startConnection(t);
  const seen: string[] = [];
  await nextTurn();
  const timer = steadyClock.setTimeout(() => seen.push('time'), 10);
  receiving.on('data', () => {
    seen.push('answer');
    steadyClock.clearTimeout(timer);
  });
  send();
  freeze(600);
  await afterFreeze();
  t.deepEqual(seen, ['answer']);
});

test.serial('timers that ran out during a freeze run in their order', async (t) => {
  const seen: string[] = [];
  await nextTurn();
  steadyClock.setTimeout(() => seen.push('first'), 10);
  steadyClock.setTimeout(() => seen.push('second'), 550);
  freeze(700);
  await afterFreeze();
  t.deepEqual(seen, ['first', 'second']);
});
