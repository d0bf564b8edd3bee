/** n8n, as its chat trigger answers. */
import { firstAdvice } from '#src/outgoing/advice/failed-request.ts';
import { fieldNames, type Adviser } from './trouble.ts';

const productionUrl = 'the production URL of the chat trigger, https://…/webhook/<id>/chat';

const wrongAddress: Adviser = ({ status, path, text }) => {
  if (status !== 404) return undefined;
  if (path.includes('/webhook-test/')) {
    return `This is the test URL, which works for one call after a click in the editor. Use ${productionUrl}.`;
  }
  if (text === '') {
    return 'The chat trigger is not public. Switch on "Make Chat Publicly Available" in it, and save the workflow.';
  }
  if (!path.endsWith('/chat')) {
    return `The URL of a chat trigger ends with /chat, this one does not. Use ${productionUrl}.`;
  }
  return `No active workflow has this URL. Activate (publish) the workflow, and compare the URL with ${productionUrl}.`;
};

const unknownToken: Adviser = ({ status, hasToken }) => {
  if (status !== 401 && status !== 403) return undefined;
  return (
    'The chat trigger asks for a login, and it does not understand bearer tokens. Set its authentication to "None"; ' +
    (hasToken
      ? 'the token is sent all the same, for a proxy in front of n8n to check.'
      : 'to protect it, let a proxy in front of n8n check a bearer token or a header of the agent.')
  );
};

const brokenWorkflow: Adviser = ({ status, text }) => {
  if (status === null || status < 500) return undefined;
  if (text.includes('No item to return was found')) {
    return 'The last node of the workflow gave no item. Let it end with a node that gives {"output": "…"}.';
  }
  return text.includes('Error in workflow')
    ? 'A node of the workflow failed. The list of executions in n8n says which one and why.'
    : undefined;
};

const goodModes = '"When Last Node Finishes", "Using Respond to Webhook Node" or "Streaming"';

/** n8n's messages about the execution, in place of a reply. */
const statusText: Adviser = ({ text }) => {
  if (text.includes('"executionStarted"')) {
    return `The workflow answers over its own chat window ("Using Response Nodes"), and here only that it has begun. Set the response mode of the chat trigger to ${goodModes}.`;
  }
  return /"message"\s*:\s*"Workflow was started"/.test(text)
    ? `The workflow answers before it has run ("Immediately"). Set its response mode to ${goodModes}.`
    : undefined;
};

const silentMode: Adviser = ({ status, text }) =>
  status === 200 && text === ''
    ? 'The workflow answered with an empty body. With the response mode "Streaming" a node must stream (an AI Agent with streaming on); with "Using Respond to Webhook Node" that node must be reached and have a body; otherwise use "When Last Node Finishes".'
    : undefined;

const otherField: Adviser = ({ failure, text, quote }) => {
  if (failure?.kind !== 'no_reply') return undefined;
  const names = fieldNames(text);
  return names === undefined
    ? undefined
    : `The answer has no text in "output", "text" or "message"; its fields are: ${quote(names)}. Let the last node set "output".`;
};

const editor: Adviser = ({ path, text }) =>
  text.startsWith('<') && /\/(workflow|home|projects)\b/.test(path)
    ? `This is an address of the n8n editor. Use ${productionUrl}.`
    : undefined;

const slow: Adviser = ({ failure, status }) =>
  failure?.kind === 'first_token_timeout' && status === null
    ? 'n8n sends nothing before the workflow ends, and that took too long. Set the response mode of the chat trigger to "Streaming", and let an AI Agent node (version 3 or later) stream.'
    : undefined;

const failedNode: Adviser = ({ failure }) =>
  failure?.kind === 'agent_reported_error'
    ? 'A node of the workflow failed while it was streaming. The list of executions in n8n says which one and why.'
    : undefined;

export const n8nAdvice: Adviser = firstAdvice(
  statusText,
  wrongAddress,
  unknownToken,
  brokenWorkflow,
  editor,
  slow,
  failedNode,
  silentMode,
  otherField,
);
