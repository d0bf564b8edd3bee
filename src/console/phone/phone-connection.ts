/** Connection of the phone to the gateway: a websocket that reconnects while the user is signed in. */
import { effect, signal } from '@preact/signals';
import type { FromPhone, ToPhone } from '#src/domain/web-phone.ts';
import { connection } from '../connection.ts';
import { callSound, closeSound, openSound, wantsSound } from './call-sound.ts';
import { idlePhone, phoneAfter, type PhoneChange } from './phone-state.ts';
import type { Recalled } from './recall.ts';
import { fallSilent, hasVoiceFor, isMuted, pauseVoice, resumeVoice, speakAloud } from './voice.ts';

export const phone = signal(idlePhone);

const change = (what: PhoneChange): void => {
  phone.value = phoneAfter(phone.value, what);
};

const place = 'trunkline.phone';
const newName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');

/** Name by which the gateway recognizes this tab after a reload. */
const nameOf = (isNew: boolean): string => {
  const name = (isNew ? null : sessionStorage.getItem(place)) ?? newName();
  sessionStorage.setItem(place, name);
  return name;
};

const lacksPhonePlace = 'trunkline.no-phone';

/**
 * Whether a phone is expected before the first connection: unless the gateway had none when this browser was last here,
 * because its lines are real.
 */
export const expectsPhone = signal(localStorage.getItem(lacksPhonePlace) === null);

const noteExpected = (isExpected: boolean): void => {
  if (isExpected) localStorage.removeItem(lacksPhonePlace);
  else localStorage.setItem(lacksPhonePlace, '1');
  expectsPhone.value = isExpected;
};

/** Close code that the gateway sends when another tab uses this tab's name. */
const replaced = 4001;
const firstRetryMs = 500;
const longestRetryMs = 15_000;
/** Retry interval for a gateway with real lines, which has no web phone. */
const rareMs = 300_000;
const triesBeforeRare = 3;

let socket: WebSocket | null = null;

/** Returns whether the message was sent; without a connection it is dropped. */
export const send = (message: FromPhone): boolean => {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  change({ type: 'sent', message });
  return true;
};

export const putAway = (): void => change({ type: 'put-away' });

/** Stores restored lines of the current call. */
export const noteRecalled = (recalled: Recalled): void => change({ type: 'recalled', ...recalled });

/**
 * Maximum number of unsent bytes of audio. If the network is too slow, audio is dropped instead of being delayed more
 * and more.
 */
const mostUnsentBytes = 64 * 1024;

const hasSoundCall = (): boolean => {
  const { talk } = phone.value;
  return talk !== null && talk.hasSound && talk.end === null;
};

const openCallSound = (): Promise<boolean> =>
  openSound({
    frame(frame) {
      if (!hasSoundCall() || socket?.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount < mostUnsentBytes) socket.send(frame);
    },
    flushed: (samples) => send({ type: 'sound_flushed', samples }),
  });

/**
 * Resolves to whether the call uses audio: the gateway offers it, the user wants it and there is a microphone.
 * Otherwise the user types.
 */
const withSound = async (): Promise<{ sound: boolean }> => ({
  sound: phone.value.offersSound && wantsSound.value && (await openCallSound()),
});

/** Sends a message that begins a call. If the connection was lost meanwhile, the microphone is closed again. */
const begin = (message: FromPhone): void => {
  if (!send(message)) closeSound();
};

export const answerCall = async (callId: string): Promise<void> =>
  begin({ type: 'answer', call_id: callId, ...(await withSound()) });

export const dial = async (to: string): Promise<void> => begin({ type: 'dial', to, ...(await withSound()) });

const reports = (language: string): boolean => !isMuted.value && hasVoiceFor(language);

/** Timer that ends an utterance that is not audible because the voice is muted. */
let silence:
  | { timer: ReturnType<typeof setTimeout>; utterance: number; at: number; leftMs: number }
  | undefined;

const awaitSilence = (utterance: number, leftMs: number): void => {
  const timer = setTimeout(() => {
    silence = undefined;
    change({ type: 'silent', utterance });
  }, leftMs);
  silence = { timer, utterance, at: Date.now(), leftMs };
};

const forgetSilence = (): void => {
  clearTimeout(silence?.timer);
  silence = undefined;
};

const pauseAgent = (): void => {
  pauseVoice();
  if (silence === undefined) return;
  clearTimeout(silence.timer);
  silence.leftMs -= Date.now() - silence.at;
};

const resumeAgent = (): void => {
  resumeVoice();
  if (silence !== undefined) awaitSilence(silence.utterance, silence.leftMs);
};

const aloud = (utterance: number, text: string, language: string): void => {
  const isOver = (): void => change({ type: 'silent', utterance });
  speakAloud(text, language, {
    heard: (characters) => send({ type: 'played', utterance, heard_chars: characters }),
    over: () => {
      send({ type: 'played', utterance, heard_chars: text.length });
      isOver();
    },
  });
};

