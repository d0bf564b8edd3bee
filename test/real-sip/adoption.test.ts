/** A gateway is killed during a call, and another one continues the same dialog through the relay. */
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import type { LineEvent } from '#machines/line.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import type { StoredLeg } from '#src/domain/sip-leg.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { headerOf, requestUriOf } from '#test/doubles/sip-parser.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { ownPort } from './ports.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { createUdpNetwork } from './udp-network.ts';

const ear = 20_500;
const sdp = describeSound({ port: ear });

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`take-over of calls: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(() => servers.close());

  type Media = 'direct' | 'freeswitch';

  /** An active call in a process of its own, through a record-routing proxy; `timer` is that of its answer. */
  const startDoomed = async (t: ExecutionContext, media: Media, timer: Record<string, string> = {}) => {
    const network = createUdpNetwork(servers.sipPort);
    t.teardown(network.close);
    const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
    const trunkPort = Number(trunk.address.split(':')[1]);
    const relay = createRelay({
      listen: { host: '127.0.0.1', port: 0 },
      drachtio: servers.drachtio,
      numbers: relayNumbers,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
    });
    t.teardown(() => relay.close());
    const drachtio = { ...servers.drachtio, port: await relay.start() };
    const { freeSwitch } = servers;
    const doomed = await startDoomedGateway(t, { drachtio, freeSwitch }, { trunkPort, media });
    const far = await trunk.receives('INVITE');
    far.answers(200, {
      sdp,
      headers: { 'Record-Route': `<sip:${trunk.address};lr>`, Contact: '<sip:far@192.0.2.1:9>', ...timer },
    });
    await far.receives('ACK');
    await doomed.answered();
    return {
      far,
      relay,
      trunk,
      drachtio,
      trunkPort,
      async kill(): Promise<StoredLeg> {
        const left = await doomed.kill();
        await until(() => relay.sizes().dialogs === 0);
        return left;
      },
    };
  };

  type Doomed = Awaited<ReturnType<typeof startDoomed>>;

  const adopt = async (
    t: ExecutionContext,
    { drachtio, trunkPort }: Doomed,
    left: StoredLeg,
    media: Media,
  ) => {
    const lines = await realLines({ drachtio, freeSwitch: servers.freeSwitch }, trunkPort, {}, media);
    t.teardown(() => lines.close());
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    await until(() => lines.health().ready);
    const events: LineEvent[] = [];
    const line = lines.resume(
      lineInput(),
      { legs: [left], farEnd: null, connectedWith: null, heard: null, formerSends: false },
      (event) => void events.push(event),
    );
    return {
      line,
      events,
      has: (type: string) => until(() => events.some((event) => event.type === type)),
    };
  };

  /** The far end gets a new media address only if it changes: a channel of FreeSWITCH stays as it is. */
  const soundMoves = async (t: ExecutionContext, { far, trunk }: Doomed, media: Media): Promise<void> => {
    if (media === 'freeswitch') return;
    const again = await far.receives('INVITE');
    t.is(requestUriOf(again), 'sip:far@192.0.2.1:9');
    t.regex(headerOf(again, 'Route') ?? '', new RegExp(trunk.address));
    far.answers(200, { sdp, headers: { Contact: '<sip:far@192.0.2.1:9>' } });
    await far.receives('ACK');
  };

  for (const media of ['direct', 'freeswitch'] as const) {
    realTimeTest(
      `${media}: requests of the far end after the take-over, and its BYE, reach the next gateway`,
      async (t) => {
        const doomed = await startDoomed(t, media);
        const { far } = doomed;
        const left = await doomed.kill();
        far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
        await until(() => doomed.relay.sizes().held === 1);
        const { events, has } = await adopt(t, doomed, left, media);
        await soundMoves(t, doomed, media);
        await far.receives(200);
        await has('line.digit');
        far.sends('INVITE', { sdp: describeSound({ port: ear, direction: 'sendonly' }) });
        await far.receives(200);
        far.sends('ACK');
        await has('line.held');
        far.sends('BYE');
        await far.receives(200);
        await has('line.ended');
        t.is(events[0]?.type, 'line.adopted');
        t.like(events.at(-1), { type: 'line.ended', by: 'counterparty' });
      },
    );

    realTimeTest(`${media}: the next gateway hangs up through the proxy of the call`, async (t) => {
      const doomed = await startDoomed(t, media);
      const { far } = doomed;
      const { line, has } = await adopt(t, doomed, await doomed.kill(), media);
      await soundMoves(t, doomed, media);
      await has('line.adopted');
      line.tell({ type: 'hangUp' });
      const bye = await far.receives('BYE');
      t.is(requestUriOf(bye), 'sip:far@192.0.2.1:9');
      t.regex(headerOf(bye, 'Route') ?? '', new RegExp(doomed.trunk.address));
      far.answers(200);
      await has('line.ended');
    });
  }

  const timer = (value: string) => ({ Require: 'timer', 'Session-Expires': value });
  const contact = { Contact: '<sip:far@192.0.2.1:9>' };

  for (const media of ['direct', 'freeswitch'] as const) {
    realTimeTest(`${media}: refreshes the session if the dead gateway was its refresher`, async (t) => {
      const ours = timer('12;refresher=uac');
      const doomed = await startDoomed(t, media, ours);
      const { far } = doomed;
      const { line, has, events } = await adopt(t, doomed, await doomed.kill(), media);
      let described = far.last('INVITE');
      if (media === 'direct') {
        described = await far.receives('INVITE');
        t.is(headerOf(described, 'Session-Expires'), '12;refresher=uac');
        far.answers(200, { sdp, headers: { ...contact, ...ours } });
        await far.receives('ACK');
      }
      await has('line.adopted');
      // drachtio-server sends the refresh after half of the interval, give or take five seconds.
      const refresh = await far.receives('INVITE');
      t.is(refresh.body, described.body);
      t.regex(headerOf(refresh, 'Session-Expires') ?? '', /^12; ?refresher=uac$/);
      far.answers(200, { sdp, headers: { ...contact, ...timer('90;refresher=uac') } });
      await far.receives('ACK');
      far.sends('BYE');
      await far.receives(200);
      await has('line.ended');
      t.like(events.at(-1), { type: 'line.ended', by: 'counterparty' });
      line.close();
    });

    realTimeTest(
      `${media}: accepts refreshes of a far end that is the refresher after the take-over`,
      async (t) => {
        const doomed = await startDoomed(t, media, timer('90;refresher=uas'));
        const { far } = doomed;
        const left = await doomed.kill();
        // No gateway is alive now; RFC 3261 section 14.1 rejects a second INVITE meanwhile.
        far.sends('INVITE', { sdp, headers: { 'Session-Expires': '90;refresher=uac' } });
        await until(() => doomed.relay.sizes().held === 1);
        const { has, line } = await adopt(t, doomed, left, media);
        const answer = await far.receives(200);
        t.is(headerOf(answer, 'Session-Expires'), '90;refresher=uac');
        far.sends('ACK');
        await has('line.adopted');
        far.sends('UPDATE', { headers: { 'Session-Expires': '90;refresher=uac' } });
        t.is(headerOf(await far.receives(200), 'Session-Expires'), '90;refresher=uac');
        line.tell({ type: 'hangUp' });
        await far.receives('BYE');
        far.answers(200);
        await has('line.ended');
      },
    );
  }

  realTimeTest(
    "keeps the far end as the refresher, and accepts its INVITE that crosses the gateway's own",
    async (t) => {
      const theirs = timer('90;refresher=uas');
      const doomed = await startDoomed(t, 'direct', theirs);
      const { far } = doomed;
      const { has, line } = await adopt(t, doomed, await doomed.kill(), 'direct');
      const again = await far.receives('INVITE');
      t.is(headerOf(again, 'Session-Expires'), '90;refresher=uas');
      far.sends('INVITE', { sdp, headers: { 'Session-Expires': '90;refresher=uac' } });
      far.answers(491, { to: 'INVITE' });
      await far.receives(200);
      far.sends('ACK');
      await has('line.adopted');
      line.tell({ type: 'hangUp' });
      await far.receives('BYE');
      far.answers(200);
      await has('line.ended');
    },
  );

  realTimeTest("answers the far end's BYE received during take-over and ends the call", async (t) => {
    const doomed = await startDoomed(t, 'direct');
    const left = await doomed.kill();
    doomed.far.sends('BYE');
    await until(() => doomed.relay.sizes().held === 1);
    const { events, has } = await adopt(t, doomed, left, 'direct');
    await doomed.far.receives(200);
    await has('line.ended');
    t.like(events[0], { type: 'line.ended', by: 'counterparty' });
  });
}
