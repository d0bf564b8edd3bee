/**
 * The thread of the sound: it holds the ports of all calls and keeps the beat of 20 ms, whatever the main thread is busy
 * with. What came in goes to the main thread once a beat, of all calls together.
 */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { createRtpPorts } from '../rtp/ports.ts';
import { frameMs } from '../rtp/sending.ts';
import { createRtpSession, type RtpSession } from '../rtp/session.ts';
import { SampleRing } from '../sample-ring.ts';
import type { FromSoundThread, ToSoundThread } from './messages.ts';
import { startPacer } from './pacer.ts';

const main = parentPort;
if (main === null) throw new Error('The thread of the sound is started by createSoundThread');

// It comes from `createSoundThread` of this version of the code.
const { ports: range } = workerData as { ports: { from: number; to: number } };

const sessions = new Map<number, RtpSession>();
const ports = createRtpPorts(range);
let heard: Extract<FromSoundThread, { type: 'heard' }> = { type: 'heard', sounds: [], keys: [] };
let beats = 0;
let stopBeat: (() => void) | null = null;

const figuresEveryBeats = 50;

const tell = (message: FromSoundThread): void => main.postMessage(message);

/** It beats while there are calls. */
const keepBeat = (): void => {
  if (sessions.size === 0) {
    stopBeat?.();
    stopBeat = null;
  } else stopBeat ??= startPacer(beat, { everyMs: frameMs, now: () => performance.now(), setTimeout });
};

const open = async ({ id, address, sound }: Extract<ToSoundThread, { type: 'open' }>): Promise<void> => {
  try {
    const taken = await ports.take(address);
    const session = createRtpSession(taken, new SampleRing(sound), {
      onSound: (samples) => void heard.sounds.push({ id, samples }),
      onKey: (key) => void heard.keys.push({ id, key }),
    });
    sessions.set(id, session);
    keepBeat();
    tell({ type: 'opened', id, port: taken.port });
  } catch (error) {
    tell({ type: 'refused', id, reason: error instanceof Error ? error.message : String(error) });
  }
};

const measure = (id: number): void => {
  const session = sessions.get(id);
  if (session !== undefined) tell({ type: 'figures', id, figures: session.figures() });
};

const close = (id: number): void => {
  const session = sessions.get(id);
  if (session === undefined) return;
  sessions.delete(id);
  session.close();
  keepBeat();
};

const beat = (): void => {
  beats += 1;
  for (const session of sessions.values()) session.tick();
  if (heard.sounds.length > 0 || heard.keys.length > 0) {
    tell(heard);
    heard = { type: 'heard', sounds: [], keys: [] };
  }
  if (beats % figuresEveryBeats !== 0) return;
  for (const id of sessions.keys()) measure(id);
};

main.on('message', (message: ToSoundThread) => {
  switch (message.type) {
    case 'open':
      return void open(message);
    case 'agree':
      return sessions.get(message.id)?.agree(message.agreement);
    case 'press':
      return sessions.get(message.id)?.press(message.keys);
    case 'measure':
      return measure(message.id);
    case 'close':
      return close(message.id);
  }
});
