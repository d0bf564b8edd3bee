/** State of the web phone: ringing calls, the current call, and its result. */
import { baseLanguage } from '#src/domain/language.ts';
import type {
  FromPhone,
  PhoneCallDetails,
  PhoneCallEnd,
  PhoneRefusal,
  SaidSentence,
  ToPhone,
} from '#src/domain/web-phone.ts';

/** A line of the transcript. Consecutive sentences of the agent form one line. */
export type TalkLine =
  | { who: 'agent'; parts: SaidSentence[]; isCut: boolean }
  | { who: 'me'; text: string }
  | { who: 'agent-keys' | 'my-keys'; keys: string };

export type PhoneTalk = {
  details: PhoneCallDetails;
  lines: TalkLine[];
  /** Preliminary words of the person's current turn; empty without words. */
  saying: string;
  /** Id of the utterance that is being spoken. */
  sounding: number | null;
  /** Whether the utterance is paused. */
  isPaused: boolean;
  /** Whether the call carries audio in both directions. */
  hasSound: boolean;
  /** Time of the answer in milliseconds since the epoch. */
  since: number;
  /** Whether earlier words are unknown, because this page was loaded during the call. */
  isBroken: boolean;
  end: { reason: PhoneCallEnd; at: number } | null;
};

export type PhoneState = {
  /** State of the connection. `never`: a gateway with real lines has no web phone. */
  online: 'never' | 'now' | 'before';
  ringing: PhoneCallDetails[];
  /** Number that is being called. */
  dialling: string | null;
  /** Whether calls can be answered and dialled with audio. */
  offersSound: boolean;
  /** Languages with speech recognition (BCP 47); `null` if all languages have it. */
  understands: readonly string[] | null;
  talk: PhoneTalk | null;
  refusal: PhoneRefusal | null;
};

export type PhoneChange =
  | { type: 'told'; message: ToPhone; at: number }
  | { type: 'sent'; message: FromPhone }
  | { type: 'online'; on: boolean; at: number }
  /** Emitted when the utterance is over. */
  | { type: 'silent'; utterance: number }
  /** The journal of a call that began before this page was loaded. */
  | { type: 'recalled'; since: number | null; lines: TalkLine[] }
  | { type: 'put-away' };

export const idlePhone: PhoneState = {
  online: 'never',
  ringing: [],
  dialling: null,
  offersSound: false,
  understands: null,
  talk: null,
  refusal: null,
};

export const withKeys = (lines: TalkLine[], who: 'agent-keys' | 'my-keys', keys: string): TalkLine[] => {
  const last = lines.at(-1);
  return last?.who === who
    ? [...lines.slice(0, -1), { who, keys: last.keys + keys }]
    : [...lines, { who, keys }];
};

const withSentence = (lines: TalkLine[], utterance: number, text: string): TalkLine[] => {
  const last = lines.at(-1);
  const isKnown = lines.some(
    (line) => line.who === 'agent' && line.parts.some((part) => part.utterance === utterance),
  );
  // The line may exist already: after a reconnect, the gateway repeats the current utterance.
  if (isKnown) return lines;
  const part = { utterance, text };
  return last?.who === 'agent' && !last.isCut
    ? [...lines.slice(0, -1), { ...last, parts: [...last.parts, part] }]
    : [...lines, { who: 'agent', parts: [part], isCut: false }];
};

/** Cuts the agent's last line at what was heard of the interrupted sentence, if the gateway reports that. */
const cutShort = (lines: TalkLine[], heard: SaidSentence | undefined): TalkLine[] => {
  const index = lines.findLastIndex(({ who }) => who === 'agent');
  return lines.map((line, at) => {
    if (at !== index || line.who !== 'agent') return line;
    const parts = line.parts.map((part) => (part.utterance === heard?.utterance ? heard : part));
    return { ...line, parts, isCut: true };
  });
};

/**
 * Merges the lines of the journal with later ones. Words spoken while the journal was read may be in both lists and are
 * removed from one.
 */
const withRecalled = (recalled: TalkLine[], since: TalkLine[]): TalkLine[] => {
  const mine = recalled.findLast(({ who }) => who === 'me');
  const afterMine = recalled.slice(mine === undefined ? 0 : recalled.lastIndexOf(mine));
  const toldText = afterMine
    .flatMap((line) => (line.who === 'agent' ? line.parts.map(({ text }) => text) : []))
    .join(' ');
  const news = since.flatMap((line): TalkLine[] => {
    if (line.who === 'me') return mine?.who === 'me' && mine.text === line.text ? [] : [line];
    if (line.who !== 'agent') return [line];
    const parts = line.parts.filter(({ text }) => !toldText.includes(text));
    return parts.length === 0 ? [] : [{ ...line, parts }];
  });
  return [...recalled, ...news];
};

const inTalk = (state: PhoneState, change: (talk: PhoneTalk) => Partial<PhoneTalk>): PhoneState =>
  state.talk === null ? state : { ...state, talk: { ...state.talk, ...change(state.talk) } };

