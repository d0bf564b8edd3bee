/** Transfers by REFER through a whole gateway, with drachtio-server and far ends by sipp. */
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { onRealServers } from './on-real-servers.ts';
import { noChannelIsLeft, realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import {
  answer,
  ask,
  expectAnswer,
  leave,
  pause,
  pickUp,
  receive,
  ring,
  startScripted,
} from './scripted-end.ts';
import type { SipServers } from './sip-servers.ts';

const callee = '01099998888';
const person = '01000000011';

type Steps = Parameters<typeof startScripted>[1];

const trunkStates = z.object({ trunks: z.array(z.object({ state: z.string() })) });

const transferFact = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** A call to a far end with this behaviour after the answer; its trunk has these settings. */
const callTo = async (
  t: ExecutionContext,
  servers: SipServers,
  steps: Steps,
  settings: object,
  others: readonly object[] = [],
) => {
  const end = await startScripted(servers.folder, [...ring, ...pickUp(), ...steps]);
  t.teardown(end.close);
  const gateway = await realGateway(t, servers, end.port, { GW_TRUNK: '' });
  const { admin, client, numberPath } = gateway;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  t.teardown(agent.close);
  await admin.put(`${numberPath}/agents/outbound`, agent.binding);
  await admin.patch(numberPath, { transfer_to: [person] });
  const addTrunk = async (more: object): Promise<void> => {
    const trunk = { host: '127.0.0.1', health_check: false, ...more };
    t.is((await admin.post('/api/v1/admin/trunks', trunk)).status, 201);
  };
  await addTrunk({ name: 'carrier', port: end.port, ...settings });
  for (const other of others) await addTrunk(other);
  await until(async () => {
    const { trunks } = trunkStates.parse((await admin.get('/api/v1/admin/trunks')).body);
    return trunks.every(({ state }) => state === 'ready');
  });
  const callId = z.string().parse((await client.post('/api/v1/calls', { to: callee })).body['call_id']);
  const path = `/api/v1/calls/${callId}`;
  await gateway.untilStatus(callId, 'active', ...finalStatuses);
  const shown = async () =>
    z
      .record(z.string(), z.unknown())
      .nullable()
      .parse((await client.get(path)).body['transfer']);
  return {
    end,
    agent,
    shown,
    transfer: (more: object = {}) => client.post(`${path}/transfer`, { to: person, ...more }),
    cancel: () => client.post(`${path}/transfer/cancel`, {}),
    hangUp: () => client.post(`${path}/hangup`, { immediate: true }),
    untilShown: (status: string) => until(async () => (await shown())?.['status'] === status),
    ended: () => gateway.untilStatus(callId, ...finalStatuses),
    facts: async () => {
      const { body } = await client.get(`${path}/events`);
      return z
        .array(transferFact)
        .parse(body['events'])
        .filter(({ type }) => type.startsWith('call.transfer_') || type === 'call.ended');
    },
    ladder: async () => {
      const { body } = await admin.get(`/api/v1/admin/calls/${callId}/sip`);
      const messages = z
        .array(z.object({ direction: z.string(), start_line: z.string() }))
        .parse(body['messages']);
      return messages.map(
        ({ direction, start_line: line }) =>
          `${direction === 'out' ? '→' : '←'} ${line.replace(/ sip:.*/, '').replace('SIP/2.0 ', '')}`,
      );
    },
  };
};

/** A NOTIFY about the REFER, which gets 200. */
const notify = (cseq: number, status: string, state = 'active;expires=60'): string[] => [
  ask('NOTIFY', cseq, {
    headers: ['Event: refer', `Subscription-State: ${state}`, 'Content-Type: message/sipfrag;version=2.0'],
    sdp: `SIP/2.0 ${status}`,
  }),
  expectAnswer(200),
];

/** Waits for a request that contains these words. */
const receiveWith = (method: string, words: string): string =>
  `<recv request="${method}"><action><ereg regexp="${words}" search_in="msg" check_it="true" assign_to="checked"/></action></recv>`;

const last = 'terminated;reason=noresource';
const takes = [receive('REFER'), answer('202 Accepted')];

onRealServers('refer', (servers) => {
  realTimeTest('a far end that reports 200 has transferred the call and gets BYE', async (t) => {
    const call = await callTo(
      t,
      servers(),
      [
        ...takes,
        ...notify(1, '100 Trying'),
        ...notify(2, '180 Ringing'),
        pause(1_500),
        ...notify(3, '200 OK', last),
        ...leave,
      ],
      { refer: true, number_format: 'e164' },
    );
    t.is((await call.transfer()).status, 202);
    await until(async () => (await call.ladder()).filter((rung) => rung === '← NOTIFY').length >= 2);
    t.like(await call.shown(), { status: 'ringing' });
    const refused = await call.cancel();
    t.deepEqual([refused.status, refused.body['code']], [409, 'transfer_not_cancellable']);
    t.like(await call.ended(), { status: 'completed', end_reason: 'transfer_completed' });
    t.like(await call.shown(), { status: 'connected' });
    t.deepEqual(
      (await call.facts()).map(({ type }) => type),
      ['call.transfer_requested', 'call.transfer_connected', 'call.ended'],
    );
    const messages = await call.end.messages();
    t.regex(messages, new RegExp(`^Refer-To: <sip:\\+82${person.slice(1)}@127.0.0.1:${call.end.port}>`, 'm'));
    t.regex(messages, /^Referred-By: <sip:\+82\d+@127.0.0.1>/m);
    t.regex(/^REFER [^]*?\r?\n\r?\n/m.exec(messages)?.[0] ?? '', /^Contact: <sip:/m);
    await until(async () => (await call.ladder()).at(-1) === '← 200 OK');
    const notices = ['← NOTIFY', '→ 200 OK', '← NOTIFY', '→ 200 OK', '← NOTIFY', '→ 200 OK'];
    t.deepEqual((await call.ladder()).slice(-10), [
      '→ REFER',
      '← 202 Accepted',
      ...notices,
      '→ BYE',
      '← 200 OK',
    ]);
    await t.notThrowsAsync(call.end.finished());
    await noChannelIsLeft(servers());
  });

  for (const [about, reported, isTaken] of [
    ['nothing', [], true],
    ['100 Trying', notify(1, '100 Trying'), true],
    ['180 Ringing', notify(1, '180 Ringing'), false],
  ] as const)
    realTimeTest(
      `a far end that sends BYE after reporting ${about} ${isTaken ? 'has' : 'has not'} transferred the call`,
      async (t) => {
        const steps = [...takes, ...reported, ask('BYE', 9), expectAnswer(200)];
        const call = await callTo(t, servers(), steps, { refer: true });
        t.is((await call.transfer()).status, 202);
        const endReason = isTaken ? 'transfer_completed' : 'counterparty_hangup';
        t.like(await call.ended(), { status: 'completed', end_reason: endReason });
        await t.notThrowsAsync(call.end.finished());
        await noChannelIsLeft(servers());
      },
    );

  for (const onFailure of ['resume', 'hang_up'] as const)
    realTimeTest(`a far end that reports 503 has not reached the person: ${onFailure}`, async (t) => {
      const steps = [
        ...takes,
        ...notify(1, '100 Trying'),
        ...notify(2, '503 Service Unavailable', last),
        ...leave,
      ];
      const call = await callTo(t, servers(), steps, { refer: true });
      t.is((await call.transfer({ on_failure: onFailure })).status, 202);
      await call.untilShown('failed');
      t.like(await call.shown(), { reason: 'trunk_error' });
      const failed = (await call.facts()).find(({ type }) => type === 'call.transfer_failed');
      t.like(failed?.data, { reason: 'trunk_error', sip: { status: 503 } });
      if (onFailure === 'resume') {
        await until(() => JSON.stringify(call.agent.requests).includes('[transfer failed: trunk_error]'));
        await call.hangUp();
      }
      const endReason = onFailure === 'resume' ? 'agent_hangup' : 'transfer_failed';
      t.like(await call.ended(), { status: 'completed', end_reason: endReason });
      await t.notThrowsAsync(call.end.finished());
      await noChannelIsLeft(servers());
    });

  realTimeTest('keeps a far end that rejects REFER, and the gateway calls the person itself', async (t) => {
    const steps = [receive('REFER'), answer('405 Method Not Allowed'), ...leave];
    const second = await startScripted(servers().folder, [
      ...ring,
      ...pickUp(),
      pause(1_000),
      ask('BYE', 1),
      expectAnswer(200),
    ]);
    t.teardown(second.close);
    const call = await callTo(t, servers(), steps, { refer: true }, [
      { name: 'people', port: second.port, prefixes: ['+82100000001'] },
    ]);
    t.is((await call.transfer()).status, 202);
    t.like(await call.ended(), { status: 'completed', end_reason: 'transfer_completed' });
    t.regex(await second.messages(), new RegExp(`^INVITE sip:${person}@`, 'm'));
    await t.notThrowsAsync(call.end.finished());
    await noChannelIsLeft(servers());
  });

  realTimeTest('rejects an invalid NOTIFY without ending the transfer', async (t) => {
    const about = (cseq: number, headers: readonly string[], sdp?: string): string =>
      ask('NOTIFY', cseq, { headers, ...(sdp === undefined ? {} : { sdp }) });
    const sipfrag = 'Content-Type: message/sipfrag';
    const refer = ['Event: refer', 'Subscription-State: active', sipfrag];
    const steps = [
      ...takes,
      ...notify(1, '100 Trying'),
      ...[
        [about(2, refer, 'no status line'), expectAnswer(400)],
        [about(3, ['Event: refer;id=4711', sipfrag], 'SIP/2.0 200 OK'), expectAnswer(481)],
        [about(4, ['Event: presence', sipfrag], 'SIP/2.0 200 OK'), expectAnswer(481)],
        [
          about(5, ['Event: refer', 'Content-Type: text/plain'], 'SIP/2.0 200 OK'),
          expectAnswer(415, { header: 'Accept: message/sipfrag' }),
        ],
        [about(6, refer, `SIP/2.0 180 Ringing\nX-Long: ${'x'.repeat(5_000)}`), expectAnswer(200)],
        [about(7, ['Event: refer', 'Subscription-State: active']), expectAnswer(200)],
      ].flat(),
      ...notify(8, '200 OK', last),
      ...leave,
    ];
    const call = await callTo(t, servers(), steps, { refer: true });
    t.is((await call.transfer()).status, 202);
    t.like(await call.ended(), { status: 'completed', end_reason: 'transfer_completed' });
    await t.notThrowsAsync(call.end.finished());
    await noChannelIsLeft(servers());
  });

  /** Requests a transfer to this number. */
  const refer = (cseq: number, number: string): string =>
    ask('REFER', cseq, { headers: [`Refer-To: <sip:${number}@[local_ip]>`] });
  /** A NOTIFY about the transfer. */
  const hear = (words: string): string[] => [receiveWith('NOTIFY', words), answer('200 OK')];

  realTimeTest('rejects a REFER of a far end without permission with 603', async (t) => {
    const steps = [pause(500), refer(1, person), expectAnswer(603), ...leave];
    const call = await callTo(t, servers(), steps, {});
    await until(async () => (await call.ladder()).includes('→ 603 Decline'));
    t.is(await call.shown(), null);
    await call.hangUp();
    t.like(await call.ended(), { end_reason: 'agent_hangup' });
    await t.notThrowsAsync(call.end.finished());
    await noChannelIsLeft(servers());
  });

  realTimeTest('rejects a REFER of a permitted far end to a forbidden number with 603', async (t) => {
    const steps = [pause(500), refer(1, '0212345678'), expectAnswer(603), ...leave];
    const call = await callTo(t, servers(), steps, { accept_refer: true });
    await until(async () => (await call.ladder()).includes('→ 603 Decline'));
    t.is(await call.shown(), null);
    await call.hangUp();
    t.like(await call.ended(), { end_reason: 'agent_hangup' });
    await t.notThrowsAsync(call.end.finished());
    await noChannelIsLeft(servers());
  });

  realTimeTest('connects a permitted far end with the person and reports the result', async (t) => {
    const steps = [
      pause(500),
      refer(1, person),
      expectAnswer(202),
      ...hear('SIP/2.0 100'),
      ...hear('SIP/2.0 180'),
      ...hear('SIP/2.0 200'),
      pause(500),
      ask('BYE', 2),
      expectAnswer(200),
    ];
    const second = await startScripted(servers().folder, [...ring, ...pickUp(), ...leave]);
    t.teardown(second.close);
    const call = await callTo(t, servers(), steps, { accept_refer: true }, [
      { name: 'people', port: second.port, prefixes: ['+82100000001'] },
    ]);
    t.like(await call.ended(), { status: 'completed', end_reason: 'transfer_completed' });
    t.like(await call.shown(), { to: person, mode: 'cold', status: 'connected' });
    await t.notThrowsAsync(call.end.finished());
    await t.notThrowsAsync(second.finished());
    await noChannelIsLeft(servers());
  });

  realTimeTest(
    'reports to a permitted far end that the person is busy, and continues with the agent',
    async (t) => {
      const steps = [
        pause(500),
        refer(1, person),
        expectAnswer(202),
        ...hear('SIP/2.0 100'),
        ...hear('SIP/2.0 486'),
        ...leave,
      ];
      const second = await startScripted(servers().folder, [
        receive('INVITE'),
        answer('486 Busy Here', { tag: true }),
        receive('ACK'),
      ]);
      t.teardown(second.close);
      const call = await callTo(t, servers(), steps, { accept_refer: true }, [
        { name: 'people', port: second.port, prefixes: ['+82100000001'] },
      ]);
      await until(() => JSON.stringify(call.agent.requests).includes('[transfer failed: busy]'));
      await call.hangUp();
      t.like(await call.ended(), { end_reason: 'agent_hangup' });
      t.like(await call.shown(), { status: 'failed', reason: 'busy' });
      await t.notThrowsAsync(call.end.finished());
      await noChannelIsLeft(servers());
    },
  );
});
