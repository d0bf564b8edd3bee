import test from 'ava';
import { z } from 'zod';
import { phrases } from '#src/domain/phrases.ts';
import { sendBody } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { startModelServer } from '#test/helpers/model-server.ts';
import { until } from '#test/helpers/until.ts';

const settings = (url: string) => ({
  GW_LLM_BASE_URL: url,
  GW_LLM_MODEL: 'small',
  GW_LLM_API_KEY: 'model-key',
});

const summaryOf = (gateway: TestGateway, callId: string): Promise<string> =>
  until('the summary is written', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    return z.string().optional().catch(undefined).parse(body['summary']);
  });

test('the built-in agent talks by its model, presses keys, hangs up with a tool and is summarized', async (t) => {
  const model = await startModelServer(({ messages, tools }) => {
    if (tools.length === 0) return { pieces: ['두 번을 눌러 ', '예약을 확인했습니다.'] };
    const last = messages.at(-1);
    if (last?.role === 'tool') return { pieces: ['예약이 ', '확인되었나요?'] };
    if (last?.content.startsWith('[outbound'))
      return { calls: [{ name: 'press_keys', arguments: '{"keys":"2"}' }] };
    return {
      pieces: ['감사합니다. ', '안녕히 계세요.'],
      calls: [{ name: 'hang_up', arguments: '{}' }],
    };
  });
  t.teardown(model.close);
  const gateway = await testGateway(t, settings(model.url));
  await gateway.admin.put('/api/v1/admin/simulator/callees/01077770001', {
    script: [{ await_digits: '2' }, { listen: true }, { say: '네, 확인되었습니다' }, { listen: true }],
  });
  const callId = await gateway.call('01077770001', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  t.deepEqual(
    (await gateway.transcript(callId)).map(({ role, text }) => `${role}: ${text}`),
    ['assistant: 예약이 확인되었나요?', 'user: 네, 확인되었습니다', 'assistant: 감사합니다. 안녕히 계세요.'],
  );
  t.is(await summaryOf(gateway, callId), '두 번을 눌러 예약을 확인했습니다.');
  t.false(gateway.logged.some((line) => /model-key|예약|확인되었/.test(line)));
});

test('a model that fails is excused as any agent is, and the operator learns of it', async (t) => {
  const model = await startModelServer(({ messages }) =>
    messages.length === 2 ? { pieces: ['안녕하세요.'] } : sendBody('{"error":{"message":"비밀"}}', 529),
  );
  t.teardown(model.close);
  const gateway = await testGateway(t, settings(model.url));
  await gateway.admin.put('/api/v1/admin/simulator/callees/01077770002', {
    script: [
      { listen: true },
      { say: '누구세요?' },
      { listen: true },
      { say: '누구시냐고요' },
      { listen: true },
    ],
  });
  const callId = await gateway.call('01077770002', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'failed',
    end_reason: 'agent_error',
  });
  const { apology, failedGoodbye } = phrases.ko;
  t.deepEqual(
    (await gateway.transcript(callId)).filter(({ role }) => role === 'assistant').map(({ text }) => text),
    ['안녕하세요.', apology, failedGoodbye],
  );
  t.regex(await summaryOf(gateway, callId), /\S/);
  const failed = gateway.logged.filter((line) => line.includes('a reply failed'));
  t.is(failed.length, 2);
  t.regex(failed[0] ?? '', /the language model: HTTP 529/);
  const metrics = await gateway.client.as(undefined).get('/metrics');
  t.regex(metrics.bytes.toString(), /trunkline_language_model_failures_total\{failure="http_error"\} [23]/);
  t.false(gateway.logged.some((line) => line.includes('비밀')));
});
