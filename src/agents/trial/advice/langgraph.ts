/** LangGraph's servers, in JavaScript and in Python. */
import { firstAdvice, pathOf } from '#src/outgoing/advice/failed-request.ts';
import { addHeader, isWordless, type Adviser } from './trouble.ts';

const noAssistant: Adviser = ({ binding, failure, status, text }) => {
  const name = binding.assistantId;
  if (name === null && failure !== null) {
    return 'There is no assistant ID. Give the name of a graph: a key of "graphs" in langgraph.json.';
  }
  return status !== null &&
    status >= 400 &&
    /No assistant found|Invalid assistant|assistant not found/i.test(text)
    ? `The server has no assistant "${name}". Its names are the keys of "graphs" in langgraph.json; the case counts.`
    : undefined;
};

const wrongAddress: Adviser = ({ path, turn, status }) => {
  const threads = turn.exchanges.find(({ sent }) => pathOf(sent.url).endsWith('/threads'));
  const code = threads?.received?.status ?? status;
  if (code !== 404 && code !== 405) return undefined;
  return path === ''
    ? 'There is no LangGraph server at this address: it does not know /threads. Correct the host and port of the chat URL (langgraph dev listens on port 2024).'
    : `There is no LangGraph server at this path: it does not know ${path}/threads. The chat URL is the server's base; without a proxy that is https://host:port alone.`;
};

const otherServer: Adviser = ({ failure, text, host }) =>
  failure?.kind === 'invalid_reply'
    ? `There is no LangGraph server at this address: ${host} answers with ${text.startsWith('<') ? 'a web page' : 'something that is not the stream of a run'}. Correct the host and port of the chat URL (langgraph dev listens on port 2024, langgraph up on 8123).`
    : undefined;

const busy: Adviser = ({ status, text }) =>
  (status === 409 || status === 422) && /already running/i.test(text)
    ? 'The thread is busy with a run that could not be cancelled, or it does not exist. Look at the runs on the server: does the graph end, and does the server keep its threads?'
    : undefined;

const refusedKey: Adviser = ({ status, hasToken, sentHeaders }) => {
  if (status !== 401 && status !== 403) return undefined;
  return sentHeaders.includes('x-api-key')
    ? `The server does not take the x-api-key that was sent (HTTP ${status}). LangGraph's cloud wants a key of the LangSmith workspace that the deployment belongs to; an "auth" of the server's own in langgraph.json decides for itself what it takes.`
    : `The server refuses ${hasToken ? 'this bearer token' : 'a request without a key'} (HTTP ${status}). LangGraph's cloud wants a LangSmith API key in the header x-api-key: ${addHeader('x-api-key')}. An "auth" of the server's own in langgraph.json decides for itself what it takes.`;
};

const waiting: Adviser = (trouble) =>
  isWordless(trouble) && trouble.text.includes('__interrupt__')
    ? 'The graph stopped at an interrupt and waits for a person, which a call cannot answer. Let it ask its question as an AI message and end the run instead.'
    : undefined;

const silent: Adviser = (trouble) =>
  isWordless(trouble) && trouble.status === 200
    ? 'The run ended without an AI message. Let a node add one to "messages" of the state; models that are tagged "nostream" are not heard, and an interrupt() ends a run in silence.'
    : undefined;

const failedGraph: Adviser = ({ failure }) =>
  failure?.kind === 'agent_reported_error'
    ? "A node of the graph failed. The server's log says which one and why."
    : undefined;

const crowded: Adviser = ({ failure, status }) =>
  failure?.kind === 'first_token_timeout' && status === 200
    ? 'The run did not begin to speak in time. The development server runs ten runs at a time, the others wait; otherwise let the graph speak before it works.'
    : undefined;

export const langgraphAdvice: Adviser = firstAdvice(
  noAssistant,
  refusedKey,
  busy,
  wrongAddress,
  otherServer,
  waiting,
  failedGraph,
  crowded,
  silent,
);
