/**
 * Softphones in calls of a minute, during which the gateway that holds them is killed three times: two gateways are
 * restarted in turn. A kill also meets calls that are being set up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { ApiClient } from '#test/helpers/api-client.ts';
import { credentialsIn } from '#test/start/gateway-process.ts';
import { isMachineBusy, loadNow } from './busy-machine.ts';
import { startTelephone, type Telephone } from './far-end.ts';
import { hangUpAll, startGateways, typesOf, untilAllGoOn, type Running } from './gateways-with-calls.ts';
import { watchGrowth } from './growth.ts';
import { onRealServers } from './on-real-servers.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { startTlsDrachtio } from './tls-trunk.ts';
import { startUdpEnd } from './udp-end.ts';
import { untilTime } from './until-time.ts';
import { soundings } from './wave.ts';

/** The carriers, each for audio and SIP in the clear and for SRTP and TLS; each kind of call has a trunk of its own. */
const kinds = (['freeswitch', 'direct'] as const).flatMap((media, carrier) =>
  [false, true].map((isEncrypted) => ({
    name: `${media}${isEncrypted ? ' SRTP TLS' : ''}`,
    media,
    isEncrypted,
    to: `010${1 + 2 * carrier + Number(isEncrypted)}1110000`,
  })),
);

const ringing = '01099990001';
const answering = '01099990002';

/** Longest pause that a far end may hear, in milliseconds; at high load other programs delay the audio. */
const longestPauseMs = (): number => (isMachineBusy() ? 5_000 : 500);
const killsOfACall = 3;
const betweenKillsMs = 16_000;

const placed = z.object({ call_id: z.uuid() });

const placeCall = async ({ client }: Running, to: string): Promise<string> =>
  placed.parse((await client.post('/api/v1/calls', { to, instruction: 'x' })).body).call_id;

const adminOf = async ({ client, folder }: Running): Promise<ApiClient> =>
  client.as((await credentialsIn(folder)).admin_token);

const stateIn = z.object({ trunks: z.array(z.object({ state: z.string() })) });

const startWorld = async (t: ExecutionContext, { folder, freeSwitch }: SipServers) => {
  const tls = await startTlsDrachtio(folder);
  t.teardown(tls.close);
  const telephones = await Promise.all(
    kinds.map(async ({ isEncrypted, to }) => {
      const telephone = await startTelephone(folder, {
        seconds: 150,
        from: to,
        srtp: isEncrypted,
        tls: true,
      });
      t.teardown(telephone.close);
      return telephone;
    }),
  );
  const end = await startUdpEnd({ ringing: [ringing] });
  t.teardown(end.close);
  const gateways = await startGateways(t, { drachtio: tls.server, freeSwitch }, 'freeswitch', end.port);
  const one = await gateways.start('one');
  const admin = await adminOf(one);
  const addTrunk = async (name: string, to: string, settings: object): Promise<void> => {
    const prefixes = [`+82${to.slice(1, 7)}`];
    const trunk = { name, host: '127.0.0.1', health_check: false, prefixes, ...settings };
    t.is((await admin.post('/api/v1/admin/trunks', trunk)).status, 201);
  };
  for (const [index, { name, media, isEncrypted, to }] of kinds.entries()) {
    const port = (telephones[index]?.port ?? 0) + Number(isEncrypted);
    const encryption = isEncrypted ? { transport: 'tls', srtp: 'required' } : {};
    await addTrunk(name, to, { port, media, ...encryption });
  }
  await until(async () => {
    const { trunks } = stateIn.parse((await admin.get('/api/v1/admin/trunks')).body);
    return trunks.length === kinds.length && trunks.every(({ state }) => state === 'ready');
  });
  return { ...gateways, one, two: await gateways.start('two'), telephones, end };
};

const hasFact = async (gateway: Running, callId: string, type: string): Promise<boolean> =>
  (await typesOf(gateway, callId)).includes(type);

const ladderIn = z.object({
  messages: z.array(z.object({ direction: z.string(), start_line: z.string() })),
});

/** The last SIP messages of a call, as direction and method or status. */
const lastMessages = async (gateway: Running, callId: string): Promise<string[]> =>
  ladderIn
    .parse((await (await adminOf(gateway)).get(`/api/v1/admin/calls/${callId}/sip`)).body)
    .messages.slice(-2)
    .map(({ direction, start_line: line }) => `${direction} ${line.replace(/^SIP\/2.0 | sip:.*/g, '')}`);

