/** drachtio-server that goes away, hangs or comes back, and the far ends of calls that nobody holds any more. */
import test from 'ava';
import { controlProbe } from '#config/policy.ts';
import type { LegStore } from '#sip/drachtio/signalling/leg-tracker.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { mustHave, requestUriOf, tagOf } from '#test/doubles/sip-parser.ts';
import {
  ownNumber,
  startSipEdge,
  startSipEdgeOn,
  trunkAddress,
  type SipEdge,
} from '#test/doubles/sip-edge.ts';
import { until } from '#test/helpers/until.ts';

const sdp = describeSound();

type Call = { line: WatchedLine; farCall: FarCall };

const ringing = async (edge: SipEdge): Promise<Call> => {
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  return { line, farCall };
};

const dialled = async (edge: SipEdge): Promise<Call> => {
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { line, farCall };
};

const taken = async (edge: SipEdge): Promise<Call> => {
  const farCall = edge.trunk.calls(ownNumber, { sdp });
  await farCall.receives(200);
  farCall.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  const line = edge.inbound.at(-1);
  if (line === undefined) throw new Error('No line was opened');
  return { line, farCall };
};

/** It is found out that the connection is lost, and the next attempt succeeds. */
const comesBack = async ({ lines, clock }: SipEdge): Promise<void> => {
  await until('it is lost', () => !lines.health().ready || undefined);
  clock.advance(250);
  await until('it is back', () => lines.health().ready || undefined);
};

/** Lets time go by until it is connected again. */
const untilReady = ({ lines, clock }: SipEdge): Promise<true> =>
  until('the lines are ready', () => {
    if (lines.health().ready) return true;
    clock.advance(250);
    return undefined;
  });

test('when drachtio-server stays away, calls end, nothing new begins, and it is said', async (t) => {
  const edge = await startSipEdge(t);
  const [one, other] = [await dialled(edge), await ringing(edge)];
  await edge.drachtio.kill();
  await edge.said([other.line], 'line.unanswered');
  edge.clock.advance(controlProbe.comeBackMs - 1);
  t.false(one.line.saw('line.failed'));
  edge.clock.advance(1);
  await edge.said([one.line], 'line.failed');
  t.like(other.line.all('line.unanswered')[0], { cause: 'trunk_error', sip: { status: 180 } });
  const health = edge.lines.health();
  t.regex(health.ready ? '' : health.detail, /drachtio-server at 127\.0\.0\.1:\d+: it was lost/);
  const line = edge.call();
  await edge.said([line], 'line.unanswered');
  t.like(line.all('line.unanswered')[0], { cause: 'trunk_error', sip: { status: null } });

  await edge.drachtio.restart();
  await untilReady(edge);
  await dialled(edge);
});

test('calls of which drachtio-server still knows when it is reached again go on', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'direct' } });
  const [one, other] = [await dialled(edge), await taken(edge)];
  edge.drachtio.cutConnections();
  await comesBack(edge);
  // It hears nothing of what the far end asks there; that it has hung up is found out.
  one.farCall.sends('BYE');
  await one.farCall.receives(481);
  await until('it is found out', () => {
    edge.clock.advance(5_000);
    return one.line.saw('line.ended') || undefined;
  });
  t.like(one.line.all('line.ended')[0], { by: 'counterparty' });
  other.line.tell({ type: 'hangUp' });
  await other.farCall.receives('BYE');
  other.farCall.answers(200);
  await edge.said([other.line], 'line.ended');
  for (const { line } of [one, other]) t.false(line.saw('line.failed'));
  t.false(one.farCall.ladder().includes('← BYE'));
});

test('a call that ends while drachtio-server is away is ended when it is reached again', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'direct' } });
  const { line, farCall } = await dialled(edge);
  edge.drachtio.cutConnections();
  await until('it is lost', () => !edge.lines.health().ready || undefined);
  line.tell({ type: 'hangUp' });
  await edge.said([line], 'line.ended');
  await untilReady(edge);
  await t.notThrowsAsync(farCall.receives('BYE'));
});

test('far ends of calls that could not wait for drachtio-server are ended when it is reached again', async (t) => {
  const edge = await startSipEdge(t);
  const calls = [await dialled(edge), await taken(edge)];
  edge.drachtio.cutConnections();
  await until('it is lost', () => !edge.lines.health().ready || undefined);
  edge.drachtio.freeze();
  edge.clock.advance(controlProbe.comeBackMs);
  for (const { line } of calls) await edge.said([line], 'line.failed');
  edge.drachtio.goOn();
  await untilReady(edge);
  for (const { farCall } of calls) {
    await farCall.receives('BYE');
    farCall.answers(200);
  }
  t.deepEqual(
    calls.map(({ farCall }) => farCall.ladder().filter((message) => message === '← BYE').length),
    [1, 1],
  );
});

