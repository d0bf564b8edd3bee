/**
 * Advice for an agent endpoint without a reply, or with a reply that is unsuitable for a call. The advice is in rows of
 * symptoms and texts: for every server, for each agent type, and for servers of another type. Rows are tried from top
 * to bottom; the first that applies counts.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import {
  connectionTrouble,
  protectionTrouble,
  requestAdvice,
  pathOf,
  statusTrouble,
  tlsPortTrouble,
  placeOf,
  type FailedRequest,
} from '#src/outgoing/request-advice.ts';
import { agentTypes, type AgentType, type AgentBinding } from '#src/domain/agent-binding.ts';
import { wantsTool } from '../model-marks.ts';
import { completions } from '../endpoint-path.ts';
import { unspeakable } from '../start-reply.ts';
import { z } from 'zod';
import { secretsOf, withoutSecretsIn } from './without-secrets.ts';

/** A turn that needs advice. */
type Symptoms = FailedRequest & {
  binding: AgentBinding;
  hasToken: boolean;
  /** Names of the custom headers that were sent, in lower case. */
  sentHeaders: readonly string[];
  remarks: readonly string[];
  exchanges: TriedTurn['exchanges'];
  /** Failure of the turn; null for a turn that did not fail, but may have been silent. */
  failure: TriedTurn['failure'];
  /** Whether no speakable text arrived and no other cause is known. Chosen silence is included. */
  isWordless: boolean;
};

/** Returns a sentence or two of advice; undefined if no row applies. */
type Adviser = (symptoms: Symptoms) => string | undefined;

/** Advice to add a custom header. */
const addHeader = (name: string): string => `add ${name} to the headers of the agent`;

const fields = z.record(z.string(), z.unknown());

/** Parses a JSON object. Undefined for other data, including truncated JSON. */
const jsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    return fields.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** The field names of a JSON object, for comparison by a person; undefined for other data. */
const fieldNames = (text: string): string | undefined => {
  const value = jsonObject(text);
  if (value === undefined) return undefined;
  const names = Object.keys(value).slice(0, 5);
  return names.length === 0 ? 'none' : names.map((name) => `"${name.slice(0, 40)}"`).join(', ');
};

const symptomsOf = (
  turn: Omit<TriedTurn, 'advice'>,
  { binding, bearerToken, headers }: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): Symptoms => {
  const { exchanges, failure, remarks } = turn;
  // Responses to the cancelling of a run are ignored, because they do not explain a failure.
  const answers = exchanges.flatMap(({ sent, received }) =>
    received === null || pathOf(sent.url).endsWith('/cancel') ? [] : [received],
  );
  const isRefusal = failure?.kind === 'http_error' || failure?.kind === 'redirect_refused';
  const received = isRefusal ? answers.findLast(({ status }) => status >= 300) : answers.at(-1);
  const last = exchanges.at(-1);
  return {
    binding,
    ...placeOf(binding.chatUrl ?? ''),
    askedUrl: last?.sent.url,
    hasBegun: last?.received != null,
    hasToken: bearerToken !== null && bearerToken !== '',
    sentHeaders: Object.keys(headers),
    remarks,
    exchanges,
    failure,
    isWordless: failure === null || failure.kind === 'no_reply',
    status: received?.status ?? 0,
    text: received?.body.trim() ?? '',
    headers: received?.headers ?? {},
    quote: (words) => withoutSecretsIn(words, secretsOf({ bearerToken, headers })),
    names: {
      url: 'chat URL',
      server: 'agent',
      letIn: 'let the server take the bearer token of calls at this address instead.',
    },
  };
};

/** Common names of custom headers with an API key. */
const keyHeader = /\b(?:x-[a-z-]{0,20}(?:key|token)|api-key|apikey|ocp-apim-subscription-key)\b/i;

