/**
 * One call at the web phones of a workspace: the far end of a simulated line, operated by a person. The call rings at
 * all phones, is assigned to the phone that answers, and reports the agent's actions to that phone.
 */
import type { LineInput } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import type {
  FromPhone,
  PhoneCallDetails,
  PhoneCallEnd,
  SaidSentence,
  ToPhone,
} from '#src/domain/web-phone.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { CarriedAudio, CreateParty, Phone } from '../simulator/party.ts';
import type { Voice } from '../simulator/sounding-utterance.ts';

const dialledToRingingMs = 100;
const callerIsAnsweredMs = 50;
/** Maximum number of queued texts; a person does not type more of them during one utterance. */
const mostWaitingTexts = 50;

/** Interval at which preliminary words of the person are sent, in milliseconds. */
const wordsEveryMs = 200;

/** Maximum number of utterances that a reconnecting phone receives if the agent speaks without a pause. */
const mostSaid = 50;

/** Messages of a phone during a call. */
export type InCall = Exclude<
  FromPhone,
  { type: 'answer' | 'decline' | 'dial' | 'hang_up' | 'sound_flushed' }
>;

export type PhoneCall = {
  readonly details: PhoneCallDetails;
  /**
   * Answers the call at the phone with this name, with audio or by typing. Actions of the agent are sent to `tell` from
   * then on.
   */
  answer(name: string, tell: Tell, sound: CarriedAudio | null): void;
  decline(): void;
  hangUp(): void;
  receive(message: InCall): void;
  /** Sends the state of the call to a phone that reconnected. */
  resume(tell: Tell): void;
  /** Stops sending messages, because the phone is disconnected. */
  suspend(): void;
};

export type Tell = (message: ToPhone) => void;

export type PhoneCallEvents = {
  /** Called when the telephone begins to ring, except for a call that was dialled at the phone. */
  ringing: (call: PhoneCall) => void;
  /**
   * Called when the gateway has accepted a call that was dialled at the phone, or has taken over a call that a phone had
   * at another gateway.
   */
  taken: (call: PhoneCall) => void;
  ended: (call: PhoneCall, reason: PhoneCallEnd) => void;
  /** Called when another gateway continues the call. */
  left: (call: PhoneCall) => void;
};

const detailsOf = ({ callId, direction, from, to, language, sipHeaders }: LineInput): PhoneCallDetails => ({
  call_id: callId,
  direction,
  from,
  to,
  language,
  ...(sipHeaders === undefined ? {} : { sip_headers: sipHeaders }),
});

/**
 * The agent's turn: its sentences since the person last spoke. The sentences of a finished turn are kept until the
 * agent's next sentence.
 */
const createTurn = () => {
  let said: readonly SaidSentence[] = [];
  let isOver = false;
  return {
    said: () => said,
    add({ utterance, text }: Voice): void {
      said = [...(isOver ? [] : said), { utterance, text }].slice(-mostSaid);
      isOver = false;
    },
    /** Replaces a sentence by its heard part. */
    cut(heard: SaidSentence): void {
      said = said.flatMap((one) =>
        one.utterance === heard.utterance ? (heard.text === '' ? [] : [heard]) : [one],
      );
    },
    end: () => void (isOver = true),
  };
};

const agentSays = (
  { utterance, text, language, durationMs }: Voice,
  { call_id: callId, language: usual }: PhoneCallDetails,
): ToPhone => ({
  type: 'agent_says',
  call_id: callId,
  utterance,
  text,
  duration_ms: Math.round(durationMs),
  ...(language === usual ? {} : { language }),
});

