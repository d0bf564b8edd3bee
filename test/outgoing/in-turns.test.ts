import { setImmediate as nextPass } from 'node:timers/promises';
import test from 'ava';
import { inTurns } from '#src/outgoing/in-turns.ts';

const chunk = new Uint8Array(64 * 1024);

/** Whatever is read of it, more is there already. */
async function* flood(chunks: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunks; index += 1) yield chunk;
}

async function* once(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test.serial('however many bodies flood, little of them is read in one pass of the event loop', async (t) => {
  let taken = 0;
  let open = 50;
  const reading = Array.from({ length: open }, async () => {
    for await (const bytes of inTurns(flood(4))) taken += bytes.byteLength;
    open -= 1;
  });
  let most = 0;
  let passes = 0;
  while (open > 0) {
    const before = taken;
    await nextPass();
    most = Math.max(most, taken - before);
    passes += 1;
  }
  await Promise.all(reading);
  t.is(taken, 50 * 4 * chunk.byteLength);
  t.true(most <= 64 * 1024, `${most} bytes in one of ${passes} passes`);
});

test.serial('a body that has only begun does not wait for those that flood', async (t) => {
  const ending = new AbortController();
  const flooding = Array.from({ length: 50 }, async () => {
    for await (const bytes of inTurns(flood(1_000)))
      if (bytes.byteLength === 0 || ending.signal.aborted) return;
  });
  for (let pass = 0; pass < 20; pass += 1) await nextPass();
  let heard = '';
  const reading = (async () => {
    for await (const bytes of inTurns(once('one ', 'two ', 'three'))) heard += Buffer.from(bytes).toString();
  })();
  for (let pass = 0; pass < 8; pass += 1) await nextPass();
  const heardInTime = heard;
  ending.abort();
  await Promise.all([reading, ...flooding]);
  t.is(heardInTime, 'one two three');
});

test.serial('what comes slowly is read as it comes', async (t) => {
  const pieces: string[] = [];
  for await (const bytes of inTurns(once('a', 'b', 'c'))) pieces.push(Buffer.from(bytes).toString());
  t.deepEqual(pieces, ['a', 'b', 'c']);
});

test.serial('the bytes are the same, and an error comes after them', async (t) => {
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield whole;
    throw new Error('the connection was lost');
  }
  const parts: Uint8Array[] = [];
  await t.throwsAsync(
    async () => {
      for await (const bytes of inTurns(broken())) parts.push(bytes);
    },
    { message: 'the connection was lost' },
  );
  t.true(parts.length > 1);
  t.true(whole.equals(Buffer.concat(parts)));
});
