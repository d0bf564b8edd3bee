import test from 'ava';
import { traceparent } from '#src/agents/trace-agent-request.ts';

test('all requests of a call are one trace, each a span of its own', (t) => {
  const callId = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';
  const headers = [traceparent(callId), traceparent(callId), traceparent(callId)];
  for (const header of headers) t.regex(header, /^00-7f9c2f6e4f0e4b7e9b1c2d1d5a1e0c11-[0-9a-f]{16}-01$/);
  t.is(new Set(headers).size, 3);
});
