/** The line contract with a person in a browser at the far end whose behaviour depends on the number. */
import test from 'ava';
import type { FromPhone, ToPhone } from '#src/domain/web-phone.ts';
import { createPhoneNetwork, type TestPhone } from '#test/sip/webphone/phone-network.ts';
import type { FarEndKind, NotingDriver } from './line-driver.ts';
import { lineContract } from './line-contract.ts';
import { languageContract } from './language.ts';
import { pauseContract } from './pause.ts';
import { transferContract } from './transfer.ts';
import { createOrderedClock } from './ordered-clock.ts';

const numbers: Readonly<Record<FarEndKind, string | null>> = {
  silent: '01055550001',
  unattended: '01055550002',
  busy: null,
  declining: '01055550003',
  unreachable: null,
  talking: '01055550004',
  interrupting: '01055550005',
  murmuring: '01055550006',
  dialling: '01055550007',
  echoing: '01055550008',
  machine: null,
  leaving: '01055550009',
};

const answerAfterMs = 500;

type Manner = {
  /** The phone has a voice, and reports the heard part word by word. */
  reports: boolean;
  /** The browser notices that the person speaks before it knows the words. */
  notices: boolean;
};

const person = (clock: ReturnType<typeof createOrderedClock>, phone: () => TestPhone, manner: Manner) => {
  let farEnd: string | undefined;
  let keys = '';
  let hasSpoken = false;
  let speaking: symbol | undefined;
  const after = (ms: number, ...messages: FromPhone[]): void =>
    void clock.setTimeout(() => messages.forEach((message) => phone().send(message)), ms);
  const say = (ms: number, text: string): void => {
    if (manner.notices) after(ms, { type: 'speaking', on: true });
    after(ms + (manner.notices ? 600 : 0), { type: 'say', text });
  };

  /** Speaking rate of the phone's voice: slower than calm speech, with a late start. */
  const speakAloud = ({ utterance, text }: Extract<ToPhone, { type: 'agent_says' }>): void => {
    const me = Symbol();
    speaking = me;
    for (let heard = 0; heard <= text.length; heard += 1)
      clock.setTimeout(
        () => {
          if (speaking === me) phone().send({ type: 'played', utterance, heard_chars: heard });
        },
        300 + heard * 90,
      );
  };

  return (message: ToPhone): void => {
    switch (message.type) {
      case 'ring':
        farEnd = Object.keys(numbers).find((name) => numbers[name as FarEndKind] === message.to);
        if (manner.reports) phone().send({ type: 'voice', on: true });
        if (farEnd === 'declining') after(answerAfterMs, { type: 'decline', call_id: message.call_id });
        else if (farEnd !== 'unattended') after(answerAfterMs, { type: 'answer', call_id: message.call_id });
        break;
      case 'answered':
        if (farEnd === 'talking') say(300, 'Hello, who is there?');
        if (farEnd === 'dialling') for (const digit of '12#') after(300, { type: 'digit', digit });
        if (farEnd === 'leaving') after(2_000, { type: 'hang_up' });
        break;
      case 'agent_says':
        if (manner.reports) speakAloud(message);
        if (farEnd === 'interrupting' && !hasSpoken) say(700, 'Please wait a moment.');
        if (farEnd === 'murmuring' && !hasSpoken) after(700, { type: 'say', text: 'Uh-huh.' });
        hasSpoken = true;
        break;
      case 'agent_stops':
        speaking = undefined;
        break;
      case 'keys':
        keys += message.keys;
        if (farEnd === 'echoing' && keys === '12#')
          for (const digit of keys) after(50, { type: 'digit', digit });
    }
  };
};

const makeDriver = (manner: Manner) => (): NotingDriver => {
  const clock = createOrderedClock();
  const network = createPhoneNetwork(clock);
  const act = person(clock, () => phone, manner);
  const phone: TestPhone = network.phone('phone-0001', 'here', act);
  return {
    open: network.lines.open,
    numberOf: (farEnd) => numbers[farEnd],
    spokenIn: async () => phone.all('agent_says').map(({ language = 'en' }) => language),
    async until(condition, atMostMs = 5_000) {
      const end = clock.now() + atMostMs;
      while (!condition()) {
        if (clock.now() > end) throw new Error('It did not happen in time');
        clock.advance(1);
      }
    },
    async pass(milliseconds) {
      clock.advance(milliseconds);
    },
    close: network.close,
  };
};

/** Far ends that a web phone cannot imitate. */
const unreached = ['busy', 'unreachable', 'machine'] as const;

lineContract(test, 'web phone, read', makeDriver({ reports: false, notices: false }), unreached);
lineContract(test, 'web phone, heard aloud', makeDriver({ reports: true, notices: true }), unreached);
pauseContract(test, 'web phone, read', makeDriver({ reports: false, notices: false }), unreached);
transferContract(test, 'web phone, read', makeDriver({ reports: false, notices: false }));
languageContract(test, 'web phone, read', makeDriver({ reports: false, notices: false }));