test('far ends of which a new drachtio-server knows nothing are ended by what was kept of them', async (t) => {
  const edge = await startSipEdge(t);
  const { line, farCall } = await dialled(edge);
  const invite = farCall.last('INVITE');
  await edge.drachtio.kill();
  await edge.drachtio.restart();
  await comesBack(edge);
  await edge.said([line], 'line.failed');
  const bye = await farCall.receives('BYE');
  t.is(requestUriOf(bye), `sip:far@${edge.trunk.address}`);
  t.is(mustHave(bye, 'From'), mustHave(invite, 'From'));
  t.is(tagOf(mustHave(bye, 'To')), tagOf(farCall.own()));
  t.true(parseInt(mustHave(bye, 'CSeq'), 10) > parseInt(mustHave(invite, 'CSeq'), 10));
});

test('a telephone that rang when the connection was lost is cancelled', async (t) => {
  const edge = await startSipEdge(t);
  const { line, farCall } = await ringing(edge);
  edge.drachtio.cutConnections();
  await edge.said([line], 'line.unanswered');
  await untilReady(edge);
  await t.notThrowsAsync(farCall.receives('CANCEL'));
});

test('drachtio-server that takes in nothing any more is connected with anew', async (t) => {
  const edge = await startSipEdge(t, { controlProbe });
  edge.drachtio.freeze();
  await until('it is found out', () => {
    if (!edge.lines.health().ready) return true;
    edge.clock.advance(controlProbe.everyMs);
    return undefined;
  });
  const health = edge.lines.health();
  t.regex(health.ready ? '' : health.detail, /drachtio-server at .*: it was lost/);
  edge.drachtio.goOn();
  await untilReady(edge);
  await dialled(edge);
});

test('a secret that drachtio-server does not take is named', async (t) => {
  const edge = await startSipEdge(t, { spoil: ({ drachtio }) => drachtio.changeSecret() });
  const health = edge.lines.health();
  t.regex(health.ready ? '' : health.detail, /it refused the secret \(GW_DRACHTIO_SECRET\)/);
});

/** Keeps the legs of one process for the next one. */
const keeper = () => {
  const legs = new Map<string, Awaited<ReturnType<LegStore['orphans']>>[number]>();
  const store: LegStore = {
    keep: (id, { callId, leg }) => void legs.set(id, { id, callId, leg }),
    remove: (id) => void legs.delete(id),
    orphans: async () => [],
  };
  return { store, kept: () => [...legs.values()] };
};

test('what a dead gateway has left standing or ringing the next one ends', async (t) => {
  const legs = keeper();
  const dead = await startSipEdge(t, { legs: legs.store });
  const [one, other, rings] = [await dialled(dead), await taken(dead), await ringing(dead)];
  const orphans = legs.kept();
  t.deepEqual(orphans.map(({ leg }) => leg.state).toSorted(), ['inviting', 'standing', 'standing']);
  // Its clock stands: it does not come back.
  dead.drachtio.cutConnections();

  const next = await startSipEdgeOn(t, dead, { legs: { ...legs.store, orphans: async () => orphans } });
  for (const { farCall } of [one, other]) {
    await farCall.receives('BYE');
    farCall.answers(200);
  }
  await rings.farCall.receives('CANCEL');
  rings.farCall.answers(200, { to: 'CANCEL' });
  rings.farCall.answers(487, { to: 'INVITE' });
  await until('nothing is kept of them', () => {
    next.clock.advance(500);
    return legs.kept().length === 0 || undefined;
  });
  await next.freeSwitches[0]?.untilChannels(0);
  t.pass();
});

test('an answer that a dead gateway has not confirmed is confirmed and hung up on', async (t) => {
  const legs = keeper();
  const dead = await startSipEdge(t, { legs: legs.store });
  const { farCall } = await ringing(dead);
  const orphans = legs.kept();
  dead.drachtio.cutConnections();
  farCall.answers(200, { sdp });
  await startSipEdgeOn(t, dead, { legs: { ...legs.store, orphans: async () => orphans } });
  await farCall.receives('ACK');
  await t.notThrowsAsync(farCall.receives('BYE'));
});

test('who waited for a dead gateway is refused by the next one', async (t) => {
  const legs = keeper();
  const dead = await startSipEdge(t, { legs: legs.store, opensNothing: true });
  const farCall = dead.trunk.calls(ownNumber, { sdp });
  await dead.until(() => dead.arrivals.length === 1);
  const orphans = legs.kept();
  dead.drachtio.cutConnections();
  await startSipEdgeOn(t, dead, { legs: { ...legs.store, orphans: async () => orphans } });
  await t.notThrowsAsync(farCall.receives(480));
});

test('the far ends of another node that has died are ended by one that lives', async (t) => {
  const legs = keeper();
  const dead = await startSipEdge(t, { legs: legs.store });
  const { farCall } = await dialled(dead);
  const asked: (string | undefined)[] = [];
  const living = await startSipEdgeOn(t, dead, {
    legs: {
      ...legs.store,
      async orphans(node) {
        asked.push(node);
        return node === 'dead' ? legs.kept() : [];
      },
    },
  });
  await living.lines.endLegsOf('dead');
  await farCall.receives('BYE');
  t.deepEqual(asked, [undefined, 'dead']);
  await living.freeSwitches[0]?.untilChannels(0);
});
