/** Advice about servers of chat completions. */
import test from 'ava';
import { advises, recorded } from './advised.ts';

const openai = { type: 'openai_compatible', url: 'http://127.0.0.1:8000/v1' } as const;

for (const answer of [
  recorded('openai_compatible', '43-http-404-vllm-model'),
  recorded('openai_compatible', '44-http-422-fastapi'),
  {
    status: 400,
    body: '{"error":{"message":"you must provide a model parameter","type":"invalid_request_error"}}',
  },
  { status: 400, body: '{"error":{"message":"model is required"}}' },
]) {
  test(
    `openai_compatible: a model key is wanted (${answer.status} ${answer.body.slice(0, 60)})`,
    advises,
    { ...openai, answers: [answer] },
    /"model" key/,
  );
}

test(
  'openai_compatible: without /v1',
  advises,
  {
    type: 'openai_compatible',
    url: 'http://127.0.0.1:8000',
    answers: [{ status: 404, body: '{"detail":"Not Found"}' }],
  },
  /add \/v1/,
);

test(
  'openai_compatible: the whole address',
  advises,
  {
    type: 'openai_compatible',
    url: 'http://127.0.0.1:8000/v1/chat/completions',
    answers: [{ status: 404, body: '{"detail":"Not Found"}' }],
  },
  /Remove it/,
);

test(
  'openai_compatible: another path that is wrong',
  advises,
  { ...openai, answers: [{ status: 404, body: 'Not Found' }] },
  /no \/chat\/completions at this path/,
);

test(
  'openai_compatible: a gateway without a provider',
  advises,
  { ...openai, answers: [recorded('openai_compatible', 'portkey-13-no-provider-header')] },
  /default provider/,
);

test(
  'openai_compatible: a tool that nobody runs',
  advises,
  { ...openai, failure: null, answers: [recorded('openai_compatible', '29-tool_calls')] },
  /run its tools/,
);

test(
  'openai_compatible: a page',
  advises,
  {
    ...openai,
    failure: 'invalid_reply',
    answers: [recorded('openai_compatible', '41-html-200_captive_proxy')],
  },
  /web page/,
);

test(
  'openai_compatible: too many requests',
  advises,
  { ...openai, answers: [recorded('openai_compatible', '42-http-429-json')] },
  /limits how often/,
);
