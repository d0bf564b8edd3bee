/** Agent platforms that fail: LangGraph, Mastra and n8n servers with wrong or truncated streams. */
import { sendBody, sendJson } from '#test/helpers/agent-server.ts';
import {
  type Broken,
  html,
  lines,
  page,
  recorded,
  sse,
  testEach,
  text,
} from './broken-endpoints/try-broken.ts';

// LangGraph
// LangGraph servers.

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
    title: 'an assistant unknown to the Python server',
    answer: sendJson({ detail: "Invalid assistant: 'agent'. Must be either:" }, 422),
    kind: 'http_error',
    advice: [/no assistant "agent"/, /langgraph\.json/],
  },
  {
    type: 'langgraph',
    title: 'a missing assistant ID',
    answer: recorded('langgraph', '26b-missing-assistant'),
    request: { assistantId: null },
    kind: 'no_reply',
    advice: [/no assistant ID/, /Give the name of a graph/],
  },
  {
    type: 'langgraph',
    title: 'extra path segments in the URL',
    path: '/api',
    answer: recorded('langgraph', '26e-base-path-mistake'),
    noThread: true,
    kind: 'http_error',
    advice: [/does not know \/api\/threads/, /server's base/],
  },
  {
    type: 'langgraph',
    title: 'another port: a server without this path',
    answer: text('Cannot POST /threads', 404),
    noThread: true,
    kind: 'http_error',
    advice: [/no LangGraph server at this address/, /port 2024/],
  },
  {
    type: 'langgraph',
    title: 'another port: a server that rejects POST',
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
    title: 'a missing key for LangGraph Cloud',
    answer: sendJson({ detail: 'Missing authentication headers' }, 403),
    noThread: true,
    kind: 'http_error',
    advice: [/wants a LangSmith API key/, /add x-api-key to the headers of the agent/],
  },
  {
    type: 'langgraph',
    title: 'a busy thread',
    answer: recorded('langgraph', '20b-concurrent-second-rejected'),
    kind: 'http_error',
    advice: [/thread is busy/, /Look at the runs/],
  },
  {
    type: 'langgraph',
    title: 'an interrupt with a message',
    answer: recorded('langgraph', 'SYNTHETIC-python-interrupt'),
    kind: 'no_reply',
    advice: [/waits for a person/, /AI message/],
  },
  {
    type: 'langgraph',
    title: 'an interrupt without a message',
    answer: recorded('langgraph', '12-interrupt'),
    kind: 'no_reply',
    advice: [/without an AI message/, /Let a node add one/],
  },
  {
    type: 'langgraph',
    title: 'a failed node',
    answer: recorded('langgraph', '06c-model-error-mid-stream'),
    kind: 'agent_reported_error',
    advice: [/node of the graph failed/, /server's log/],
  },
  {
    type: 'langgraph',
    title: 'a run that waits for a worker process',
    answer: (response) => {
      response.writeHead(200, { 'content-location': `${runs}/run-1` }).flushHeaders();
    },
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/did not begin to speak in time/, /ten runs at a time/],
  },
  {
    type: 'langgraph',
    title: 'an unreachable LangGraph store',
    answer: sendJson({ detail: 'Internal Server Error' }, 500),
    kind: 'http_error',
    advice: [/server itself failed/, /own log/],
  },
];

testEach(langgraph);

// Mastra
// Mastra servers.

const mastra: Broken[] = [
  {
    type: 'mastra',
    title: 'a Mastra server without voiceAssistant',
    answer: recorded('mastra', '07-unknown-agent'),
    kind: 'http_error',
    advice: [/no agent/, /voiceAssistant.*key of the "agents"/],
  },
  {
    type: 'mastra',
    title: 'an agent ID in the wrong case',
    answer: recorded('mastra', '07b-agent-name-wrong-case'),
    request: { direction: 'outbound', agentId: 'voiceassistant' },
    kind: 'http_error',
    advice: [/no agent "voiceassistant"/, /same case/],
  },
  {
    type: 'mastra',
    title: 'a wrong path',
    path: '/x',
    answer: recorded('mastra', '08e-unknown-path'),
    kind: 'http_error',
    advice: [/no Mastra server at this path/, /https:\/\/host:4111/],
  },
  {
    type: 'mastra',
    title: 'a model package that is too old',
    answer: recorded('mastra', '13f-stream-with-v1-model'),
    kind: 'http_error',
    advice: [/do not go together/, /Update the model package/],
  },
  {
    type: 'mastra',
    title: 'a reply stopped by a guardrail',
    answer: recorded('mastra', '16b-tripwire'),
    kind: 'agent_reported_error',
    advice: [/guardrail/, /answer with words/],
  },
  {
    type: 'mastra',
    title: 'a failed model',
    answer: recorded('mastra', '06c-model-throws-before-token'),
    kind: 'agent_reported_error',
    advice: [/model did/, /log/],
  },
  {
    type: 'mastra',
    title: 'a tool call that needs approval',
    answer: sse(
      { type: 'start', from: 'AGENT', payload: {} },
      { type: 'tool-call-approval', from: 'AGENT', payload: {} },
      '[DONE]',
    ),
    kind: 'no_reply',
    advice: [/waits for a tool call to be approved/, /Switch the approval off/],
  },
  {
    type: 'mastra',
    title: 'a tool call that the client would have to run',
    answer: sse(
      { type: 'finish', from: 'AGENT', payload: { stepResult: { reason: 'tool-calls' } } },
      '[DONE]',
    ),
    kind: 'no_reply',
    advice: [/finished without words: .*tool/, /maxSteps|end its turn with words/],
  },
  {
    type: 'mastra',
    title: 'a missing token',
    answer: sendJson({ error: 'Invalid or expired token' }, 401),
    kind: 'http_error',
    advice: [/wants a token/, /handshake/],
  },
  {
    type: 'mastra',
    title: 'a rejected body',
    answer: recorded('mastra', '08b-messages-missing'),
    kind: 'http_error',
    advice: [/refuses|cannot read/, /answered|Let it/],
  },
  {
    type: 'mastra',
    title: 'a Mastra before 1.0',
    answer: recorded('mastra', 'old-v0.18.0-voiceAssistant-stream'),
    kind: null,
    advice: [/before 1\.0/, /Update Mastra/],
  },
];

