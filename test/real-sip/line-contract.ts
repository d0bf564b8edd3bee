/** The line contract on real servers, with sipp as the far end, for each carrier. */
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { Lines } from '#sip/lines.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import type { FarEndKind, LineDriver } from '#test/contract/line-driver.ts';
import { lineContract } from '#test/contract/line-contract.ts';
import { pauseContract } from '#test/contract/pause.ts';
import { transferContract } from '#test/contract/transfer.ts';
import { beep, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { startFarEnd, type FarEndProcess, type Scenario } from './far-end.ts';
import { realLines, until } from './real-lines.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { realTimeTest } from './real-time-test.ts';
import { startTrunkOfPeople } from './trunk-of-people.ts';

const scenarios: Partial<Record<FarEndKind, Scenario>> = {
  silent: 'silent',
  unattended: 'unattended',
  busy: 'busy',
  declining: 'declining',
  dialling: 'dialling',
  echoing: 'echoing',
  leaving: 'leaving',
  talking: 'speaking',
  interrupting: 'speaking',
  murmuring: 'speaking',
  machine: 'speaking',
};

/** Behaviour of speaking far ends during a call. */
const speeches: Partial<Record<FarEndKind, (farEnd: EarAndMouth) => Promise<unknown>>> = {
  async talking(farEnd) {
    // Imitates people: audio starts shortly after the answer, and unanswered words are repeated.
    const call = farEnd.heard();
    for (let times = 1; times <= 3; times += 1) {
      await delay(1_000);
      if (farEnd.heard() !== call) return;
      await farEnd.say('Hello, who is there?');
      await delay(2_000);
    }
  },
  async machine(farEnd) {
    await delay(1_000);
    await farEnd.say('Please leave a message after the tone.');
    await delay(500);
    await farEnd.play(beep);
  },
  async interrupting(farEnd) {
    await farEnd.untilSpokenTo(800);
    await farEnd.say('Please wait a moment.');
  },
  async murmuring(farEnd) {
    await farEnd.untilSpokenTo(800);
    await farEnd.say('Uh-huh.');
  },
};

const numbers: Partial<Record<FarEndKind, string>> = {
  silent: '01000000006',
  unattended: '01000000002',
  busy: '01000000003',
  declining: '01000000004',
  unreachable: '01000000009',
  dialling: '01055550004',
  echoing: '01055550006',
  leaving: '01055550005',
  talking: '01055550001',
  interrupting: '01055550002',
  murmuring: '01055550003',
  machine: '01055550007',
};

const missing = missingPrograms();

export const realLineContract = (media: TrunkMedia): void => {
  if (missing.length > 0) {
    test.skip(`the line contract on real servers, ${media}: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
      t.pass());
  } else {
    let servers: SipServers;
    const callees: FarEndProcess[] = [];
    const sounds: EarAndMouth[] = [];
    const linesTo = new Map<string, Lines>();
    let people: Awaited<ReturnType<typeof startTrunkOfPeople>>;
    let linesToPeople: Lines;

    /** The audio of a speaking far end. */
    const soundOf = async (farEnd: string): Promise<{ ear?: number }> => {
      const behave = Object.entries(speeches).find(([name]) => name === farEnd)?.[1];
      if (behave === undefined) return {};
      const sound = await startEarAndMouth();
      sounds.push(sound);
      sound.onCall(() => behave(sound));
      return { ear: sound.port };
    };

    const startLines = async (trunkPort: number): Promise<Lines> => {
      const lines = await realLines(servers, trunkPort, {}, media);
      await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
      return lines;
    };

    test.before(async () => {
      servers = await startServers();
      const started = await Promise.all(
        Object.entries(scenarios).map(
          async ([farEnd, scenario]) =>
            [farEnd, await startFarEnd(scenario, servers.folder, await soundOf(farEnd))] as const,
        ),
      );
      callees.push(...started.map(([, callee]) => callee));
      const ports = new Map<string, number>(started.map(([farEnd, { port }]) => [farEnd, port]));
      for (const [farEnd, number] of Object.entries(numbers))
        // No process listens on port 9 of loopback.
        linesTo.set(number, await startLines(ports.get(farEnd) ?? 9));
      people = await startTrunkOfPeople(servers.sipPort);
      linesToPeople = await startLines(people.port);
    });

    test.after.always('no channel is left', async (t) => {
      for (const lines of [...linesTo.values(), linesToPeople]) await lines.close();
      await until(async () => /^0 total/m.test(await servers.console('show channels count')));
      for (const callee of callees) await callee.close();
      await people.close();
      for (const sound of sounds) await sound.close();
      await servers.close();
      t.pass();
    });

    const makeDriver = (): LineDriver => ({
      open(input, emit) {
        const lines = linesTo.get(input.to);
        if (lines === undefined) throw new Error('Nobody has this number');
        return lines.open(input, emit);
      },
      numberOf: (farEnd) => numbers[farEnd] ?? null,
      until,
      // An event that does not arrive within two seconds of real time counts as missing.
      pass: (milliseconds) => delay(Math.min(milliseconds, 2_000)).then(() => undefined),
      close: async () => {},
    });

    lineContract(realTimeTest, `drachtio, ${media}`, makeDriver);
    pauseContract(realTimeTest, `drachtio, ${media}`, makeDriver);
    transferContract(realTimeTest, `drachtio, ${media}`, () => ({
      ...makeDriver(),
      open: (input, emit) => linesToPeople.open(input, emit),
    }));
  }
};
