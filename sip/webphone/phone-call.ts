/**
 * One call at the web phones of a workspace: the far end of a simulated line, played by a person. It rings at all of
 * them, belongs to the one that answers, and tells that one what the agent does.
 */
import type { LineInput } from '#machines/line.ts';
import type { FromPhone, PhoneCallDetails, PhoneCallEnd, ToPhone } from '#src/domain/web-phone.ts';
import type { LineTime } from '../line-time.ts';
import type { FarEnd, Phone } from '../simulator/party.ts';
import type { Voice } from '../simulator/playback.ts';

const dialledToRingingMs = 100;
const callerIsAnsweredMs = 50;
/** Who sends more than that while one text is being said is a program. */
const mostWaitingTexts = 50;

/** What a phone in a call says in it. */
export type InCall = Exclude<FromPhone, { type: 'answer' | 'decline' | 'dial' | 'hang_up' }>;

export type PhoneCall = {
  readonly details: PhoneCallDetails;
  /** The person has picked up; what the agent does is told to `tell` from now on. */
  answer(tell: Tell): void;
  decline(): void;
  hangUp(): void;
  receive(message: InCall): void;
  /** The phone has come back: it is told where the call stands. */
  resume(tell: Tell): void;
  /** The phone is away and can be told nothing. */
  leaveAlone(): void;
};

export type Tell = (message: ToPhone) => void;

export type PhoneCallEvents = {
  /** The telephone rings now. Not for a call that was dialled here. */
  ringing: (call: PhoneCall) => void;
  /** A call that was dialled here was taken by the gateway. */
  taken: (call: PhoneCall) => void;
  ended: (call: PhoneCall, reason: PhoneCallEnd) => void;
};

const detailsOf = ({ callId, direction, from, to, language }: LineInput): PhoneCallDetails => ({
  call_id: callId,
  direction,
  from,
  to,
  language,
});

/** A far end that such a call answers for. */
export const phoneFarEnd =
  (input: LineInput, on: PhoneCallEvents): FarEnd =>
  (phone: Phone, time: LineTime) => {
    const details = detailsOf(input);
    const waiting: string[] = [];
    let tell: Tell | null = null;
    let voice: Voice | null = null;
    let cutsTold = 0;
    let keysTold = 0;
    let wasAnswered = false;
    let isOver = false;
    /** Why it ends, when it ends from here. */
    let ownReason: PhoneCallEnd | null = null;

    const send = (message: ToPhone): void => tell?.(message);

    const tellVoice = ({ utterance, text, durationMs }: Voice): void =>
      send({
        type: 'agent_says',
        call_id: details.call_id,
        utterance,
        text,
        duration_ms: Math.round(durationMs),
      });

    const goOn = (): void => {
      const text = phone.isSpeaking() ? undefined : waiting.shift();
      if (text !== undefined) phone.say(text);
    };

    const begin = (told: Tell): void => {
      wasAnswered = true;
      tell = told;
      send({ type: 'answered', ...details });
      phone.answer();
    };

    const call: PhoneCall = {
      details,
      answer: begin,
      decline() {
        ownReason = 'declined';
        phone.refuse('declined');
      },
      hangUp() {
        ownReason = 'hung_up';
        // A caller that gives up while the gateway still decides was never answered.
        if (wasAnswered) phone.hangUp();
        else phone.refuse('cancelled');
      },
      receive(message) {
        switch (message.type) {
          case 'say':
            if (waiting.length >= mostWaitingTexts) return send({ type: 'refused', code: 'too_much' });
            waiting.push(message.text);
            goOn();
            break;
          case 'speaking':
            phone.speak(message.on);
            break;
          case 'digit':
            phone.press(message.digit);
            break;
          case 'voice':
            phone.setReporting(message.on);
            break;
          case 'played':
            phone.reportHeard(message.utterance, message.heard_chars);
        }
      },
      resume(told) {
        tell = told;
        send({ type: 'answered', ...details });
        if (voice !== null) tellVoice(voice);
      },
      leaveAlone() {
        tell = null;
        phone.setReporting(false);
      },
    };

    return {
      start() {
        if (input.direction === 'inbound') {
          time.after(callerIsAnsweredMs, () => on.taken(call));
          return;
        }
        time.after(dialledToRingingMs, () => {
          phone.ring();
          on.ringing(call);
        });
      },
      notice() {
        if (isOver) return;
        if (phone.voicesCut() > cutsTold) send({ type: 'agent_stops', call_id: details.call_id });
        cutsTold = phone.voicesCut();
        const spoken = phone.voice();
        if (spoken !== null && spoken !== voice) tellVoice(spoken);
        voice = spoken;
        const keys = phone.keysHeard().slice(keysTold);
        keysTold += keys.length;
        if (keys !== '') send({ type: 'keys', call_id: details.call_id, keys });
        goOn();
      },
      stop() {
        if (isOver) return;
        isOver = true;
        on.ended(call, ownReason ?? (wasAnswered ? 'other_side' : 'cancelled'));
      },
    };
  };