const unauthorized = ({ status, text, headers, hasToken, sentHeaders, binding }: Symptoms): string => {
  const tokenPlace =
    binding.direction === 'outbound'
      ? "the token of the number's outbound agent"
      : 'the session token that the handshake of the number gives to inbound calls';
  const name = keyHeader.exec(text)?.[0].toLowerCase();
  if (name !== undefined)
    return sentHeaders.includes(name)
      ? `The server does not take the ${name} that was sent (HTTP ${status}). Compare it with what the server expects.`
      : `The server wants a key in the header ${name} (HTTP ${status}): ${addHeader(name)}.`;
  if (/^\s*(basic|digest|negotiate)\b/i.test(headers['www-authenticate'] ?? ''))
    return `The server asks for a user name and a password (HTTP ${status}), which calls do not send. Let it take a bearer token: in calls it is ${tokenPlace}.`;
  return hasToken
    ? `The server does not take this bearer token (HTTP ${status}). Compare it with what the server expects; in calls it is ${tokenPlace}.`
    : `The server wants a token (HTTP ${status}), and none was sent. In calls it is ${tokenPlace}; a key in another header than Authorization is one of the headers of the agent.`;
};

const tooLong =
  /context_length_exceeded|maximum context length|context (?:window|length)|prompt is too long|too many tokens/i;
