/**
 * Calls of one gateway through the relay, which dies or hands them over, and the state that the next gateway needs to
 * resume them.
 */
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import type { StoredLeg, LineResumeState } from '#src/domain/sip-leg.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import type { ServerAddress } from '#sip/reconnect.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { keepLegs } from '#test/doubles/kept-legs.ts';
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

/** A connection to a server that can be cut, as when a process dies, or interrupted. */
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
  const interrupt = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  };
  const cut = (): void => {
    server.close();
    interrupt();
  };
  t.teardown(cut);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return { port: address.port, cut, interrupt };
};

export type Call = { line: WatchedLine; far: FarCall };

export const startWorld = async (
  t: ExecutionContext,
  media: TrunkMedia = 'direct',
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
  const legs = keepLegs();
  /** Ids of calls that a gateway has released because another one has taken them over. */
  const released: string[] = [];
  const gateway = (node: string, port: number): Promise<SipEdge> =>
    startSipEdgeOn(
      t,
      { ...servers, drachtio: { ...servers.drachtio, control: { ...control, port } } },
      {
        storeLegs: legs.store,
        trunk: { address: trunkAddress, media },
        onTaken: (callId) => void released.push(callId),
        ...(by === 'relay' && { relay: { node, onNodeLost() {} } }),
      },
    );
  const way = await startWay(t, control);
  const doomed = await gateway('doomed', way.port);

  const dialled = async (): Promise<Call> => {
    const line = doomed.call();
    const far = await servers.trunk.receives('INVITE');
    far.answers(200, { sdp, headers: { 'Session-Expires': '1800;refresher=uac', Require: 'timer' } });
    await far.receives('ACK');
    await doomed.said([line], 'line.answered');
    return { line, far };
  };
  /** Two persons talk to each other. */
  const transferred = async (): Promise<{ call: Call; person: FarCall }> => {
    const call = await dialled();
    call.line.tell({ type: 'transfer', to: personNumber, mode: 'cold' });
    const person = await servers.trunk.receives('INVITE');
    person.answers(200, { sdp });
    await person.receives('ACK');
    await saw(call.line, 'line.transferred');
    return { call, person };
  };
  const taken = async (offer = sdp): Promise<Call> => {
    const far = servers.trunk.calls(ownNumber, { sdp: offer });
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
    released,
    trunk: servers.trunk,
    /** The process dies: its clock stops, and it does not continue. */
    async die() {
      const before = servers.drachtio.clients();
      way.cut();
      const isGone = (): boolean =>
        by === 'relay' ? relay.sizes().dialogs === 0 : servers.drachtio.clients() < before;
      await until('it is gone', () => isGone() || undefined);
    },
    /** The process loses its connection, and can connect again. */
    interrupt: way.interrupt,
    next: () => gateway('next', control.port),
    /** Whether the gateway that dies could hand over this line now. */
    isResumable: ({ callId }: WatchedLine): boolean => doomed.lines.checkpoint(callId).isResumable,
    adopt: (
      edge: SipEdge,
      left: readonly StoredLeg[] = legs.kept(),
      connectedWith: LineResumeState['connectedWith'] = null,
      formerSends = false,
    ): WatchedLine =>
      openWatched(
        (input, emit) =>
          edge.lines.resume(
            input,
            { legs: left, farEnd: null, connectedWith, heard: null, formerSends },
            emit,
          ),
        lineInput({ from: ownNumber, callId: legs.callOf(left) ?? randomUUID() }),
      ),
  };
};

export const saw = (line: WatchedLine, type: Parameters<WatchedLine['saw']>[0]): Promise<true> =>
  until(type, () => line.saw(type) || undefined);

/**
 * Waits until the audio has moved and the line exists; when a channel of FreeSWITCH is taken over, the far end
 * notices no change.
 */
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
