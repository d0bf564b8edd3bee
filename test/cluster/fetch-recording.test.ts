import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createRecordingFetcher } from '#src/cluster/fetch-recording.ts';
import { createRecordingHandler } from '#src/cluster/recording-handler.ts';
import { judgeProof } from '#src/cluster/node-proof.ts';
import { joinNodes } from '#src/persistence/nodes.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { ownDatabase } from '#test/helpers/database.ts';

const now = 1_800_000_000_000;
const keys = createSealing(Buffer.alloc(32, 1));
const file = '2026-11/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11.ogg';
const sound = Buffer.from('0123456789');

/** A gateway that keeps this file, and another one that asks it; each has a clock of its own. */
const twoGateways = async (t: ExecutionContext, { keeperNow = now }: { keeperNow?: number } = {}) => {
  const handler = createRecordingHandler({
    open: async (name) =>
      name === file
        ? {
            bytes: sound.length,
            read: async (range) => Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
            close: async () => {},
          }
        : undefined,
    judge: (asked, proof) => judgeProof(asked, proof, keys, keeperNow),
    logger: pino({ level: 'silent' }),
  });
  const server = createServer((asking, answer) => void handler.answer(asking, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const database = await ownDatabase(t);
  await joinNodes(database, {
    name: 'keeper',
    instance: randomUUID(),
    address: `http://127.0.0.1:${address.port}`,
  });
  await joinNodes(database, { name: 'hidden', instance: randomUUID(), address: null });
  const fetcher = createRecordingFetcher({
    database,
    keys,
    limits: { connectMs: 10_000, stallMs: 10_000, connections: 2 },
    now: () => now,
  });
  t.teardown(async () => {
    await fetcher.close();
    server.close();
  });
  return { fetcher, stop: () => server.close() };
};

test('a recording of another gateway is read whole, and in part', async (t) => {
  const { fetcher } = await twoGateways(t);
  const kept = await fetcher.open('keeper', file);
  t.is(kept?.bytes, 10);
  t.is(kept && (await text(await kept.read())), '0123456789');
  t.is(kept && (await text(await kept.read({ start: 2, end: 4 }))), '234');
});

test('one that it does not have is none', async (t) => {
  const { fetcher } = await twoGateways(t);
  t.is(await fetcher.open('keeper', file.replace('7f9c', '7f9d')), undefined);
});

test('where both clocks differ it is not taken for lost, and the refusal says what to do', async (t) => {
  const { fetcher } = await twoGateways(t, { keeperNow: now + 3_600_000 });
  await t.throwsAsync(fetcher.open('keeper', file), { message: /clock/ });
});

test('a gateway that is gone, or tells nobody where it is, has its recordings only for a while not', async (t) => {
  const { fetcher, stop } = await twoGateways(t);
  await t.throwsAsync(fetcher.open('hidden', file), { message: /GW_NODE_URL/ });
  stop();
  await t.throwsAsync(fetcher.open('keeper', file), { message: /cannot be reached/ });
});