/** The person's side of the call: messages from and to the phone that answered. */
const createHandset = (details: PhoneCallDetails, phone: Phone, time: LineTime) => {
  const waiting: string[] = [];
  let tell: Tell | null = null;
  let voice: Voice | null = null;
  let cutsTold = 0;
  let wasPaused = false;
  let keysTold = 0;
  let wordsTold = 0;
  let heardIn = details.language;
  let hasSound = false;
  let wordsShown = '';
  const nextWords = createAlarm(time);
  const turn = createTurn();

  const send = (message: ToPhone): void => tell?.(message);

  const tellLanguage = (): void => send({ type: 'language', call_id: details.call_id, language: heardIn });

  /** Sends the preliminary words of the person while they change. */
  const sendWords = (): void => {
    const text = phone.wordsSoFar();
    if (text !== wordsShown) send({ type: 'you_say', call_id: details.call_id, text });
    wordsShown = text;
    nextWords.set(wordsEveryMs, sendWords);
  };

  const sayNext = (): void => {
    const text = phone.isSpeaking() ? undefined : waiting.shift();
    if (text === undefined) return;
    phone.say(text);
    turn.end();
  };

  /** Sends the heard part of an utterance that was stopped since the last message. */
  const sendCut = (): void => {
    const heard = phone.lastCut();
    if (phone.voicesCut() > cutsTold && heard !== null) {
      turn.cut(heard);
      send({ type: 'agent_stops', call_id: details.call_id, heard });
    }
    cutsTold = phone.voicesCut();
  };

  return {
    /** Notes that the call has audio. */
    hasSound: () => void (hasSound = true),
    pickUp(told: Tell): void {
      tell = told;
      const said = turn.said();
      send({ type: 'answered', sound: hasSound, ...details, ...(said.length === 0 ? {} : { said }) });
      if (heardIn !== details.language) tellLanguage();
      if (voice !== null) send(agentSays(voice, details));
      if (hasSound) nextWords.set(wordsEveryMs, sendWords);
    },
    say(text: string): void {
      if (waiting.length >= mostWaitingTexts) return send({ type: 'refused', code: 'too_much' });
      waiting.push(text);
      return sayNext();
    },
    /** Sends changes of the line to the phone, and says queued texts. */
    notice(): void {
      sendCut();
      if (phone.isVoicePaused() !== wasPaused) {
        wasPaused = !wasPaused;
        send({ type: wasPaused ? 'agent_pauses' : 'agent_goes_on', call_id: details.call_id });
      }
      if (phone.heardIn() !== heardIn) {
        heardIn = phone.heardIn();
        tellLanguage();
      }
      const spoken = phone.voice();
      if (spoken !== null && spoken !== voice) {
        turn.add(spoken);
        send(agentSays(spoken, details));
      }
      voice = spoken;
      const keys = phone.keysHeard().slice(keysTold);
      keysTold += keys.length;
      const words = phone.wordsHeard().slice(wordsTold);
      wordsTold += words.length;
      if (words.length > 0) turn.end();
      for (const text of words) send({ type: 'you_said', call_id: details.call_id, text });
      if (keys !== '') send({ type: 'keys', call_id: details.call_id, keys });
      sayNext();
    },
    /** Stops sending messages. */
    layDown(): void {
      tell = null;
      nextWords.cancel();
    },
    /** Sends what was heard of the agent's last words, detaches the phone like `layDown`, and drops queued texts. */
    hangUp(): void {
      if (voice !== null) sendCut();
      tell = null;
      nextWords.cancel();
      waiting.length = 0;
    },
  };
};

type Handset = ReturnType<typeof createHandset>;

const callOn = (
  details: PhoneCallDetails,
  phone: Phone,
  handset: Handset,
  answeredAt: (farEnd: SimulatedFarEnd) => void,
): PhoneCall => ({
  details,
  answer(name, tell, sound) {
    answeredAt({ is: 'phone', name, hasSound: sound !== null });
    if (sound !== null) handset.hasSound();
    handset.pickUp(tell);
    if (sound === null) phone.answer();
    else phone.answer(sound);
  },
  decline: () => phone.refuse('declined'),
  hangUp: () => phone.hangUp(),
  receive(message) {
    switch (message.type) {
      case 'say':
        return handset.say(message.text);
      case 'speaking':
        return phone.speak(message.on);
      case 'digit':
        return phone.press(message.digit);
      case 'voice':
        return phone.setReporting(message.on);
      case 'played':
        return phone.reportHeard(message.utterance, message.heard_chars);
    }
  },
  resume: handset.pickUp,
  suspend() {
    handset.layDown();
    phone.setReporting(false);
  },
});

/** Maps the end of a line to the reason that a phone receives. */
const reasonOf = ({ by, cause }: LineEnd): PhoneCallEnd => {
  if (by === 'counterparty') return cause === 'declined' ? 'declined' : 'hung_up';
  return cause === null ? 'other_side' : 'cancelled';
};

/** Creates the far end of a call at web phones. `isResumed`: a phone had the call at another gateway. */
export const phoneParty =
  (input: LineInput, on: PhoneCallEvents, isResumed = false): CreateParty =>
  (phone, time) => {
    const details = detailsOf(input);
    const handset = createHandset(details, phone, time);
    let farEnd: SimulatedFarEnd | null = null;
    const call = callOn(details, phone, handset, (known) => (farEnd = known));
    return {
      start() {
        if (isResumed || input.direction === 'inbound') {
          time.after(isResumed ? 0 : callerIsAnsweredMs, () => on.taken(call));
          return;
        }
        time.after(dialledToRingingMs, () => {
          phone.ring();
          on.ringing(call);
        });
      },
      notice: handset.notice,
      resumeState: () => farEnd,
      stop(end) {
        handset.hangUp();
        on.ended(call, reasonOf(end));
      },
      leave() {
        handset.hangUp();
        on.left(call);
      },
    };
  };