testEach(mastra);

// n8n
// n8n workflows.

const chat = '/webhook/5f1c/chat';
const n8n: Broken[] = [
  {
    type: 'n8n',
    title: 'an inactive workflow',
    path: '/webhook/inactive/chat',
    answer: recorded('n8n', '05a-inactive-workflow'),
    kind: 'http_error',
    advice: [/No active workflow/, /Activate/],
  },
  {
    type: 'n8n',
    title: 'the test URL of n8n',
    path: '/webhook-test/out/chat',
    answer: recorded('n8n', '05i-test-url'),
    kind: 'http_error',
    advice: [/test URL/, /production URL/],
  },
  {
    type: 'n8n',
    title: 'a trigger that is not public',
    path: chat,
    answer: sendBody('', 404),
    kind: 'http_error',
    advice: [/not public/, /Make Chat Publicly Available/],
  },
  {
    type: 'n8n',
    title: 'a URL without /chat',
    path: '/webhook/5f1c',
    answer: sendJson({ code: 404, message: 'not registered' }, 404),
    kind: 'http_error',
    advice: [/ends with \/chat/, /production URL/],
  },
  {
    type: 'n8n',
    title: 'a chat trigger that requires a login',
    path: chat,
    answer: recorded('n8n', '05e-basicAuth-bearer-sent'),
    kind: 'http_error',
    advice: [/asks for a login/, /"None"/],
  },
  {
    type: 'n8n',
    title: 'a failed node',
    path: chat,
    answer: sendJson({ message: 'Error in workflow' }, 500),
    kind: 'http_error',
    advice: [/node of the workflow failed/, /list of executions/],
  },
  {
    type: 'n8n',
    title: 'a last node without items',
    path: chat,
    answer: sendJson({ code: 0, message: 'No item to return was found' }, 500),
    kind: 'http_error',
    advice: [/gave no item/, /"output"/],
  },
  {
    type: 'n8n',
    title: 'n8n during its start (503 as JSON)',
    path: chat,
    answer: sendJson({ code: 503, message: 'Database is not ready!' }, 503),
    kind: 'http_error',
    advice: [/cannot answer now \(HTTP 503\)/, /log/],
  },
  {
    type: 'n8n',
    title: 'too many executions (429 as JSON)',
    path: chat,
    answer: sendJson({ code: 429, message: 'Too many requests' }, 429),
    kind: 'http_error',
    advice: [/limits how often/, /wait/],
  },
  {
    type: 'n8n',
    title: 'a payload that is too large (413 as JSON)',
    path: chat,
    answer: sendJson({ code: 413, message: 'request entity too large' }, 413),
    kind: 'http_error',
    advice: [/too large/, /limit for request bodies/],
  },
  {
    type: 'n8n',
    title: 'a body that n8n rejects as bad JSON (422)',
    path: chat,
    answer: sendJson({ code: 422, message: 'Failed to parse request body' }, 422),
    kind: 'http_error',
    advice: [/wants other keys/, /compare the type/],
  },
  {
    type: 'n8n',
    title: 'the response mode "Using Response Nodes"',
    path: chat,
    answer: recorded('n8n', '03h-responseNodes-mode'),
    kind: 'no_reply',
    advice: [/Using Response Nodes/, /Set the response mode/],
  },
  {
    type: 'n8n',
    title: 'Immediately',
    path: chat,
    answer: sendJson({ message: 'Workflow was started' }),
    kind: 'no_reply',
    advice: [/before it has run/, /response mode/],
  },
  {
    type: 'n8n',
    title: 'streaming without a streaming node',
    path: chat,
    answer: recorded('n8n', '06c-streaming-mode-code-node'),
    kind: 'no_reply',
    advice: [/empty body/, /node must stream/],
  },
  {
    type: 'n8n',
    title: 'a reply in a different field',
    path: chat,
    answer: recorded('n8n', '02f-lastNode-unknown-field'),
    kind: 'no_reply',
    advice: [/its fields are: "answer", "foo"/, /set "output"/],
  },
  {
    type: 'n8n',
    title: 'a model that failed during streaming',
    path: chat,
    answer: recorded('n8n', '06f-streaming-agent-model-http500'),
    kind: 'agent_reported_error',
    advice: [/failed while it was streaming/, /list of executions/],
  },
  {
    type: 'n8n',
    title: 'the editor URL of n8n',
    path: '/workflow/abc',
    answer: html(page),
    kind: 'invalid_reply',
    advice: [/n8n editor/, /production URL/],
  },
  {
    type: 'n8n',
    title: 'a stream that stops mid-sentence',
    path: chat,
    answer: lines({ type: 'begin' }, { type: 'item', content: '오늘은' }),
    kind: 'reply_cut_off',
    advice: [/ended within a sentence/, /proxy/],
  },
  {
    type: 'n8n',
    title: 'an empty output field',
    path: chat,
    answer: sendJson({ output: '' }),
    kind: null,
    advice: [/nothing to speak/, /remark/],
  },
];

testEach(n8n);
