/**
 * The sound of one call at a web phone: the frames of its microphone come in, the agent's voice goes out. The phone keeps
 * a little of that before it is heard and says with each frame how much was played, so the gateway sends what there is
 * room for and needs no timer: a phone that is slow, or gone, holds nobody up.
 *
 * A phone that comes back on a new connection counts from the beginning; what was under way to it counts as played.
 */
import { phoneFrameHead, phoneFrameSamples, phoneSampleRate, soundLeadMs } from '#src/domain/web-phone.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaEndpoint, SoundEvents, SoundPath } from '../media/media-endpoint.ts';

export type SoundNumbers = Readonly<{
  /** A phone may be ahead of time by so much sound, after a hiccup of its network. */
  burstMs: number;
  /** When no frame has come for so long, the sound of the call is lost. */
  stallMs: number;
}>;

/** The way to the phone, while it is connected. */
export type Speaker = {
  play(frame: Uint8Array): void;
  /** What it has not played yet is not to be played. */
  flush(): void;
};

export type PhoneSound = {
  readonly endpoint: Pick<MediaEndpoint, 'sampleRate' | 'connect'>;
  /** A frame has come; says what is wrong with it. */
  hear(message: Uint8Array): 'invalid_sound' | 'too_much' | undefined;
  /** The answer to a flush; says what is wrong with it. */
  flushed(samples: number): 'invalid_sound' | undefined;
  /** The phone is connected by this from now on; `null`: it is not. */
  connectTo(speaker: Speaker | null): void;
};

const leadSamples = (soundLeadMs * phoneSampleRate) / 1_000;
const messageBytes = phoneFrameHead + phoneFrameSamples * 2;
/** Clocks differ: a phone whose clock is faster by this factor is no nuisance. */
const tolerance = 1.05;

type Waiting = { samples: Int16Array } | { onPlayed: () => void };

/** The account of what was sent in a connection and of what has become of it, in samples. */
const createAccount = () => {
  let sent = 0;
  let played = 0;
  let dropped = 0;
  /** What was sent before it is gone, whether the phone has said so or not. */
  let flushedTo = 0;
  return {
    underWay: (): number => sent - Math.max(flushedTo, played + dropped),
    sent: (samples: number): void => void (sent += samples),
    flush: (): void => void (flushedTo = sent),
    /** Whether the phone can have played so many. */
    played(samples: number): boolean {
      if (samples < played || samples + dropped > sent) return false;
      played = samples;
      return true;
    },
    /** Whether it can have thrown away so many more. */
    dropped(samples: number): boolean {
      if (played + dropped + samples > flushedTo) return false;
      dropped += samples;
      return true;
    },
  };
};

/** The agent's voice on its way: what waits here, and what is under way to the phone. */
const createVoicePath = () => {
  const waiting: Waiting[] = [];
  let account = createAccount();
  let speaker: Speaker | null = null;
  /** The phone has begun to send, so it can play. */
  let isReady = false;

  const sendFrames = (samples: Int16Array): Int16Array => {
    let rest = samples;
    while (speaker !== null && rest.length > 0 && account.underWay() < leadSamples) {
      const frame = rest.subarray(0, phoneFrameSamples);
      speaker.play(bytesOf(frame));
      account.sent(frame.length);
      rest = rest.subarray(frame.length);
    }
    return rest;
  };

  const goOn = (): void => {
    if (!isReady) return;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ('onPlayed' in next) {
        if (account.underWay() > 0) return;
        waiting.shift();
        next.onPlayed();
        continue;
      }
      next.samples = sendFrames(next.samples);
      if (next.samples.length > 0) return;
      waiting.shift();
    }
  };

  const count = (): number =>
    waiting.reduce((sum, one) => sum + ('samples' in one ? one.samples.length : 0), account.underWay());

  const add = (one: Waiting): void => {
    waiting.push(one);
    if (waiting.length === 1) goOn();
  };

  return {
    connectTo(connected: Speaker | null): void {
      speaker = connected;
      isReady = false;
      account = createAccount();
    },
    /** The phone says how much it has played; tells whether that can be. */
    played(samples: number): boolean {
      if (!account.played(samples)) return false;
      isReady = speaker !== null;
      goOn();
      return true;
    },
    dropped: (samples: number): boolean => account.dropped(samples),
    path: {
      send: (samples: Int16Array) => add({ samples }),
      whenPlayed: (onPlayed: () => void) => add({ onPlayed }),
      waiting: count,
      takeBack(): number {
        const taken = count();
        waiting.length = 0;
        if (account.underWay() > 0) {
          account.flush();
          speaker?.flush();
        }
        return taken;
      },
    },
  };
};

/** The sound that may still come at once. */
const createAllowance = (burstMs: number, clock: Pick<Clock, 'now'>) => {
  let leftMs = burstMs;
  let at = clock.now();
  return {
    take(milliseconds: number): boolean {
      const now = clock.now();
      leftMs = Math.min(burstMs, leftMs + Math.max(0, now - at) * tolerance);
      at = now;
      if (leftMs < milliseconds) return false;
      leftMs -= milliseconds;
      return true;
    },
  };
};

/** Calls back when nothing has come for so long; once. */
const createStallWatch = (stallMs: number, clock: Clock, onStall: () => void) => {
  let lastAt = clock.now();
  const look = (): void => {
    const leftMs = lastAt + stallMs - clock.now();
    if (leftMs <= 0) onStall();
    else timer = clock.setTimeout(look, leftMs);
  };
  let timer = clock.setTimeout(look, stallMs);
  return { came: () => void (lastAt = clock.now()), stop: () => clock.clearTimeout(timer) };
};

/** Whether a binary message is a frame of a phone, by its length. */
export const isSoundFrame = ({ length }: Uint8Array): boolean => length === messageBytes;

const samplesOf = (message: Uint8Array): Int16Array =>
  // A copy: the message may lie at an odd place in its memory, and is kept by who listens.
  new Int16Array(Uint8Array.from(message.subarray(phoneFrameHead)).buffer);

export const createPhoneSound = (numbers: SoundNumbers, clock: Clock): PhoneSound => {
  const voice = createVoicePath();
  const allowance = createAllowance(numbers.burstMs, clock);
  let open: { events: SoundEvents; watch: ReturnType<typeof createStallWatch> } | null = null;

  const close = (): void => {
    open?.watch.stop();
    open = null;
    voice.path.takeBack();
  };

  return {
    endpoint: {
      sampleRate: () => phoneSampleRate,
      async connect(events): Promise<SoundPath> {
        open = { events, watch: createStallWatch(numbers.stallMs, clock, events.onLost) };
        return { ...voice.path, close };
      },
    },
    hear(message) {
      const { buffer, byteOffset } = message;
      if (!voice.played(new DataView(buffer, byteOffset).getUint32(0, true))) return 'invalid_sound';
      open?.watch.came();
      if (!allowance.take((phoneFrameSamples * 1_000) / phoneSampleRate)) return 'too_much';
      open?.events.onAudio(samplesOf(message));
      return undefined;
    },
    flushed: (samples) => (voice.dropped(samples) ? undefined : 'invalid_sound'),
    connectTo: voice.connectTo,
  };
};
