import { createServer } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createRecordingHandler } from '#src/cluster/recording-handler.ts';
import {
  createProofJudge,
  judgeProof,
  proofOf,
  type ProofVerdict,
  type ProvenRequest,
} from '#src/cluster/node-proof.ts';
import { createSealing } from '#src/persistence/sealing.ts';

const now = 1_800_000_000_000;
const sealing = createSealing(Buffer.alloc(32, 1));
const file = '2026-11/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11.ogg';
const path = `/internal/recordings/${file}`;
const request: ProvenRequest = { method: 'GET', path, range: undefined };
const sound = Buffer.from('0123456789');

const openDoor = async (t: ExecutionContext) => {
  const asked: string[] = [];
  const handler = createRecordingHandler({
    async open(name) {
      asked.push(name);
      return {
        bytes: sound.length,
        read: async (range) => Readable.from([sound.subarray(range?.start, range && range.end + 1)]),
        close: async () => {},
      };
    },
    judge: (asked, proof) => judgeProof(asked, proof, sealing, now),
    logger: pino({ level: 'silent' }),
  });
  const server = createServer((asking, answer) => void handler.answer(asking, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    asked,
    get: (to: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${address.port}${to}`, { headers }),
  };
};

const proven = (asked: ProvenRequest): Record<string, string> => ({
  authorization: proofOf(asked, sealing, now),
  ...(asked.range === undefined ? {} : { range: asked.range }),
});

test('who proves to be a gateway of the house gets the file, or a part of it', async (t) => {
  const { get } = await openDoor(t);
  const whole = await get(path, proven(request));
  t.is(whole.status, 200);
  t.is(await whole.text(), '0123456789');
  const part = await get(path, proven({ ...request, range: 'bytes=2-4' }));
  t.is(part.status, 206);
  t.is(await part.text(), '234');
  t.is((await get(path, proven({ ...request, range: 'bytes=2-10' }))).status, 416);
});

test('without a proof there is nothing, whatever is asked', async (t) => {
  const { asked, get } = await openDoor(t);
  for (const authorization of ['', 'Bearer x', `Node ${now} ${'0'.repeat(64)}`, 'Node  ']) {
    t.is((await get(path, { authorization })).status, 404);
  }
  t.deepEqual(asked, []);
});

test('only the names of recordings are names here', async (t) => {
  const { asked, get } = await openDoor(t);
  for (const name of ['..%2f..%2fmaster-key', '2026-11/..%2fx.ogg', `${file}.part`, '', `x/${file}`]) {
    const other = `/internal/recordings/${name}`;
    t.is((await get(other, proven({ ...request, path: other }))).status, 404, name);
  }
  t.deepEqual(asked, []);
});

const other = test.macro<[Partial<ProvenRequest>, ProofVerdict?, number?]>({
  exec(t, changes, verdict = 'invalid', at = now) {
    const proof = proofOf(request, sealing, now);
    t.is(judgeProof(request, proof, sealing, now), 'valid');
    t.is(judgeProof({ ...request, ...changes }, proof, sealing, at), verdict);
  },
  title: (title = '') => `a proof is good for nothing else: ${title}`,
});

test('another method', other, { method: 'HEAD' });
test('another file', other, { path: `${path}x` });
test('another part', other, { range: 'bytes=0-1' });
test('much later', other, {}, 'expired', now + 121_000);
test('another file, much later', other, { path: `${path}x` }, 'invalid', now + 121_000);
test('much earlier', other, {}, 'expired', now - 121_000);

test('a proof by an earlier master key holds while that key is known, one by a stranger never', (t) => {
  const earlier = proofOf(request, createSealing(Buffer.alloc(32, 9)), now);
  const knowing = createSealing(Buffer.alloc(32, 1), [Buffer.alloc(32, 9)]);
  t.is(judgeProof(request, earlier, knowing, now), 'valid');
  t.is(judgeProof(request, earlier, sealing, now), 'invalid');
});

test('the operator is told of a clock that differs too much, by how much, and once a minute', (t) => {
  const lines: string[] = [];
  let at = now;
  const judge = createProofJudge({
    keys: sealing,
    now: () => at,
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
  const madeAt = (time: number): string => proofOf(request, sealing, time);
  t.is(judge(request, madeAt(now - 120_000)), 'valid');
  t.is(judge(request, 'Node 1 x'), 'invalid');
  t.is(judge(request, proofOf(request, createSealing(Buffer.alloc(32, 9)), now - 200_000)), 'invalid');
  t.deepEqual(lines, []);
  t.is(judge(request, madeAt(now - 200_000)), 'expired');
  t.is(judge(request, madeAt(now - 200_000)), 'expired');
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), { level: 40, difference_ms: -200_000, tolerance_ms: 120_000 });
  t.regex(lines[0] ?? '', /200 s behind the clock of this one/);
  at += 60_000;
  t.is(judge(request, madeAt(at + 300_000)), 'expired');
  t.regex(lines[1] ?? '', /300 s ahead of the clock/);
});