const noStream =
  /stream(?:ing)?\b["'`]?[^.]{0,60}(?:not (?:supported|allowed|available|permitted|enabled|implemented)|unsupported|disabled|must be false)|(?:not support|unsupported|cannot)[^.]{0,40}\bstream/i;
const usedUp =
  /insufficient_quota|exceeded your current quota|quota|billing|credit balance|out of credits|payment/i;

const httpError: Adviser = (symptoms) => {
  const { status, text, binding } = symptoms;
  if (status === 0) return undefined;
  if (status === 401 || status === 403) return unauthorized(symptoms);
  if ([400, 413, 422].includes(status) && tooLong.test(text))
    return 'The conversation is longer than the model takes. Choose a model with a longer context, or let the server shorten what it hands on.';
  if ([400, 422, 501].includes(status) && noStream.test(text))
    return 'The server refuses to stream, and calls always ask for it ("stream": true). Switch streaming on there; an answer in one piece is taken as well, when the server ignores the key.';
  if (status === 402 || (status === 429 && usedUp.test(text)))
    return `The account of the agent or of its model has used up its quota (HTTP ${status}). Waiting does not help: raise the quota, or pay the provider.`;
  if (status === 406)
    return 'The server has no answer in a format that it takes for acceptable. Let it answer JSON or an event stream whatever is asked for.';
  if (status === 422)
    return `The server understands the request and wants other keys in it (HTTP 422); its answer names them. Calls send exactly the body of ${binding.agentType ?? 'chat completions'}: compare the type with what the server is.`;
  if (status === 400 && /json/i.test(text))
    return 'The server cannot read the body of the request. Let it read JSON as it is sent, and compare the agent type with what the server is.';
  const trouble = statusTrouble(symptoms);
  return trouble === undefined
    ? 'The server refuses the request. Look at what it answered.'
    : requestAdvice(trouble, symptoms).words;
};

/** Bodies of a 404 that only report an unknown path. */
const routeUnknown =
  /^$|^<|not found\.?["'}\s]*$|cannot (?:post|get)|no (?:such )?(?:route|endpoint|path)|unknown (?:request )?(?:url|path|route|endpoint)|invalid (?:url|path)|route|page not found|resource not found/i;

/** Whether a 404 concerns the URL, not an object named in the request. */
const isUnknownPath = ({ status, text }: Pick<Symptoms, 'status' | 'text'>): boolean =>
  status === 404 && routeUnknown.test(text.slice(0, 600).trim());

/** Advice for symptoms that the rows of the agent type do not cover, and for the language model of the built-in agent. */
const generalAdvice: Adviser = (symptoms) => {
  const { binding, failure, text, remarks, exchanges } = symptoms;
  const tlsPort = tlsPortTrouble(symptoms);
  if (tlsPort !== undefined) return requestAdvice(tlsPort, symptoms).words;
  switch (failure?.kind) {
    case undefined:
      return remarks.length > 0
        ? 'The answer held nothing to speak; the remark says why.'
        : 'The agent chose to say nothing. If that was not meant, look at what it answered.';
    case 'http_error':
      return httpError(symptoms);
    case 'first_token_timeout':
      if (binding.agentType === 'webhook')
        return 'The server did not answer in time, and the answer of a webhook is there only when it is whole. Let the server answer faster; one that streams is bound by another agent type, such as openai_compatible.';
      return exchanges.at(-1)?.received
        ? 'The server answered at once and sent no text in time. Let it stream its first words earlier.'
        : 'The server took the request and did not answer in time. Let it answer faster, or stream its reply.';
    case 'reply_timeout':
      return 'The reply did not end in time. Let the server end its response when everything is said.';
    case 'reply_too_large':
      return 'The reply is larger than a call takes. Let the agent say less, or send less beside its words.';
    case 'invalid_reply':
      return text.startsWith('<')
        ? 'The answer is a web page. Correct the chat URL: it leads to something that is made for people.'
        : 'The answer is not in the format of this agent type. Compare the type with what the server is.';
    case 'over_capacity':
      return 'The workspace has as many requests under way as it may. Wait until they are over, and try again.';
    case 'circuit_open':
      return requestAdvice('not_answering_lately', symptoms).words;
    case 'reply_cut_off':
      return 'The reply ended within a sentence or within the reasoning of its model. Look at the limit of tokens, at a proxy that closes streams, and at the end of the stream: it should have its end mark.';
    case 'no_reply':
      if (failure.detail === unspeakable)
        return 'The answer has nothing that can be spoken, such as emoji or code alone. Let the agent answer in words.';
      if (failure.detail.endsWith(wantsTool))
        return 'The model wrote the call of a tool into its text, and no words beside it. Let the server read such calls (most have a setting for it, such as a tool parser), run its tools, and send the words that follow.';
      if (failure.detail.includes('longest length'))
        return 'The model used up its tokens before it came to words. Allow it more of them, or let it think less.';
      return 'The server answered without a reply. Look at what it answered.';
    case 'agent_reported_error':
      return 'The agent itself reported that it failed. Its own log should say more.';
    default:
      return undefined;
  }
};

/** Advice for the operator's language model behind the built-in agent. */
const builtInAdvice: Adviser = (symptoms) => {
  const { failure, status } = symptoms;
  switch (failure?.kind) {
    case 'connect_timeout':
    case 'connection_failed':
    case 'tls_failed':
    case 'target_refused':
    case 'redirect_refused':
      return `The operator's language model cannot be reached (${failure.detail.replace('the language model: ', '')}). Look at GW_LLM_BASE_URL, and at the server that it names.`;
    case 'http_error':
      if (status === 401 || status === 403)
        return `The language model does not take the operator's key (HTTP ${status}). Correct GW_LLM_API_KEY.`;
      if (status === 404 || status === 405)
        return `The server of the language model does not know what is asked for (HTTP ${status}). GW_LLM_BASE_URL mostly ends with /v1, and GW_LLM_MODEL is the name of a model that is served there.`;
      return httpError(symptoms);
    case 'invalid_reply':
      return 'The language model does not answer in the format of chat completions, which is the only one that the built-in agent speaks. Use the OpenAI-compatible address of the server in GW_LLM_BASE_URL, or a gateway in front of it that translates (such as LiteLLM or Portkey).';
    case 'first_token_timeout':
      return 'The language model took too long for its first word. Choose a faster one, or one that thinks less.';
    case 'no_reply':
      if (failure.detail.includes('again and again'))
        return 'The language model called tools again and again, and said nothing. Choose a model that is better with tools.';
      return generalAdvice(symptoms);
    default:
      return generalAdvice(symptoms);
  }
};

const webhook: Adviser = ({ failure, status, text, quote }) => {
  if (failure?.kind !== 'invalid_reply' || text.startsWith('<')) return undefined;
  if (text === '' && status !== 0)
    return 'The answer is empty. Let the server answer {"reply": "…"}, and {"reply": ""} where it means to say nothing.';
  const names = fieldNames(text);
  return names === undefined
    ? 'The answer is not a JSON object. Let the server answer {"reply": "…"}.'
    : `The answer has no text in "reply"; its fields are: ${quote(names)}. Let the server answer {"reply": "…"}.`;
};

const azureDeployments = '/openai/deployments/';

/** Advice for Azure OpenAI, whose URLs contain a deployment and a version, and whose key has its own header. */
const azure: Adviser = ({ hostName, path, status, text, sentHeaders, binding }) => {
  const isAzure =
    /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/i.test(hostName) ||
    path.includes(azureDeployments) ||
    /invalid subscription key or wrong API endpoint|audience is incorrect \(https:\/\/cognitiveservices\.azure\.com\)/i.test(
      text,
    );
  if (!isAzure) return undefined;
  if (status === 401 && sentHeaders.includes('api-key'))
    return 'Azure does not take the api-key that was sent (HTTP 401). Compare it with the keys of the resource, and the host of the chat URL with its endpoint.';
  if (status === 401)
    return `Azure wants the key of the resource in the header api-key (HTTP 401): ${addHeader('api-key')}.`;
  if (status === 404 && text.includes('DeploymentNotFound'))
    return 'The resource has no deployment of this name. The chat URL names the deployment, which may have another name than its model; a new one takes some minutes.';
  // Azure answers an incomplete URL with "resource not found", and /openai/v1 requires a "model", which calls do not
  // send.
  const isComplete =
    path.includes(azureDeployments) &&
    URL.parse(binding.chatUrl ?? '')?.searchParams.has('api-version') === true;
  if ((status === 404 || status === 400) && !isComplete)
    return 'The chat URL of Azure OpenAI names the deployment and the version of the API: https://<resource>.openai.azure.com/openai/deployments/<deployment>?api-version=2024-10-21.';
  return undefined;
};

const missing =
  /required|missing|must (be )?(provide|specif|set)|not (be )?(provided|specified|set|found|exist)|does not exist|unknown|invalid|no model/i;

/** Advice for servers with OpenAI's chat-completions format. */
const openaiCompatible: Adviser = (symptoms) => {
  const { failure, isWordless, status, text, path } = symptoms;
  if (status === 400 && /x-portkey-(config|provider)/.test(text))
    return `This is a gateway that does not know which provider to use: ${addHeader('x-portkey-provider or x-portkey-config')}, or give it a default one.`;
  const byAzure = azure(symptoms);
  if (byAzure !== undefined) return byAzure;
  // vLLM: 404 "The model `` does not exist."; FastAPI: 422 with the location "body", "model"; OpenAI: 400.
  if ([400, 404, 422].includes(status) && /\bmodels?\b/i.test(text) && missing.test(text))
    return 'This server wants a "model" key in the request, which calls do not send: the body is {messages, stream} alone. Put a gateway in front of it that sets the model (such as LiteLLM or Portkey), or give the server a default model.';
  if (status === 404 && !isUnknownPath(symptoms))
    return 'The server answers at this path, and misses something else, such as a deployment, an assistant or a session: its answer names it. Correct that on the server, or the part of the chat URL that names it.';
  if (status === 404 || status === 405) {
    // A chat URL with the path of the request is as good as the base URL.
    const base = path.endsWith(completions) ? path.slice(0, -completions.length) : path;
    if (/\/v\d+[a-z]*$/.test(base))
      return 'There is no /chat/completions at this path. Compare the chat URL with the base URL in the documentation of the server.';
    return base === path
      ? 'There is no /chat/completions at this path. With most servers the chat URL ends with /v1: add /v1 to its end.'
      : 'There is no /chat/completions at this path. With most servers /v1 precedes it: add /v1 before /chat/completions in the chat URL.';
  }
  if (status === 422 && text.includes('"missing"'))
    return 'The server wants keys that calls do not send: the body is {messages, stream} alone, the context of the call is in the X-Gw headers. Its answer names the missing keys.';
  if (isWordless && /"tool_calls"\s*:\s*\[|function_call/.test(text))
    return 'The model asks for a tool to be run, which only the server itself could do. Let the server run its tools, and send the words that follow.';
  if ((isWordless || failure?.kind === 'first_token_timeout') && /"reasoning(_content)?"\s*:\s*"/.test(text))
    return 'The model only reasoned, which is not spoken, and came to no words. Switch its reasoning off, or allow it more tokens.';
  return undefined;
};

const n8nUrl = 'the production URL of the chat trigger, https://…/webhook/<id>/chat';
const n8nModes = '"When Last Node Finishes", "Using Respond to Webhook Node" or "Streaming"';

/** Advice for the chat trigger of n8n. */
const n8n: Adviser = ({ failure, status, path, text, hasToken, quote }) => {
  // Messages of n8n about the execution, in place of a reply.
  if (text.includes('"executionStarted"'))
    return `The workflow answers over its own chat window ("Using Response Nodes"), and here only that it has begun. Set the response mode of the chat trigger to ${n8nModes}.`;
  if (/"message"\s*:\s*"Workflow was started"/.test(text))
    return `The workflow answers before it has run ("Immediately"). Set its response mode to ${n8nModes}.`;
  if (status === 404) {
    if (path.includes('/webhook-test/'))
      return `This is the test URL, which works for one call after a click in the editor. Use ${n8nUrl}.`;
    if (text === '')
      return 'The chat trigger is not public. Switch on "Make Chat Publicly Available" in it, and save the workflow.';
    if (!path.endsWith('/chat'))
      return `The URL of a chat trigger ends with /chat, this one does not. Use ${n8nUrl}.`;
    return `No active workflow has this URL. Activate (publish) the workflow, and compare the URL with ${n8nUrl}.`;
  }
  if (status === 401 || status === 403)
    return `The chat trigger asks for a login, and it does not understand bearer tokens. Set its authentication to "None"; ${
      hasToken
        ? 'the token is sent anyway, for a proxy in front of n8n to check.'
        : 'to protect it, let a proxy in front of n8n check a bearer token or a header of the agent.'
    }`;
  if (status >= 500 && text.includes('No item to return was found'))
    return 'The last node of the workflow gave no item. Let it end with a node that gives {"output": "…"}.';
  if (status >= 500 && text.includes('Error in workflow'))
    return 'A node of the workflow failed. The list of executions in n8n says which one and why.';
  if (text.startsWith('<') && /\/(workflow|home|projects)\b/.test(path))
    return `This is an address of the n8n editor. Use ${n8nUrl}.`;
  if (failure?.kind === 'first_token_timeout' && status === 0)
    return 'n8n sends nothing before the workflow ends, and that took too long. Set the response mode of the chat trigger to "Streaming", and let an AI Agent node (version 3 or later) stream.';
  if (failure?.kind === 'agent_reported_error')
    return 'A node of the workflow failed while it was streaming. The list of executions in n8n says which one and why.';
  if (status === 200 && text === '')
    return 'The workflow answered with an empty body. With the response mode "Streaming" a node must stream (an AI Agent with streaming on); with "Using Respond to Webhook Node" that node must be reached and have a body; otherwise use "When Last Node Finishes".';
  const names = failure?.kind === 'no_reply' ? fieldNames(text) : undefined;
  if (names !== undefined)
    return `The answer has no text in "output", "text" or "message"; its fields are: ${quote(names)}. Let the last node set "output".`;
  return undefined;
};

/** Advice for LangGraph's servers, in JavaScript and in Python. */
const langgraph: Adviser = (symptoms) => {
  const { binding, failure, isWordless, status, path, host, text, hasToken, sentHeaders } = symptoms;
  if (binding.assistantId === null && failure !== null)
    return 'There is no assistant ID. Give the name of a graph: a key of "graphs" in langgraph.json.';
  if (status >= 400 && /No assistant found|Invalid assistant|assistant not found/i.test(text))
    return `The server has no assistant "${binding.assistantId}". Its names are the keys of "graphs" in langgraph.json; the case counts.`;
  if (status === 401 || status === 403)
    return sentHeaders.includes('x-api-key')
      ? `The server does not take the x-api-key that was sent (HTTP ${status}). LangGraph's cloud wants a key of the LangSmith workspace that the deployment belongs to; an "auth" of the server's own in langgraph.json decides for itself what it takes.`
      : `The server refuses ${hasToken ? 'this bearer token' : 'a request without a key'} (HTTP ${status}). LangGraph's cloud wants a LangSmith API key in the header x-api-key: ${addHeader('x-api-key')}. An "auth" of the server's own in langgraph.json decides for itself what it takes.`;
  if ((status === 409 || status === 422) && /already running/i.test(text))
    return 'The thread is busy with a run that could not be cancelled, or it does not exist. Look at the runs on the server: does the graph end, and does the server keep its threads?';
  const threads = symptoms.exchanges.find(({ sent }) => pathOf(sent.url).endsWith('/threads'));
  const threadsStatus = threads?.received?.status ?? status;
  if (threadsStatus === 404 || threadsStatus === 405)
    return path === ''
      ? 'There is no LangGraph server at this address: it does not know /threads. Correct the host and port of the chat URL (langgraph dev listens on port 2024).'
      : `There is no LangGraph server at this path: it does not know ${path}/threads. The chat URL is the server's base; without a proxy that is https://host:port alone.`;
  if (failure?.kind === 'invalid_reply')
    return `There is no LangGraph server at this address: ${host} answers with ${text.startsWith('<') ? 'a web page' : 'something that is not the stream of a run'}. Correct the host and port of the chat URL (langgraph dev listens on port 2024, langgraph up on 8123).`;
  if (isWordless && text.includes('__interrupt__'))
    return 'The graph stopped at an interrupt and waits for a person, which a call cannot answer. Let it ask its question as an AI message and end the run instead.';
  if (failure?.kind === 'agent_reported_error')
    return "A node of the graph failed. The server's log says which one and why.";
  if (failure?.kind === 'first_token_timeout' && status === 200)
    return 'The run did not begin to speak in time. The development server runs ten runs at a time, the others wait; otherwise let the graph speak before it works.';
  if (isWordless && status === 200)
    return 'The run ended without an AI message. Let a node add one to "messages" of the state; models that are tagged "nostream" are not heard, and an interrupt() ends a run in silence.';
  return undefined;
};

/** Advice for Mastra before 1.0, which read the context from `runtimeContext` and silently ignores `requestContext`. */
const oldMastra: Adviser = ({ failure, headers, text }) => {
  const isOldStream = headers['x-vercel-ai-data-stream'] !== undefined || text.startsWith('f:{"messageId"');
  const isPlain = headers['content-type']?.startsWith('text/plain') === true && text.startsWith('data:');
  if (isOldStream || isPlain || (failure !== null && text.includes('runtimeContext')))
    return "This is a Mastra before 1.0: it reads the call's context from runtimeContext and passes over requestContext, so that the agent does not know the call. Update Mastra to 1.0 or later.";
  return undefined;
};

/** Advice for Mastra's own server, from 0.18 on. */
const mastra: Adviser = (symptoms) => {
  const { binding, failure, isWordless, status, text, quote } = symptoms;
  if (status === 404 && /Agent with (id|name)/.test(text)) {
    const name = quote(/Agent with (?:id|name) (.{1,100}?) not found/.exec(text)?.[1] ?? 'this ID');
    return binding.direction === 'inbound'
      ? `The server has no agent "${name}". Inbound calls go to voiceAssistant, or to the agent at which the chat URL points (…/api/agents/<id>): it must be a key of the "agents" of your Mastra instance, in the same case.`
      : `The server has no agent "${name}". The agent ID must be a key of the "agents" of your Mastra instance, in the same case.`;
  }
  if (status === 404)
    return 'There is no Mastra server at this path. The chat URL is its base, such as https://host:4111; /api/agents/… is added to it, and no second /api.';
  if (/AI SDK v4 model|V2 models are not supported/.test(text))
    return 'The model of this agent and this version of Mastra do not go together: /stream needs a model package for AI SDK 5 or later and Mastra 0.20 or later. Update the model package (@ai-sdk/…) and @mastra/core.';
  if (failure !== null && text.includes('"type":"tripwire"'))
    return 'A processor of the agent (a guardrail) stopped the reply. Let it answer with words instead, or change its rule.';
  if (isWordless && /"tool-call-(approval|suspended)"/.test(text))
    return 'The agent waits for a tool call to be approved or resumed, which cannot happen in a call. Switch the approval off for agents on the telephone.';
  if (failure?.kind === 'no_reply' && failure.detail.includes('tool call'))
    return 'The agent finished without words: it left a tool call to the caller, who has no tools. Give the tool an "execute" on the server, and the agent enough steps (maxSteps) to end its turn with words.';
  if (failure?.kind === 'agent_reported_error')
    return "The agent failed, most often because its model did (key, quota, name of the model). Mastra's log says why.";
  return oldMastra(symptoms);
};

/** Advice about a failed or silent turn by agent type. */
const adviceByType: Readonly<Record<AgentType, Adviser>> = {
  webhook,
  openai_compatible: openaiCompatible,
  n8n,
  langgraph,
  mastra,
};

/** Advice about a turn that was spoken but is still wrong, by agent type. */
const objectionByType: Readonly<Partial<Record<AgentType, Adviser>>> = { mastra: oldMastra };

type Format = AgentType | 'anthropic' | 'responses' | 'gemini' | 'ollama' | 'ui-stream';

/** Formats with their patterns; the first match counts. The beginning of a body is enough for all patterns. */
const formatsOfText: readonly (readonly [Format, RegExp])[] = [
  ['openai_compatible', /"choices": ?\[/],
  ['responses', /"object": ?"response"|"type": ?"response\./],
  ['anthropic', /"type": ?"(?:message_start|content_block_start|content_block_delta)"/],
  ['gemini', /"candidates": ?\[/],
  ['langgraph', /^event: ?(?:messages\/(?:partial|complete|metadata)|messages|metadata)\r?$/m],
  ['mastra', /"from": ?"AGENT"|^f:\{"messageId"/m],
  ['ui-stream', /"type": ?"text-delta"/],
  ['n8n', /^\{"type":"(?:begin|item)",/],
];

const formatOfDocument = (text: string): Format | undefined => {
  const fields = jsonObject(text) ?? {};
  if (typeof fields['reply'] === 'string') return 'webhook';
  if (typeof fields['output'] === 'string') return 'n8n';
  if (fields['type'] === 'message' && Array.isArray(fields['content'])) return 'anthropic';
  return typeof fields['done'] === 'boolean' && fields['message'] !== undefined ? 'ollama' : undefined;
};

const formatOfPath = (path: string): Format | undefined => {
  if (path.endsWith('/v1/messages')) return 'anthropic';
  if (path.endsWith('/responses')) return 'responses';
  if (/:generateContent$|:streamGenerateContent$/.test(path)) return 'gemini';
  if (/\/api\/(?:chat|generate)$/.test(path)) return 'ollama';
  if (path.endsWith('/chat/completions')) return 'openai_compatible';
  if (/\/api\/agents\/[^/]+(?:\/stream|\/generate)?$/.test(path)) return 'mastra';
  if (/\/runs\/(?:stream|wait)$|\/threads$/.test(path)) return 'langgraph';
  return /\/webhook(?:-test)?\/[^/]+\/chat$/.test(path) ? 'n8n' : undefined;
};

const betweenThem =
  'put a gateway in front of it that translates (such as LiteLLM or Portkey), and bind that as openai_compatible';

const foreign: Readonly<Record<Exclude<Format, AgentType>, string>> = {
  anthropic: `the format of Anthropic's Messages, which calls do not speak. Use the OpenAI-compatible address of the server, or ${betweenThem}.`,
  responses:
    "the format of OpenAI's Responses, which calls do not speak. Use the chat completions of the same server: agent type openai_compatible, with the chat URL up to /v1.",
  gemini: `the format of Google's Gemini, which calls do not speak. Use its OpenAI-compatible address (…/v1beta/openai, agent type openai_compatible), or ${betweenThem}.`,
  ollama:
    "Ollama's own format, which calls do not speak. Use its OpenAI-compatible address: agent type openai_compatible, chat URL http://host:11434/v1.",
  'ui-stream':
    'the stream that the AI SDK sends to web pages, which calls do not speak. Answer {"reply": "…"} and choose webhook, or let an OpenAI-compatible server answer.',
};

const urlFor: Readonly<Record<AgentType, string>> = {
  webhook: 'the chat URL stays the same',
  openai_compatible: 'the chat URL ends before /chat/completions',
  n8n: 'the chat URL is the production URL of the chat trigger',
  langgraph: 'the chat URL is the base of the server, and the assistant ID a graph of it',
  mastra: 'the chat URL is the base of the server',
};

const isAgentType = (format: Format): format is AgentType => agentTypes.some((type) => type === format);

const isUnderstood = (kind: string | undefined): boolean => kind !== 'invalid_reply' && kind !== 'no_reply';

/** Returns the format of a successful answer that contains no words for this agent type. */
const formatOfAnswer = ({ failure, status, text }: Symptoms): Format | undefined =>
  isUnderstood(failure?.kind) || status === 0 || status >= 300
    ? undefined
    : (formatsOfText.find(([, pattern]) => pattern.test(text))?.[0] ?? formatOfDocument(text));

/** Returns the format of a server that its URL identifies, and that rejected the content of a request. */
const formatOfAddress = ({ failure, status, path }: Symptoms): Format | undefined => {
  if (failure?.kind !== 'http_error' || ![400, 404, 405, 422].includes(status)) return undefined;
  return formatOfPath(path);
};

/** Recognizes answers and URLs of another agent type, or of an unsupported format. */
const otherTypeAdvice: Adviser = (symptoms) => {
  const type = symptoms.binding.agentType;
  const adviceOn = (what: string, format: Format | undefined): string | undefined => {
    if (format === undefined || format === type) return undefined;
    return isAgentType(format)
      ? `${what} the format of the agent type ${format}, not of ${type}. Choose ${format}; ${urlFor[format]}.`
      : `${what} ${foreign[format]}`;
  };
  return (
    adviceOn('The answer is in', formatOfAnswer(symptoms)) ??
    adviceOn('By its address the server speaks', formatOfAddress(symptoms))
  );
};

export const adviceFor = (
  turn: Omit<TriedTurn, 'advice'>,
  call: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): string | null => {
  const { agent, agentType: type } = call.binding;
  const isFine = turn.failure === null && turn.spoken.length + turn.controls.length > 0;
  const symptoms = symptomsOf(turn, call);
  if (agent === 'builtin') return isFine ? null : (builtInAdvice(symptoms) ?? null);
  if (type === null) return null;
  if (isFine) return objectionByType[type]?.(symptoms) ?? null;
  const trouble = connectionTrouble(symptoms) ?? protectionTrouble(symptoms);
  if (trouble !== undefined) return requestAdvice(trouble, symptoms).words;
  return otherTypeAdvice(symptoms) ?? adviceByType[type](symptoms) ?? generalAdvice(symptoms) ?? null;
};
