/**
 * mod_audio_fork of FreeSWITCH: brings the sound of a channel over a websocket, 20 ms at a time, and plays what comes
 * back. Time is the test's: nothing sounds but with `tick`.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';

/** 20 ms at 8000 Hz. */
export const frameSamples = 160;

const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('mark'), data: z.object({ name: z.string() }) }),
  z.object({ type: z.literal('killAudio') }),
]);

/** What lies in the queue of what is to be played. */
type Queued = { samples: Int16Array } | { mark: string };

export type AudioForkClient = {
  /** It has been let in; rejects when it was not. */
  opened: Promise<void>;
  /** 20 ms go by: this is heard there, and what was sent from there is played here. Returns what sounds. */
  tick(heard: Int16Array): Int16Array;
  /** Both sides have taken in what the other one had sent. */
  settled(): Promise<void>;
  isOpen(): boolean;
  close(): void;
};

const silence = new Int16Array(frameSamples);

/** Plays in order; a mark is reported when all before it has been played. */
const createPlayer = (report: (mark: string) => void) => {
  let queue: Queued[] = [];

  const reportFirst = (): void => {
    for (let [first] = queue; first !== undefined && 'mark' in first; [first] = queue) {
      queue.shift();
      report(first.mark);
    }
  };

  return {
    add(queued: Queued): void {
      queue.push(queued);
      reportFirst();
    },
    /** Forgets the sound, and reports the marks at once. */
    kill(): void {
      queue = queue.filter((queued) => 'mark' in queued);
      reportFirst();
    },
    play(): Int16Array {
      const frame = new Int16Array(frameSamples);
      let filled = 0;
      for (let [first] = queue; first !== undefined && filled < frameSamples; [first] = queue) {
        if ('mark' in first) {
          reportFirst();
          continue;
        }
        const taken = first.samples.subarray(0, frameSamples - filled);
        frame.set(taken, filled);
        filled += taken.length;
        first.samples = first.samples.subarray(taken.length);
        if (first.samples.length === 0) queue.shift();
      }
      reportFirst();
      return filled === 0 ? silence : frame;
    },
  };
};

export const startAudioFork = (url: string, metadata: string): AudioForkClient => {
  const socket = new WebSocket(url, 'audio.drachtio.org');
  const tell = (data: string | Uint8Array): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  };
  const player = createPlayer((name) => tell(JSON.stringify({ type: 'mark', data: { name } })));
  const opened = once(socket, 'open').then(() => undefined);
  // Nobody may be waiting for it.
  opened.catch(() => {});
  const waiting: (() => void)[] = [];
  const goOn = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  socket.on('pong', goOn);
  socket.on('close', goOn);
  socket.on('error', () => {});
  socket.on('open', () => tell(metadata));
  socket.on('message', (data, isBinary) => {
    if (!Buffer.isBuffer(data)) return;
    if (isBinary) return player.add({ samples: new Int16Array(new Uint8Array(data).buffer) });
    const message = messageSchema.parse(JSON.parse(data.toString()));
    return message.type === 'killAudio' ? player.kill() : player.add({ mark: message.data.name });
  });
  return {
    opened,
    tick(heard) {
      tell(new Uint8Array(heard.buffer, heard.byteOffset, heard.byteLength));
      return player.play();
    },
    settled: () =>
      new Promise((resolve) => {
        if (socket.readyState !== WebSocket.OPEN) return resolve();
        waiting.push(resolve);
        return socket.ping();
      }),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.terminate(),
  };
};
