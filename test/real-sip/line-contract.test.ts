/** The line contract on real servers, with sipp as the far end. */
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { Lines } from '#sip/lines.ts';
import type { FarEnd, LineDriver } from '#test/contract/line-driver.ts';
import { lineContract } from '#test/contract/line.ts';
import { startCallee, type FarEndProcess, type Scenario } from './far-end.ts';
import { realLines, until } from './real-lines.ts';
import { missingPrograms, startServers, type SipServers } from './servers.ts';

const scenarios: Partial<Record<FarEnd, Scenario>> = {
  silent: 'silent',
  unattended: 'unattended',
  busy: 'busy',
  declining: 'declining',
  dialling: 'dialling',
  echoing: 'echoing',
  leaving: 'leaving',
};

/** Far ends that speak come with a recognizer. */
const numbers: Partial<Record<FarEnd, string>> = {
  silent: '01000000006',
  unattended: '01000000002',
  busy: '01000000003',
  declining: '01000000004',
  unreachable: '01000000009',
  dialling: '01055550004',
  echoing: '01055550006',
  leaving: '01055550005',
};

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the line contract on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  const callees: FarEndProcess[] = [];
  const linesTo = new Map<string, Lines>();

  test.before(async () => {
    servers = await startServers();
    const started = await Promise.all(
      Object.entries(scenarios).map(
        async ([farEnd, scenario]) => [farEnd, await startCallee(scenario, servers.folder)] as const,
      ),
    );
    callees.push(...started.map(([, callee]) => callee));
    const ports = new Map<string, number>(started.map(([farEnd, { port }]) => [farEnd, port]));
    for (const [farEnd, number] of Object.entries(numbers)) {
      // Nobody listens on port 9 of loopback.
      const lines = realLines(servers, ports.get(farEnd) ?? 9);
      await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
      linesTo.set(number, lines);
    }
  });

  test.after.always('no channel is left', async (t) => {
    for (const lines of linesTo.values()) await lines.close();
    await until(async () => /^0 total/m.test(await servers.console('show channels count')), 3_000);
    for (const callee of callees) await callee.close();
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
    pass: (milliseconds) => delay(milliseconds).then(() => undefined),
    close: async () => {},
  });

  lineContract(test, 'drachtio', makeDriver);
}
