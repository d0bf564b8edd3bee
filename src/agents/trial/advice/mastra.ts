/** Mastra's own server, from 0.18 on. */
import { firstAdvice } from '#src/outgoing/advice/failed-request.ts';
import { isWordless, type Adviser } from './trouble.ts';

/** Before 1.0 the context was read from `runtimeContext`; those versions silently ignore `requestContext`. */
export const oldMastraAdvice: Adviser = ({ failure, headers, text }) => {
  const isOldStream = headers['x-vercel-ai-data-stream'] !== undefined || text.startsWith('f:{"messageId"');
  const isPlain = headers['content-type']?.startsWith('text/plain') === true && text.startsWith('data:');
  return isOldStream || isPlain || (failure !== null && text.includes('runtimeContext'))
    ? "This is a Mastra before 1.0: it reads the call's context from runtimeContext and passes over requestContext, so that the agent does not know the call. Update Mastra to 1.0 or later."
    : undefined;
};

const wrongAddress: Adviser = ({ status, text, binding, quote }) => {
  if (status !== 404) return undefined;
  if (/Agent with (id|name)/.test(text)) {
    const name = /Agent with (?:id|name) (.{1,100}?) not found/.exec(text)?.[1] ?? 'this ID';
    return binding.direction === 'inbound'
      ? `The server has no agent "${quote(name)}". Inbound calls go to voiceAssistant, or to the agent at which the chat URL points (…/api/agents/<id>): it must be a key of the "agents" of your Mastra instance, in the same case.`
      : `The server has no agent "${quote(name)}". The agent ID must be a key of the "agents" of your Mastra instance, in the same case.`;
  }
  return 'There is no Mastra server at this path. The chat URL is its base, such as https://host:4111; /api/agents/… is added to it, and no second /api.';
};

const oldModel: Adviser = ({ text }) =>
  /AI SDK v4 model|V2 models are not supported/.test(text)
    ? 'The model of this agent and this version of Mastra do not go together: /stream needs a model package for AI SDK 5 or later and Mastra 0.20 or later. Update the model package (@ai-sdk/…) and @mastra/core.'
    : undefined;

const guarded: Adviser = ({ text, failure }) =>
  failure !== null && text.includes('"type":"tripwire"')
    ? 'A processor of the agent (a guardrail) stopped the reply. Let it answer with words instead, or change its rule.'
    : undefined;

const waiting: Adviser = (trouble) =>
  isWordless(trouble) && /"tool-call-(approval|suspended)"/.test(trouble.text)
    ? 'The agent waits for a tool call to be approved or resumed, which nobody can do in a call. Switch the approval off for agents on the telephone.'
    : undefined;

const leftToCaller: Adviser = ({ failure }) =>
  failure?.kind === 'no_reply' && failure.detail.includes('tool call')
    ? 'The agent finished without words: it left a tool call to the caller, who has no tools. Give the tool an "execute" on the server, and the agent enough steps (maxSteps) to end its turn with words.'
    : undefined;

const failedModel: Adviser = ({ failure }) =>
  failure?.kind === 'agent_reported_error'
    ? "The agent failed, most often because its model did (key, quota, name of the model). Mastra's log says why."
    : undefined;

export const mastraAdvice: Adviser = firstAdvice(
  wrongAddress,
  oldModel,
  guarded,
  waiting,
  leftToCaller,
  failedModel,
  oldMastraAdvice,
);
