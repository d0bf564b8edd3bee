/** Advice about workflows of n8n. */
import test from 'ava';
import { advises, recorded } from './advised.ts';

const n8n = { type: 'n8n', url: 'https://n8n.example.com/webhook/out/chat' } as const;

test(
  'n8n: an inactive workflow',
  advises,
  { ...n8n, answers: [recorded('n8n', '05a-inactive-workflow')] },
  /Activate/,
);

test(
  'n8n: not public',
  advises,
  { ...n8n, answers: [recorded('n8n', '05c-not-public')] },
  /Publicly Available/,
);

test(
  'n8n: without /chat',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/webhook/out',
    answers: [recorded('n8n', '05g-base-url-without-chat')],
  },
  /ends with \/chat/,
);

test(
  'n8n: the test URL',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/webhook-test/out/chat',
    answers: [recorded('n8n', '05i-test-url')],
  },
  /test URL/,
);

test(
  'n8n: a bearer token for a trigger that wants a login',
  advises,
  { ...n8n, token: 'x', answers: [recorded('n8n', '05e-basicAuth-bearer-sent')] },
  /does not understand bearer tokens/,
);

test(
  'n8n: a failed node',
  advises,
  { ...n8n, answers: [recorded('n8n', '04a-node-error-lastNode')] },
  /executions/,
);

test(
  'n8n: the mode of response nodes',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '03h-responseNodes-mode')] },
  /Using Response Nodes.*When Last Node Finishes/,
);

test(
  'n8n: an immediate answer',
  advises,
  {
    ...n8n,
    failure: 'no_reply',
    answers: [{ status: 200, body: '{"message":"Workflow was started"}' }],
  },
  /Immediately/,
);

test(
  'n8n: streaming without a node that streams',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '06c-streaming-mode-code-node')] },
  /empty body.*Streaming/,
);

test(
  'n8n: an unknown field',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '02f-lastNode-unknown-field')] },
  /its fields are: "answer", "foo"/,
);

test('n8n: a slow workflow', advises, { ...n8n, failure: 'first_token_timeout' }, /Streaming/);

test(
  'n8n: the address of its editor',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/workflow/x',
    failure: 'invalid_reply',
    answers: [{ status: 200, body: '<!DOCTYPE html><html>' }],
  },
  /editor/,
);
