/** The thread of the sound as it is: what becomes of calls when it fails. */
import { Writable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createDirectEndpoint } from '#sip/media/direct/direct-endpoint.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { createSoundThread, type SoundThread } from '#sip/media/thread/sound-thread.ts';
import { steadyClock } from '#src/clocks.ts';
import { until } from '#test/helpers/until.ts';

const start = (t: ExecutionContext, ports: { from: number; to: number }) => {
  const logged: string[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line));
      done();
    },
  });
  const thread = createSoundThread({ ports, logger: pino({}, stream) });
  t.teardown(() => thread.close());
  return { thread, logged };
};

const call = async (t: ExecutionContext, thread: SoundThread) => {
  const options = { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
  const open = async (offer?: string): Promise<MediaEndpoint> => {
    const endpoint = await createDirectEndpoint(offer, { codecs: null, srtp: 'off' }, options);
    t.teardown(() => endpoint.destroy());
    return endpoint;
  };
  const caller = await open();
  const callee = await open(caller.localSdp);
  await caller.takeAnswer(callee.localSdp);
  const losses: (string | null)[] = [];
  callee.onLost((reason) => losses.push(reason));
  let heard = 0;
  let soundIsLost = false;
  const path = await callee.connect(
    {
      onLost: () => (soundIsLost = true),
      onAudio: (samples) => (heard += samples.length),
    },
    8_000,
  );
  return { path, losses, heard: () => heard, soundIsLost: () => soundIsLost, figures: callee.figures };
};

/** No packet can be sent there: a fault of the program, which the thread does not survive. */
const breakDown = async (thread: SoundThread): Promise<void> => {
  const channel = await thread.open('127.0.0.1');
  channel.agree({
    remote: { address: '127.0.0.1', port: 70_000 },
    remoteReports: { address: '127.0.0.1', port: 70_000 },
    codec: 'PCMU',
    payloadType: 0,
    keysPayloadType: null,
    keys: null,
    isSending: true,
  });
};

test('when it fails its calls have lost their sound, and the next call gets a new one', async (t) => {
  const { thread, logged } = start(t, { from: 24_400, to: 24_798 });
  const first = await call(t, thread);
  await until('it is heard', () => first.heard() > 800 || undefined);
  await breakDown(thread);
  await until('it is lost', () => first.losses.length > 0 || undefined);
  t.deepEqual(first.losses, [null]);
  t.true(first.soundIsLost());
  t.regex(logged.join(''), /the thread of the sound has failed/);
  t.notThrows(() => first.path.send(new Int16Array(160)));
  t.true(((await first.figures())?.received.packets ?? 0) >= 0, 'the last that was told');

  const next = await call(t, thread);
  await until('the next one is heard', () => next.heard() > 800 || undefined);
  t.deepEqual([first.losses.length, next.losses.length], [1, 0]);
});

test('one that fails while a call is opened refuses it', async (t) => {
  const { thread } = start(t, { from: 24_800, to: 25_198 });
  await call(t, thread);
  await breakDown(thread);
  const opening = await Promise.allSettled(Array.from({ length: 20 }, () => thread.open('127.0.0.1')));
  // Those that came before the fault are lost with it; none waits for ever.
  t.is(opening.length, 20);
  const later = await until('a new one opens', () => thread.open('127.0.0.1').catch(() => undefined));
  t.true(later.port > 0);
});
