/** What a caller of the API says of a call comes back to it everywhere, and goes nowhere else. */
import test from 'ava';
import { z } from 'zod';
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { collectTraces } from '#test/helpers/trace-collector.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const spans = collectTraces();

const metadata = { quokka_id: 'wombat-1042', 'numbat.note': 'A "bandicoot", for Kim' };

/** Words that are said of the call, and nowhere else. */
const words = /quokka|wombat|numbat|bandicoot/i;

const isUntold = test.macro<[AgentType]>({
  async exec(t, agentType) {
    const gateway = await testGateway(t);
    const agent = await startFakeAgent(agentType, () => ({ pieces: ['네, ', '알겠습니다.'] }));
    t.teardown(agent.close);
    const bound = await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
      ...agent.binding,
      token: 'agent-token',
    });
    t.is(bound.status, 200);
    await gateway.admin.post('/api/v1/admin/trunks', {
      name: 'carrier',
      host: 'sip.example.com',
      headers_out: ['X-Quokka'],
    });
    const { body } = await gateway.client.post('/api/v1/calls', {
      to: '01000000007',
      metadata,
      sip_headers: { 'X-Quokka': 'wombat' },
    });
    const callId = z.string().parse(body['call_id']);
    t.deepEqual((await gateway.untilStatus(callId, ...finalStatuses))['metadata'], metadata);
    t.true(agent.turns.length > 0);
    for (const { path, headers, body: sent } of agent.requests)
      t.notRegex(JSON.stringify([path, headers, sent]), words);
  },
  title: (_, agentType) =>
    `an agent of the kind ${agentType} is told nothing of it, and of no header of the INVITE`,
});
for (const agentType of agentTypes) test(isUntold, agentType);

const told = z.object({ type: z.string(), call: z.looseObject({ id: z.string() }) });

test.serial(
  'it stands in every event and record of the call, and in no line of the log and no trace',
  async (t) => {
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const gateway = await testGateway(t);
    const { client, admin } = gateway;
    const { body: webhook } = await admin.post('/api/v1/admin/webhooks', { url: receiver.url });
    receiver.trust(z.string().parse(webhook['secret']));
    const place = async (more: object): Promise<string> => {
      const { body } = await client.post('/api/v1/calls', { to: '01000000007', ...more });
      const callId = z.string().parse(body['call_id']);
      await gateway.untilStatus(callId, ...finalStatuses);
      return callId;
    };
    const said = await place({ metadata });
    const silent = await place({});
    await client.get('/api/v1/calls?metadata.quokka_id=wombat-1042');
    await client.get('/api/v1/calls?metadata.quokka%20id=wombat-1042');

    const events = await until('the last events of both have arrived', () => {
      const arrived = receiver.received.map(({ rawBody }) => told.parse(JSON.parse(rawBody)));
      const has = (id: string, type: string) =>
        arrived.some((one) => one.call.id === id && one.type === type);
      const isAllThere = [said, silent].every(
        (id) => has(id, 'call.ended') && has(id, 'call.summarized') && has(id, 'recording.completed'),
      );
      return isAllThere ? arrived : undefined;
    });
    for (const { type, call } of events) {
      if (call.id === said) t.deepEqual(call['metadata'], metadata, type);
      else t.false('metadata' in call, type);
    }

    const records = await admin.get('/api/v1/admin/call-records');
    const [names = [], ...rows] = readCsv(records.bytes.toString());
    const column = names.indexOf('metadata');
    const cells = [names[column], ...rows.map((row) => row[column])];
    t.is(cells[0], 'metadata');
    t.deepEqual(JSON.parse(cells[1] ?? ''), metadata);
    t.is(cells[2], '');
    const lines = (await admin.get('/api/v1/admin/call-records?format=jsonl')).bytes.toString().trim();
    const [first, second] = lines.split('\n').map((line) => z.looseObject({}).parse(JSON.parse(line)));
    t.deepEqual(first?.['metadata'], metadata);
    t.false('metadata' in (second ?? {}));

    t.notRegex(gateway.logged.join(''), words);
    t.true(spans.some(({ attributes }) => attributes['trunkline.call_id'] === said));
    t.notRegex(JSON.stringify(spans), words);
  },
);