const afterMessage = (state: PhoneState, message: ToPhone, at: number): PhoneState => {
  switch (message.type) {
    case 'ring': {
      const { type: _, ...details } = message;
      const others = state.ringing.filter(({ call_id }) => call_id !== details.call_id);
      return { ...state, ringing: [...others, details] };
    }
    case 'answered': {
      const { type: _, sound: hasSound, said = [], ...details } = message;
      const ringing = state.ringing.filter(({ call_id }) => call_id !== details.call_id);
      const known = state.talk?.details.call_id === details.call_id ? state.talk : null;
      // A call that neither rang nor was dialled in this page began before this page was loaded.
      const isBroken = state.dialling === null && ringing.length === state.ringing.length;
      const begun = known ?? {
        details,
        lines: [],
        saying: '',
        sounding: null,
        isPaused: false,
        since: at,
        isBroken,
      };
      const lines = said.reduce(
        (all, { utterance, text }) => withSentence(all, utterance, text),
        begun.lines,
      );
      const talk = { ...begun, lines, hasSound, end: null };
      return { ...state, ringing, dialling: null, refusal: null, talk };
    }
    case 'ended': {
      const ringing = state.ringing.filter(({ call_id }) => call_id !== message.call_id);
      const rest = { ...state, ringing };
      if (state.talk?.details.call_id !== message.call_id) return rest;
      return inTalk(rest, () => ({ saying: '', sounding: null, end: { reason: message.reason, at } }));
    }
    case 'agent_says':
      return inTalk(state, ({ lines }) => ({
        sounding: message.utterance,
        lines: withSentence(lines, message.utterance, message.text),
      }));
    case 'agent_stops':
      return inTalk(state, ({ lines }) => ({
        sounding: null,
        isPaused: false,
        lines: cutShort(lines, message.heard),
      }));
    case 'agent_pauses':
    case 'agent_goes_on':
      return inTalk(state, () => ({ isPaused: message.type === 'agent_pauses' }));
    case 'keys':
      return inTalk(state, ({ lines }) => ({ lines: withKeys(lines, 'agent-keys', message.keys) }));
    case 'you_say':
      return inTalk(state, () => ({ saying: message.text }));
    case 'you_said':
      return inTalk(state, ({ lines }) => ({
        saying: '',
        lines: [...lines, { who: 'me', text: message.text }],
      }));
    case 'language':
      return inTalk(state, ({ details }) => ({ details: { ...details, language: message.language } }));
    case 'sound_offered':
      return { ...state, offersSound: true, understands: message.languages ?? null };
    case 'sound_flush':
      return state;
    default:
      return { ...state, dialling: null, refusal: message.code };
  }
};

const afterSending = (state: PhoneState, message: FromPhone): PhoneState => {
  switch (message.type) {
    case 'dial':
      return { ...state, dialling: message.to, refusal: null, talk: null };
    case 'say':
      return inTalk({ ...state, refusal: null }, ({ lines }) => ({
        lines: [...lines, { who: 'me', text: message.text }],
      }));
    case 'digit':
      return inTalk(state, ({ lines }) => ({ lines: withKeys(lines, 'my-keys', message.digit) }));
    case 'hang_up':
      return { ...state, dialling: null };
    default:
      return state;
  }
};

/**
 * After a lost connection, the phone stops ringing but still shows the call. After a reconnect, the gateway reports
 * whether the call still exists; if it does not, it was hung up in the meantime.
 */
const whenOnline = (state: PhoneState, isOnline: boolean, at: number): PhoneState =>
  isOnline
    ? inTalk({ ...state, online: 'now' }, ({ end }) => ({ end: end ?? { reason: 'hung_up', at } }))
    : {
        ...state,
        online: state.online === 'never' ? 'never' : 'before',
        offersSound: false,
        ringing: [],
        dialling: null,
      };

export const phoneAfter = (state: PhoneState, change: PhoneChange): PhoneState => {
  switch (change.type) {
    case 'told':
      return afterMessage(state, change.message, change.at);
    case 'sent':
      return afterSending(state, change.message);
    case 'online':
      return whenOnline(state, change.on, change.at);
    case 'silent':
      return inTalk(state, ({ sounding }) => ({ sounding: sounding === change.utterance ? null : sounding }));
    case 'recalled':
      return inTalk(state, ({ lines, since }) => ({
        isBroken: false,
        lines: withRecalled(change.lines, lines),
        since: change.since ?? since,
      }));
    default:
      return { ...state, talk: null, refusal: null };
  }
};

/** Whether speech in this language (BCP 47) is recognized. */
export const understandsLanguage = ({ understands }: PhoneState, language: string): boolean =>
  understands === null || understands.some((one) => baseLanguage(one) === baseLanguage(language));

/** Returns the workspace's number, whose agent is the other party of the call. */
export const otherNumber = ({ direction, from, to }: PhoneCallDetails): string =>
  direction === 'outbound' ? from : to;