const sound = (message: Extract<ToPhone, { type: 'agent_says' }>): void => {
  const { utterance, text, duration_ms: durationMs } = message;
  const language = message.language ?? phone.value.talk?.details.language ?? 'en';
  forgetSilence();
  if (!hasSoundCall() && reports(language)) aloud(utterance, text, language);
  else awaitSilence(utterance, durationMs);
};

/** Opens audio at the answer and closes it at the end. A page that was loaded during the call opens audio again. */
const followSound = ({ type }: ToPhone): void => {
  const { value } = callSound;
  if (type === 'answered' && hasSoundCall() && value.is === 'off') void openCallSound();
  // Another gateway may have taken the call over; it counts the samples that it has sent itself.
  if (type === 'answered' && value.is === 'on') value.device.reset();
  if (type === 'sound_flush' && value.is === 'on') value.device.flush();
  if ((type === 'ended' || type === 'refused') && !hasSoundCall()) closeSound();
};

/** Time after a reconnection within which the gateway reports a call that has moved to another gateway. */
const callReturnsMs = 20_000;

/** Closes the microphone of a call that has ended while the connection was lost. */
const closeUnusedSound = (): void => {
  if (callSound.value.is === 'on' && !hasSoundCall() && phone.value.dialling === null) closeSound();
};

const receive = (message: ToPhone): void => {
  change({ type: 'told', message, at: Date.now() });
  followSound(message);
  if (message.type === 'answered' && !message.sound) send({ type: 'voice', on: reports(message.language) });
  if (message.type === 'agent_says') sound(message);
  const isEnd = message.type === 'ended' && message.call_id === phone.value.talk?.details.call_id;
  if (message.type === 'agent_pauses') pauseAgent();
  if (message.type === 'agent_goes_on') resumeAgent();
  if (message.type === 'agent_stops' || isEnd) fallSilent();
};

export const setMuted = (muted: boolean): void => {
  isMuted.value = muted;
  const { talk } = phone.value;
  if (talk === null || talk.hasSound) return;
  const { sounding, details, lines } = talk;
  if (muted) fallSilent();
  forgetSilence();
  send({ type: 'voice', on: reports(details.language) });
  if (sounding === null) return;
  // When the voice is turned off, the current utterance counts as read; when the voice is turned on, the utterance is
  // spoken.
  const text = lines
    .flatMap((line) => (line.who === 'agent' ? line.parts : []))
    .find(({ utterance }) => utterance === sounding)?.text;
  if (muted || text === undefined) change({ type: 'silent', utterance: sounding });
  else aloud(sounding, text, details.language);
};

/** Connects until the returned function is called. The session authorizes the connection. */
export const connectPhone = (): (() => void) => {
  const over = new AbortController();
  let failures = 0;
  /**
   * Number of consecutive failures with short retry intervals. After the first successful connection the number is
   * unlimited.
   */
  let triesSoon = triesBeforeRare;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let soundCheck: ReturnType<typeof setTimeout> | undefined;
  /** The next attempt, which `timer` awaits. */
  let next: (() => void) | null = null;

  const tryNext = (): void => {
    clearTimeout(timer);
    next?.();
    next = null;
  };

  const open = (isNew = false): void => {
    const url = new URL(`/api/v1/admin/phone?phone=${nameOf(isNew)}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const opened = new WebSocket(url, 'trunkline.phone');
    opened.binaryType = 'arraybuffer';
    socket = opened;
    opened.addEventListener('open', () => {
      failures = 0;
      triesSoon = Infinity;
      noteExpected(true);
      change({ type: 'online', on: true, at: Date.now() });
      clearTimeout(soundCheck);
      soundCheck = setTimeout(closeUnusedSound, callReturnsMs);
    });
    // The cast is safe: the gateway's tests check its messages against the type.
    opened.addEventListener('message', ({ data }) => {
      if (!(data instanceof ArrayBuffer)) receive(JSON.parse(String(data)) as ToPhone);
      else if (callSound.value.is === 'on') callSound.value.device.play(data);
    });
    opened.addEventListener('close', ({ code }) => {
      if (socket === opened) socket = null;
      if (over.signal.aborted) return;
      if (phone.value.online === 'never' && connection.value.is !== 'lost') noteExpected(false);
      change({ type: 'online', on: false, at: Date.now() });
      if (callSound.value.is === 'on') callSound.value.device.reset();
      failures += 1;
      const waitMs =
        failures > triesSoon ? rareMs : Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
      next = () => open(code === replaced);
      timer = setTimeout(tryNext, waitMs);
    });
  };
  open();
  // As soon as the gateway answers other requests again.
  const stopAwaiting = effect(() => {
    if (connection.value.is === 'restored') tryNext();
  });

  return () => {
    over.abort();
    stopAwaiting();
    clearTimeout(timer);
    clearTimeout(soundCheck);
    socket?.close();
    socket = null;
    fallSilent();
    closeSound();
    phone.value = idlePhone;
  };
};
