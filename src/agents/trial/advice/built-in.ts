/** The operator's language model behind the built-in agent. */
import { generalAdvice } from './general.ts';
import { httpErrorAdvice } from './http-status.ts';
import type { Adviser } from './trouble.ts';

const unreachable: ReadonlySet<string> = new Set([
  'connect_timeout',
  'connection_failed',
  'tls_failed',
  'target_refused',
  'redirect_refused',
]);

export const builtInAdvice: Adviser = (trouble) => {
  const { failure, status } = trouble;
  const kind = failure?.kind ?? '';
  if (unreachable.has(kind)) {
    return `The operator's language model cannot be reached (${failure?.detail.replace('the language model: ', '') ?? ''}). Look at GW_LLM_BASE_URL, and at the server that it names.`;
  }
  if (kind === 'http_error') {
    if (status === 401 || status === 403) {
      return `The language model does not take the operator's key (HTTP ${status}). Correct GW_LLM_API_KEY.`;
    }
    if (status === 404 || status === 405) {
      return `The server of the language model does not know what is asked for (HTTP ${status}). GW_LLM_BASE_URL mostly ends with /v1, and GW_LLM_MODEL is the name of a model that is served there.`;
    }
    return httpErrorAdvice(trouble);
  }
  if (kind === 'invalid_reply') {
    return 'The language model does not answer in the format of chat completions, which is the only one that the built-in agent speaks. Use the OpenAI-compatible address of the server in GW_LLM_BASE_URL, or a gateway in front of it that translates (such as LiteLLM or Portkey).';
  }
  if (kind === 'first_token_timeout') {
    return 'The language model took too long for its first word. Choose a faster one, or one that thinks less.';
  }
  if (kind === 'no_reply' && failure?.detail.includes('again and again') === true) {
    return 'The language model called tools again and again, and said nothing. Choose a model that is better with tools.';
  }
  return generalAdvice(trouble);
};
