/** Calls of one gateway through the relay, which dies or lets go of them, and what the next one needs to go on with them. */
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import type { LeftLeg, LeftLine } from '#src/domain/sip-leg.ts';
import type { ServerAddress } from '#sip/drachtio/reconnect.ts';
import type { LegStore } from '#sip/drachtio/signalling/leg-tracker.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import {
  ownNumber,
  startServers,
  startSipEdgeOn,
  trunkAddress,
  type SipEdge,
} from '#test/doubles/sip-edge.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { until } from '#test/helpers/until.ts';
import { lineInput } from '#test/helpers/line-input.ts';

export const sdp = describeSound();
export const personNumber = '01000000011';
const seldom = { everyMs: 3_600_000, answerMs: 3_600_000 };

/** A way to a server that can be cut, as when a process dies. */
const startWay = async (t: ExecutionContext, { port }: ServerAddress) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  t.teardown(cut);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return { port: address.port, cut };
};

/** Keeps the legs of one process for the next one. */
const keeper = () => {
  const legs = new Map<string, LeftLeg>();
  const store: LegStore = {
    keep: (id, { leg }) => void legs.set(id, { id, leg }),
    takeOver() {},
    remove: (id) => void legs.delete(id),
    orphans: async () => [],
  };
  return { store, kept: () => [...legs.values()] };
};

export type Call = { line: WatchedLine; far: FarCall };

export const startWorld = async (
  t: ExecutionContext,
  media: 'direct' | 'freeswitch' = 'direct',
  by: 'relay' | 'drachtio' = 'relay',
) => {
  const servers = await startServers(t, media === 'direct' ? 0 : 1);
  const relay = createRelay({
    listen: { host: '127.0.0.1', port: 0 },
    drachtio: servers.drachtio.control,
    numbers: { ...relayNumbers, probe: seldom },
    clock: createTurnedClock(),
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => relay.close());
  const relayPort = await relay.start();
  const control = { ...servers.drachtio.control, ...(by === 'relay' && { port: relayPort }) };
  const legs = keeper();
  const gateway = (port: number): Promise<SipEdge> =>
    startSipEdgeOn(
      t,
      { ...servers, drachtio: { ...servers.drachtio, control: { ...control, port } } },
      { legs: legs.store, trunk: { address: trunkAddress, media } },
    );
  const way = await startWay(t, control);
  const doomed = await gateway(way.port);

  const dialled = async (): Promise<Call> => {
    const line = doomed.call();
    const far = await servers.trunk.receives('INVITE');
    far.answers(200, { sdp, headers: { 'Session-Expires': '1800;refresher=uac', Require: 'timer' } });
    await far.receives('ACK');
    await doomed.said([line], 'line.answered');
    return { line, far };
  };
  /** Two persons talk with each other. */
  const transferred = async (): Promise<{ call: Call; person: FarCall }> => {
    const call = await dialled();
    call.line.tell({ type: 'transfer', to: personNumber, mode: 'cold' });
    const person = await servers.trunk.receives('INVITE');
    person.answers(200, { sdp });
    await person.receives('ACK');
    await saw(call.line, 'line.transferred');
    return { call, person };
  };
  const taken = async (): Promise<Call> => {
    const far = servers.trunk.calls(ownNumber, { sdp });
    await far.receives(200);
    far.sends('ACK');
    await doomed.said(doomed.inbound, 'line.answered');
    const line = doomed.inbound.at(-1);
    if (line === undefined) throw new Error('No line was opened');
    return { line, far };
  };

  return {
    relay,
    doomed,
    legs,
    dialled,
    transferred,
    taken,
    trunk: servers.trunk,
    /** The process dies: its clock stands, and it does not come back. */
    async die() {
      way.cut();
      await until('it is gone', () => relay.sizes().dialogs === 0 || undefined);
    },
    next: () => gateway(control.port),
    adopt: (
      edge: SipEdge,
      left: readonly LeftLeg[] = legs.kept(),
      connectedWith: LeftLine['connectedWith'] = null,
    ): WatchedLine =>
      openWatched(
        (input, emit) => edge.lines.adopt(input, { legs: left, connectedWith }, emit),
        lineInput({ from: ownNumber }),
      ),
  };
};

export const saw = (line: WatchedLine, type: Parameters<WatchedLine['saw']>[0]): Promise<true> =>
  until(type, () => line.saw(type) || undefined);

/** The sound comes over, and the line is there; of a channel of FreeSWITCH that is adopted the far end hears nothing. */
export const comesOver = async (
  t: ExecutionContext,
  line: WatchedLine,
  { far }: Call,
  media: 'direct' | 'freeswitch' = 'direct',
): Promise<void> => {
  if (media === 'freeswitch') return void (await saw(line, 'line.adopted'));
  const again = await far.receives('INVITE');
  t.truthy(headerOf(again, 'Contact'));
  far.answers(200, { sdp: describeSound({ port: 30_002 }) });
  await far.receives('ACK');
  await saw(line, 'line.adopted');
  return undefined;
};
