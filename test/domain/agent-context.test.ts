import test from 'ava';
import { agentContext } from '#src/domain/agent-context.ts';

const call = { id: 'a-call', ownNumber: '0212345678', counterparty: '01000000001', language: 'ko' };

test('outbound, the context goes from my number to the callee', (t) => {
  t.deepEqual(agentContext({ ...call, direction: 'outbound' }), {
    call_id: 'a-call',
    direction: 'outbound',
    from: '0212345678',
    to: '01000000001',
    language: 'ko',
  });
});

test('inbound, the context goes from the caller to my number', (t) => {
  t.deepEqual(agentContext({ ...call, direction: 'inbound' }), {
    call_id: 'a-call',
    direction: 'inbound',
    from: '01000000001',
    to: '0212345678',
    language: 'ko',
  });
});
