import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { createSoundQueue } from '#src/recordings/sound-queue.ts';

const rate = 16_000;

const silence = (seconds: number) => ({
  counterparty: new Int16Array(seconds * rate),
  agent: new Int16Array(seconds * rate),
});

test('sound is given out by the second, and behind it the end', async (t) => {
  const queue = createSoundQueue();
  queue.push(silence(2.5));
  queue.end('finished');
  const lengths: unknown[] = [];
  for (let piece = await queue.next(); typeof piece !== 'string'; piece = await queue.next())
    lengths.push(piece.map(({ agent }) => agent.length / rate));
  t.deepEqual(lengths, [[1], [1], [0.5]]);
  t.is(await queue.next(), 'finished');
});

test('who asks before there is sound gets it when it comes', async (t) => {
  const queue = createSoundQueue();
  let given: unknown;
  const asking = queue.next().then((piece) => (given = piece));
  await turn();
  t.is(given, undefined);
  queue.push(silence(1));
  await asking;
  t.deepEqual(given, [silence(1)]);
});

test('only the first end counts, and nothing is taken behind it', async (t) => {
  const queue = createSoundQueue();
  queue.end('cut');
  queue.end('finished');
  queue.push(silence(1));
  t.is(await queue.next(), 'cut');
});

test('behind an error nothing is given out any more', async (t) => {
  const queue = createSoundQueue();
  queue.push(silence(1));
  queue.end(new Error('the line broke'));
  await t.throwsAsync(queue.next(), { message: 'the line broke' });
});

test('who need not hurry waits until little waits, or for the end', async (t) => {
  const queue = createSoundQueue();
  queue.push(silence(10));
  await queue.drained();
  queue.push(silence(2));
  const told: string[] = [];
  void queue.drained().then(() => told.push('drained'));
  await queue.next();
  await turn();
  t.deepEqual(told, []);
  await queue.next();
  await turn();
  t.deepEqual(told, ['drained']);
  queue.push(silence(60));
  const waiting = queue.drained();
  queue.end('cut');
  await waiting;
  await queue.drained();
  t.pass();
});

test('more than two minutes may not wait; what was given out does not count', async (t) => {
  const queue = createSoundQueue();
  queue.push(silence(120));
  await queue.next();
  queue.push(silence(1));
  queue.push(silence(1));
  t.deepEqual(await queue.next(), [silence(1)]);
  queue.push(silence(2));
  queue.push(silence(1));
  await t.throwsAsync(queue.next(), { message: 'Encoding does not keep up with the recording' });
});

test('two sides of different length are no sound', async (t) => {
  const queue = createSoundQueue();
  queue.push({ counterparty: new Int16Array(1), agent: new Int16Array(2) });
  await t.throwsAsync(queue.next(), { message: 'The two sides of a recording must have the same length' });
});
