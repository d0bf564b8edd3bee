/** Web phones on a simulated clock, and the lines that ring them. */
import { pino } from 'pino';
import { answeringMachine, webPhones } from '#config/policy.ts';
import { createSimulatorLines, type SimulatorLinesOptions } from '#sip/simulator/simulator-lines.ts';
import { createWebPhones, type Dial, type Dialled, type PhoneConnection } from '#sip/webphone/web-phones.ts';
import type { FromPhone, ToPhone } from '#src/domain/web-phone.ts';
import { createOrderedClock, type OrderedClock } from '#test/contract/ordered-clock.ts';

export const comeBackMs = 6_000;

/** A browser with the console open. */
export type TestPhone = {
  readonly told: readonly ToPhone[];
  send(message: FromPhone): void;
  /** Sends a binary message. */
  sendBytes(message: Uint8Array): void;
  lose(): void;
  /** Another browser has claimed its name. */
  wasReplaced(): boolean;
  all<Type extends ToPhone['type']>(type: Type): Extract<ToPhone, { type: Type }>[];
  /** The types of all messages that the phone received, in order. */
  story(): string[];
};

/** `mediaFor`: the carrier of audio; undefined without audio. */
export const createPhoneNetwork = (
  clock: OrderedClock = createOrderedClock(),
  mediaFor: SimulatorLinesOptions['mediaFor'] = false,
) => {
  const workspaces = new Map<string, string>();
  const ends: string[] = [];
  const logger = pino({ level: 'silent' });
  const phones = createWebPhones({
    workspaceOf: (callId) => workspaces.get(callId) ?? 'here',
    comeBackMs,
    resumeMs: webPhones.resumeMs,
    sound: mediaFor === false ? null : webPhones.sound,
    clock,
    logger,
  });
  const lines = createSimulatorLines({
    clock,
    speed: 1,
    answering: answeringMachine,
    logger,
    recording: null,
    mediaFor,
    anybody: phones.partyFor,
    resumePhone: phones.resume,
  });
  const dial: Dial = async ({ to, partyFor }) => {
    if (network.verdict !== null) return network.verdict;
    const { verdict } = await lines.placeInbound({ to, from: '01055559999', script: null, partyFor });
    return verdict.accepted ? verdict : { accepted: false, because: 'caller_rejected' };
  };
  const network = {
    clock,
    lines,
    phones,
    dial,
    ends,
    /** The workspace of this call, if not the usual one. */
    workspaces,
    verdict: null as Dialled | null,
    phone(
      name = 'phone-0001',
      workspaceId = 'here',
      act: (message: ToPhone) => void = () => {},
      play: (frame: Uint8Array) => void = () => {},
    ): TestPhone {
      const told: ToPhone[] = [];
      let isReplaced = false;
      const connection: PhoneConnection = phones.connect({
        workspaceId,
        name,
        since: clock.now(),
        tell(message) {
          told.push(message);
          act(message);
        },
        play,
        replaced: () => (isReplaced = true),
        dial,
      });
      return {
        told,
        send: connection.receive,
        sendBytes: connection.hear,
        lose: connection.lost,
        wasReplaced: () => isReplaced,
        all: <Type extends ToPhone['type']>(type: Type) =>
          told.filter((message): message is Extract<ToPhone, { type: Type }> => message.type === type),
        story: () => told.map(({ type }) => type),
      };
    },
    until(condition: () => boolean, atMostMs = 30_000): void {
      const end = clock.now() + atMostMs;
      while (!condition()) {
        if (clock.now() > end) throw new Error('It did not happen in time');
        clock.advance(5);
      }
    },
    async close() {
      phones.close();
      await lines.close();
    },
  };
  return network;
};
