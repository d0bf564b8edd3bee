/**
 * Symptoms and advice for each agent type. The rows are tried from top to bottom; the first that applies counts, and
 * `any-kind.ts` has the advice for all other symptoms.
 */
import type { AgentType } from '#src/domain/agent-binding.ts';
import { pathOf } from '#src/outgoing/request-advice.ts';
import { isUnknownPath } from './any-kind.ts';
import { addHeader, fieldNames, type Adviser } from './symptoms.ts';

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

/** Azure OpenAI, whose URLs contain a deployment and a version, and whose key has its own header. */
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
  // An incomplete URL gets "resource not found", and /openai/v1 requires a "model", which calls do not send.
  const isComplete =
    path.includes(azureDeployments) &&
    URL.parse(binding.chatUrl ?? '')?.searchParams.has('api-version') === true;
  if ((status === 404 || status === 400) && !isComplete)
    return 'The chat URL of Azure OpenAI names the deployment and the version of the API: https://<resource>.openai.azure.com/openai/deployments/<deployment>?api-version=2024-10-21.';
  return undefined;
};

const missing =
  /required|missing|must (be )?(provide|specif|set)|not (be )?(provided|specified|set|found|exist)|does not exist|unknown|invalid|no model/i;

/** Servers with OpenAI's chat-completions format. */
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
    if (path.endsWith('/chat/completions'))
      return 'The chat URL ends with /chat/completions, which is added to it again. Remove it from the end of the chat URL.';
    return /\/v\d+[a-z]*$/.test(path)
      ? 'There is no /chat/completions at this path. Compare the chat URL with the base URL in the documentation of the server.'
      : 'There is no /chat/completions at this path. With most servers the chat URL ends with /v1: add /v1 to its end.';
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

/** The chat trigger of n8n. */
const n8n: Adviser = ({ failure, status, path, text, hasToken, quote }) => {
  // n8n's messages about the execution, in place of a reply.
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

/** LangGraph's servers, in JavaScript and in Python. */
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

/** Before 1.0 the context was read from `runtimeContext`; those versions silently ignore `requestContext`. */
const oldMastra: Adviser = ({ failure, headers, text }) => {
  const isOldStream = headers['x-vercel-ai-data-stream'] !== undefined || text.startsWith('f:{"messageId"');
  const isPlain = headers['content-type']?.startsWith('text/plain') === true && text.startsWith('data:');
  if (isOldStream || isPlain || (failure !== null && text.includes('runtimeContext')))
    return "This is a Mastra before 1.0: it reads the call's context from runtimeContext and passes over requestContext, so that the agent does not know the call. Update Mastra to 1.0 or later.";
  return undefined;
};

/** Mastra's own server, from 0.18 on. */
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

/** Advice about a failed or silent turn. */
export const adviceByType: Readonly<Record<AgentType, Adviser>> = {
  webhook,
  openai_compatible: openaiCompatible,
  n8n,
  langgraph,
  mastra,
};

/** Advice about a turn that was spoken but is still wrong. */
export const objectionByType: Readonly<Partial<Record<AgentType, Adviser>>> = { mastra: oldMastra };
