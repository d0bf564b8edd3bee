/** A channel of FreeSWITCH is told where its sound goes, and is given up when none comes. */
import test from 'ava';
import { openUnicast } from '#sip/drachtio/media/open-unicast.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const setUp = (isThere = true) => {
  const clock = createOrderedClock();
  const told: unknown[] = [];
  const opened: string[][] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let isClosed = false;
  const sound = new SampleRing(ringMemory(1_024));
  const open = () =>
    openUnicast(
      'a-channel',
      { onAudio: () => {}, onLost: () => {} },
      {
        soundThread: {
          async openUnicast(address, from, sampleRate) {
            opened.push([address, from, String(sampleRate)]);
            return {
              port: 30_001,
              sound,
              begun: begun.promise,
              listen: () => {},
              close: () => void (isClosed = true),
            };
          },
        },
        ownAddress: '192.0.2.7',
        resample: (samples) => samples,
        callRate: 16_000,
        codecRate: () => 16_000,
        serverAddress: () => '192.0.2.8',
        commands: {
          async tell(uuid, message) {
            told.push(uuid, message);
            if (!isThere) throw new Error('The channel is gone');
          },
        },
        clock,
        ended: ended.promise,
      },
    );
  /** Lets promises go on, then time. */
  const pass = async (milliseconds: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(milliseconds);
  };
  return { open, told, opened, begun, ended, sound, pass, clock, isClosed: () => isClosed };
};

test('FreeSWITCH takes a port at its own address and sends to ours; the way is open when its sound has come', async (t) => {
  const { open, told, opened, begun, sound, clock, isClosed } = setUp();
  begun.resolve();
  const path = await open();
  t.deepEqual(opened, [['192.0.2.7', '192.0.2.8', '16000']]);
  t.deepEqual(told, [
    'a-channel',
    {
      'call-command': 'unicast',
      'local-ip': '192.0.2.8',
      'local-port': '0',
      'remote-ip': '192.0.2.7',
      'remote-port': '30001',
      transport: 'udp',
    },
  ]);
  path.send(new Int16Array(100));
  t.is(sound.waiting, 100);
  path.close();
  t.true(isClosed());
  t.is(clock.pending(), 0);
});

test('+OK is no proof: where no sound comes the way is given up', async (t) => {
  const { open, pass, isClosed } = setUp();
  const opening = open();
  await pass(7_999);
  t.false(isClosed());
  await pass(1);
  await t.throwsAsync(opening, { message: /Connecting the sound of a call/ });
  t.true(isClosed());
});

test('a refusal, and the end of the call, give it up at once', async (t) => {
  const refused = setUp(false);
  await t.throwsAsync(refused.open(), { message: 'The channel is gone' });
  t.true(refused.isClosed());
  const over = setUp();
  const opening = over.open();
  over.ended.reject(new Error('not wanted any more'));
  await t.throwsAsync(opening, { message: 'not wanted any more' });
  t.true(over.isClosed());
});
