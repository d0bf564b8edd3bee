import { Worker } from 'node:worker_threads';
import test from 'ava';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';

const counting = (from: number, count: number): Int16Array =>
  Int16Array.from({ length: count }, (_, index) => from + index);

const readAll = (ring: SampleRing, count: number): number[] => {
  const frame = new Int16Array(count);
  return Array.from(frame.subarray(0, ring.read(frame)));
};

test('what is written is read in its order, around the end of the memory, too', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 6)), 6);
  t.deepEqual(readAll(ring, 4), [0, 1, 2, 3]);
  t.is(ring.write(counting(6, 5)), 5);
  t.is(ring.waiting, 7);
  t.deepEqual(readAll(ring, 20), [4, 5, 6, 7, 8, 9, 10]);
  t.deepEqual(readAll(ring, 20), []);
});

test('no more is taken than there is room for, and nothing is overwritten', (t) => {
  const ring = new SampleRing(ringMemory(8));
  t.is(ring.write(counting(0, 12)), 8);
  t.is(ring.write(counting(50, 1)), 0);
  t.deepEqual(readAll(ring, 12), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('what was not read is taken back, and said to the sample', (t) => {
  const ring = new SampleRing(ringMemory(16));
  ring.write(counting(0, 10));
  readAll(ring, 3);
  t.is(ring.takeBack(), 7);
  t.is(ring.takeBack(), 0);
  ring.write(counting(40, 2));
  t.deepEqual(readAll(ring, 16), [40, 41]);
});

test('places are counted beyond what a number of 32 bits holds', (t) => {
  const memory = ringMemory(8);
  new Int32Array(memory, 0, 2).fill(0x7ffffffc);
  const ring = new SampleRing(memory);
  ring.write(counting(0, 8));
  t.is(ring.waiting, 8);
  t.deepEqual(readAll(ring, 5), [0, 1, 2, 3, 4]);
  t.is(ring.takeBack(), 3);
  t.is(ring.room, 8);
});

test('between two threads each sample is either read or taken back', async (t) => {
  const memory = ringMemory(4_096);
  const ring = new SampleRing(memory);
  const reader = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.url).then(({ SampleRing }) => {
       const ring = new SampleRing(workerData.memory);
       const frame = new Int16Array(160);
       let read = 0;
       let isOver = false;
       parentPort.on('message', () => (isOver = true));
       parentPort.postMessage('ready');
       const go = () => {
         for (let turn = 0; turn < 50; turn += 1) read += ring.read(frame);
         if (isOver && ring.waiting === 0) { parentPort.postMessage(read); process.exit(); }
         setImmediate(go);
       };
       go();
     });`,
    {
      eval: true,
      workerData: { memory, url: new URL('../../../sip/media/sample-ring.ts', import.meta.url).href },
    },
  );
  const told = (): Promise<unknown> => new Promise((resolve) => reader.once('message', resolve));
  await told();
  let written = 0;
  let takenBack = 0;
  for (let turn = 0; turn < 20_000; turn += 1) {
    written += ring.write(counting(0, 100 + (turn % 200)));
    if (turn % 3 === 0) takenBack += ring.takeBack();
  }
  const answer = told();
  reader.postMessage('over');
  t.is(Number(await answer) + takenBack, written);
  t.true(takenBack > 0);
});

test('a ring has a power of two of samples', (t) => {
  t.throws(() => ringMemory(100), { instanceOf: RangeError });
});
