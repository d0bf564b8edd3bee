/** Routing of outbound calls: failover between trunks, and redirects of a trunk. */
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { answer, receive, startScripted } from './scripted-end.ts';
import { startBlackHole } from './trunk-ends.ts';
import { call, callee, dial, trunkAt, withTrunkLines } from './trunk-lines.ts';

/** Answers one call with this response. */
const answersWith = (folder: string, status: string, headers: string[] = []) =>
  startScripted(folder, [receive('INVITE'), answer(status, { tag: true, headers }), receive('ACK')]);

const at = (port: number, priority: number) => ({
  host: '127.0.0.1',
  port,
  priority,
  weight: 10,
  drained: false,
});

withTrunkLines('the routing of calls out', ({ servers, startTrunkFor, linesWith }) => {
  realTimeTest('tries the next trunk if one forbids the call or is overloaded', async (t) => {
    const forbidding = await answersWith(servers().folder, '403 Forbidden');
    t.teardown(forbidding.close);
    const busy = await answersWith(servers().folder, '429 Too Many Requests', ['Retry-After: 60']);
    t.teardown(busy.close);
    const far = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(forbidding.port, { name: 'forbidding', priority: 1 }),
      trunkAt(busy.port, { name: 'busy', priority: 2 }),
      trunkAt(far.port, { name: 'last', priority: 3 }),
    ]);
    t.like(await call(lines), { type: 'line.answered' });
    await t.notThrowsAsync(forbidding.finished());
    await t.notThrowsAsync(busy.finished());
    t.like(await call(lines), { type: 'line.answered' });
    t.is((await busy.messages()).match(/^INVITE sip:/gm)?.length, 1, 'it has asked to be left alone');
  });

  realTimeTest('follows a redirect of the trunk and keeps the call there', async (t) => {
    const far = await startTrunkFor(t, 'silent');
    const sending = await answersWith(servers().folder, '302 Moved Temporarily', [
      `Contact: <sip:${callee}@127.0.0.1:9>;q=0.1, <sip:${callee}@127.0.0.1:${far.port}>;q=0.9`,
    ]);
    t.teardown(sending.close);
    const lines = await linesWith(t, [trunkAt(sending.port, { redirects: 'same_host' })]);
    t.like(await call(lines), { type: 'line.answered', sip: { status: 200 } });
    await until(async () => /^BYE sip:/m.test(await far.messages()));
    await t.notThrowsAsync(sending.finished());
  });

  realTimeTest('ends the call at a redirect that the trunk does not permit', async (t) => {
    const far = await startTrunkFor(t, 'silent');
    const sending = await answersWith(servers().folder, '302 Moved Temporarily', [
      `Contact: <sip:${callee}@127.0.0.1:${far.port}>`,
    ]);
    t.teardown(sending.close);
    const lines = await linesWith(t, [trunkAt(sending.port)]);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'trunk_error', sip: { status: 302 } });
    t.notRegex(await far.messages(), /INVITE/);
  });

  realTimeTest('tries the next address of a trunk if one is dead', async (t) => {
    const hole = await startBlackHole();
    t.teardown(hole.close);
    const far = await startTrunkFor(t, 'silent');
    const addresses = [at(hole.port, 1), at(9, 2), at(far.port, 3)];
    const lines = await linesWith(t, [trunkAt(9, { fromDomain: 'example.org', addresses })]);
    t.like(await call(lines), { type: 'line.answered' });
    const messages = await far.messages();
    t.regex(messages, new RegExp(`^INVITE sip:${callee}@127\\.0\\.0\\.1:${far.port} `, 'm'));
    t.regex(messages, /^From: <sip:07012345678@example.org>/m);
  });

  realTimeTest('sends no new call to a drained trunk and continues its current one', async (t) => {
    const far = await startTrunkFor(t, 'silent');
    const trunk = trunkAt(far.port);
    const trunks = [trunk];
    const lines = await linesWith(t, trunks);
    const ended = Promise.withResolvers<string>();
    const line = dial(lines, (event) => {
      if (event.type === 'line.answered') trunks[0] = { ...trunk, drained: true };
      if (event.type === 'line.ended') ended.resolve(event.by);
    });
    await until(() => trunks[0]?.drained === true);
    t.like(await call(lines), {
      type: 'line.unanswered',
      sip: { status: null, reason: 'The trunk "carrier" is drained: it takes no new calls.' },
    });
    t.notRegex(await far.messages(), /^BYE/m);
    line.tell({ type: 'hangUp' });
    t.is(await ended.promise, 'gateway');
    t.is((await far.messages()).match(/^INVITE sip:/gm)?.length, 1);
  });
});
