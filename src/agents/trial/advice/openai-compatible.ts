/** Servers with OpenAI's chat-completions format. */
import { firstAdvice } from '#src/outgoing/advice/failed-request.ts';
import { isUnknownPath } from './http-status.ts';
import { azureAdvice } from './azure-openai.ts';
import { addHeader, isWordless, type Adviser } from './trouble.ts';

const aboutModel = /\bmodels?\b/i;
const isMissing =
  /required|missing|must (be )?(provide|specif|set)|not (be )?(provided|specified|set|found|exist)|does not exist|unknown|invalid|no model/i;

/** vLLM: 404 "The model `` does not exist."; FastAPI: 422 with the location "body", "model"; OpenAI: 400. */
const wantsModel: Adviser = ({ status, text }) =>
  status !== null && [400, 404, 422].includes(status) && aboutModel.test(text) && isMissing.test(text)
    ? 'This server wants a "model" key in the request, which calls do not send: the body is {messages, stream} alone. Put a gateway in front of it that sets the model (such as LiteLLM or Portkey), or give the server a default model.'
    : undefined;

/** The path is known, but a required value is missing. */
const otherMissing: Adviser = (trouble) =>
  trouble.status === 404 && !isUnknownPath(trouble)
    ? 'The server answers at this path, and misses something else: what it is stands in its answer, such as a deployment, an assistant or a session. Correct that on the server, or the part of the chat URL that names it.'
    : undefined;

const wrongAddress: Adviser = ({ status, path }) => {
  if (status !== 404 && status !== 405) return undefined;
  if (path.endsWith('/chat/completions')) {
    return 'The chat URL ends with /chat/completions, which is added to it again. Remove it from the end of the chat URL.';
  }
  return /\/v\d+[a-z]*$/.test(path)
    ? 'There is no /chat/completions at this path. Compare the chat URL with the base URL in the documentation of the server.'
    : 'There is no /chat/completions at this path. With most servers the chat URL ends with /v1: add /v1 to its end.';
};

const unknownKey: Adviser = ({ status, text }) =>
  status === 422 && text.includes('"missing"')
    ? 'The server wants keys that calls do not send: the body is {messages, stream} alone, the context of the call is in the X-Gw headers. What it misses stands in its answer.'
    : undefined;

const wantsTool: Adviser = (trouble) =>
  isWordless(trouble) && /"tool_calls"\s*:\s*\[|function_call/.test(trouble.text)
    ? 'The model asks for a tool to be run, which only the server itself could do. Let the server run its tools, and send the words that follow.'
    : undefined;

const reasoning: Adviser = ({ failure, text }) =>
  (failure === null || failure.kind === 'no_reply' || failure.kind === 'first_token_timeout') &&
  /"reasoning(_content)?"\s*:\s*"/.test(text)
    ? 'The model only reasoned, which is not spoken, and came to no words. Switch its reasoning off, or allow it more tokens.'
    : undefined;

const needsProvider: Adviser = ({ status, text }) =>
  status === 400 && /x-portkey-(config|provider)/.test(text)
    ? `This is a gateway that does not know which provider to use: ${addHeader('x-portkey-provider or x-portkey-config')}, or give it a default one.`
    : undefined;

export const openaiCompatibleAdvice: Adviser = firstAdvice(
  needsProvider,
  azureAdvice,
  wantsModel,
  otherMissing,
  wrongAddress,
  unknownKey,
  wantsTool,
  reasoning,
);