onRealServers('calls that outlive kills', (servers) => {
  realTimeTest(
    'calls of a minute outlive three kills of the gateway that holds them, with each carrier, encrypted or not',
    async (t) => {
      const { one, two, telephones, end, ...gateways } = await startWorld(t, servers());
      let [holder, next] = [one, two];
      const calls: string[] = [];
      for (const { to } of kinds) calls.push(await placeCall(holder, to));
      const placedAt = Date.now();
      await until(async () => {
        const answered = await Promise.all(calls.map((callId) => hasFact(holder, callId, 'call.answered')));
        return answered.every((is) => is);
      });
      const files = await Promise.all(telephones.map((telephone) => telephone.recording()));
      const watch = watchGrowth(files);
      t.teardown(watch.close);

      const setUp: string[] = [];
      const pauses: { of: number[]; limitMs: number }[] = [];
      for (let kills = 1; kills <= killsOfACall; kills += 1) {
        await untilTime(placedAt + kills * betweenKillsMs);
        if (kills === 1) {
          setUp.push(await placeCall(holder, ringing));
          await until(() => end.count('INVITE') === 1);
        }
        if (kills === 2) {
          setUp.push(await placeCall(holder, answering));
          await until(() => end.heard.some(({ method, user }) => method === 'INVITE' && user === answering));
        }
        const killedAt = Date.now();
        holder.signal('SIGKILL');
        // Reading the calls meanwhile would take processor time of the gateway that takes them over.
        await delay(2_000);
        await untilAllGoOn(next, calls, kills);
        pauses.push({ of: watch.longestPauses(killedAt), limitMs: longestPauseMs() });
        const again = await gateways.start(kills % 2 === 1 ? 'one' : 'two', holder.folder);
        [holder, next] = [next, again];
      }
      const figures = kinds.map(({ name }, index) => [name, pauses.map(({ of }) => of[index])]);
      t.log('longest pause after each kill, ms', Object.fromEntries(figures), { load: loadNow() });
      // A call whose set-up met a kill is over, or continues; its far end is never left alone.
      t.is(end.heard.filter(({ method, user }) => method === 'CANCEL' && user === ringing).length, 1);
      const [rang = '', wasAnswered = ''] = setUp;
      await until(() => hasFact(holder, rang, 'call.ended'));
      await until(async () => end.count('BYE') === 1 || hasFact(holder, wasAnswered, 'call.taken_over'));
      if (end.count('BYE') === 0) await hangUpAll(holder, [wasAnswered]);
      await until(() => hasFact(holder, wasAnswered, 'call.ended'));
      await until(() => end.count('BYE') + end.count('CANCEL') === 2);

      const each = (act: (telephone: Telephone) => Promise<void>): Promise<unknown> =>
        Promise.all(telephones.map((telephone) => act(telephone)));
      const untilAllHave = async (type: string): Promise<void> => {
        let missing: string[] = [];
        try {
          await until(async () => {
            const have = await Promise.all(calls.map((callId) => hasFact(holder, callId, type)));
            missing = kinds.flatMap(({ name }, index) => (have[index] === true ? [] : [name]));
            return missing.length === 0;
          });
        } catch (cause) {
          throw new Error(`${type} is missing: ${missing.join(', ')}`, { cause });
        }
      };
      await each((telephone) => telephone.tell('sndcode 5'));
      await untilAllHave('turn.digit');
      await each((telephone) => telephone.tell('hold'));
      await untilAllHave('call.held');
      await each((telephone) => telephone.tell('resume'));
      await untilAllHave('call.resumed');
      await untilTime(placedAt + 60_000);
      await each((telephone) => telephone.tell('hangup'));
      await untilAllHave('call.ended');
      for (const [index, callId] of calls.entries()) {
        const { name } = kinds[index] ?? {};
        const { body } = await holder.client.get(`/api/v1/calls/${callId}`);
        t.like(body, { status: 'completed', end_reason: 'counterparty_hangup' }, name);
        await until(async () => (await lastMessages(holder, callId)).includes('in BYE'));
        t.deepEqual(await lastMessages(holder, callId), ['in BYE', 'out 200 OK'], name);
        const types = await typesOf(holder, callId);
        const count = (type: string): number => types.filter((one) => one === type).length;
        t.deepEqual([count('call.taken_over'), count('call.ended')], [killsOfACall, 1], name);
      }
      for (const telephone of telephones) {
        const { channels, sampleRate } = await telephone.heard();
        const samples = channels[0] ?? new Int16Array();
        t.true(soundings(samples, sampleRate).length > 0, 'the agent is heard');
        t.notRegex(await telephone.log(), /failed to decrypt/);
      }
      for (const [index, { name }] of kinds.entries())
        for (const [kill, { of, limitMs }] of pauses.entries())
          t.true((of[index] ?? Infinity) <= limitMs, `${name}, kill ${kill + 1}: ${of[index]} ms`);
    },
  );
});
