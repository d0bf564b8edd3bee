/** LangGraph servers. */
import { sendJson } from '#test/helpers/agent-server.ts';
import { html, page, recorded, testEach, text, type Broken } from './try-broken.ts';

const runs = '/threads/5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f/runs';
const langgraph: Broken[] = [
  {
    type: 'langgraph',
    title: 'an unknown assistant',
    answer: recorded('langgraph', '07-unknown-assistant'),
    kind: 'http_error',
    advice: [/no assistant "agent"/, /langgraph\.json/],
  },
  {
    type: 'langgraph',
    title: 'an unknown assistant in Python',
    answer: sendJson({ detail: "Invalid assistant: 'agent'. Must be either:" }, 422),
    kind: 'http_error',
    advice: [/no assistant "agent"/, /langgraph\.json/],
  },
  {
    type: 'langgraph',
    title: 'no assistant ID',
    answer: recorded('langgraph', '26b-missing-assistant'),
    request: { assistantId: null },
    kind: 'no_reply',
    advice: [/no assistant ID/, /Give the name of a graph/],
  },
  {
    type: 'langgraph',
    title: 'a path too many',
    path: '/api',
    answer: recorded('langgraph', '26e-base-path-mistake'),
    noThread: true,
    kind: 'http_error',
    advice: [/does not know \/api\/threads/, /server's base/],
  },
  {
    type: 'langgraph',
    title: 'another port: a server without such a path',
    answer: text('Cannot POST /threads', 404),
    noThread: true,
    kind: 'http_error',
    advice: [/no LangGraph server at this address/, /port 2024/],
  },
  {
    type: 'langgraph',
    title: 'another port: a server that takes no POST',
    answer: text('', 405),
    noThread: true,
    kind: 'http_error',
    advice: [/no LangGraph server/, /host and port/],
  },
  {
    type: 'langgraph',
    title: 'another port: a page for every path',
    answer: html(page),
    noThread: true,
    kind: 'invalid_reply',
    advice: [/no LangGraph server at this address.*web page/, /port 2024/],
  },
  {
    type: 'langgraph',
    title: 'another port: JSON for every path',
    answer: sendJson({ ok: true }),
    noThread: true,
    kind: 'invalid_reply',
    advice: [/not the stream of a run/, /port 2024/],
  },
  {
    type: 'langgraph',
    title: 'the key of its cloud',
    answer: sendJson({ detail: 'Missing authentication headers' }, 403),
    noThread: true,
    kind: 'http_error',
    advice: [/x-api-key/, /"auth" of its own/],
  },
  {
    type: 'langgraph',
    title: 'a thread that is busy',
    answer: recorded('langgraph', '20b-concurrent-second-rejected'),
    kind: 'http_error',
    advice: [/thread is busy/, /Look at the runs/],
  },
  {
    type: 'langgraph',
    title: 'an interrupt that is told',
    answer: recorded('langgraph', 'SYNTHETIC-python-interrupt'),
    kind: 'no_reply',
    advice: [/waits for a person/, /AI message/],
  },
  {
    type: 'langgraph',
    title: 'an interrupt that is not told',
    answer: recorded('langgraph', '12-interrupt'),
    kind: 'no_reply',
    advice: [/without an AI message/, /Let a node add one/],
  },
  {
    type: 'langgraph',
    title: 'a node that failed',
    answer: recorded('langgraph', '06c-model-error-mid-stream'),
    kind: 'agent_reported_error',
    advice: [/node of the graph failed/, /server's log/],
  },
  {
    type: 'langgraph',
    title: 'a run that waits for a worker',
    answer: (response) => {
      response.writeHead(200, { 'content-location': `${runs}/run-1` }).flushHeaders();
    },
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/did not begin to speak in time/, /ten runs at a time/],
  },
  {
    type: 'langgraph',
    title: 'a store that is away',
    answer: sendJson({ detail: 'Internal Server Error' }, 500),
    kind: 'http_error',
    advice: [/server itself failed/, /own log/],
  },
];

testEach(langgraph);
