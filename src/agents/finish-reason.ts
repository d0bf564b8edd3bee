/**
 * Interprets the finish reasons of all servers and providers: `stop`, `eos`, `end_turn`, `MAX_TOKENS`,
 * `content-filter`. Servers use and invent their own values, so an unknown value is not an error.
 */
export type Finish =
  /** There is no finish reason yet: `null`, which some servers send as text. */
  | 'none'
  | 'complete'
  /** The message contains tool calls in addition to its words. */
  | 'tools'
  | 'cut off'
  | 'filtered'
  | 'failed'
  | 'unknown';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const none = setOf('null none undefined unspecified finish_reason_unspecified');
const complete = setOf(
  'stop stopped eos eos_token eos_token_id eot end_turn end_of_turn end endoftext end_of_text end_of_sequence ' +
    'stop_sequence stop_sequences stop_token stop_word stop_words stop_string stop_str stop_finish finish finished ' +
    'finish_reason_stop done complete completed success normal natural',
);
const tools = setOf('tool_calls tool_call tool_use tool function_call function_calls');
const filtered = setOf(
  'content_filter content_filtered content_filter_stop safety recitation blocklist prohibited_content spii refusal ' +
    'sensitive image_safety guardrail guardrail_intervened moderation',
);
/**
 * Values for a reached length limit: `length`, `max_tokens`, `MAX_OUTPUT_TOKENS`, `model_context_window_exceeded`,
 * `token_limit`.
 */
const cutOff = /(?:^|_)(?:max|length|limit|context|budget)(?:_|$)/u;
const failed = /error|fail|abort|cancel|exception|timeout|overload|malformed|insufficient/u;

export const finishOf = (reason: string): Finish => {
  const plain = reason
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, '_');
  if (plain === '' || none.has(plain)) return 'none';
  if (complete.has(plain)) return 'complete';
  if (tools.has(plain)) return 'tools';
  if (filtered.has(plain)) return 'filtered';
  if (failed.test(plain)) return 'failed';
  return cutOff.test(plain) ? 'cut off' : 'unknown';
};

/** Whether the server ended the reply before the model did. */
export const isCutOff = (finish: Finish): boolean => finish === 'cut off' || finish === 'filtered';

/** Returns why a reply is or may be incomplete, in words that are safe to log. `undefined` for a complete reply. */
export const finishRemark = (finish: Finish): string | undefined => {
  switch (finish) {
    case 'cut off':
      return 'the reply was cut off at its longest length';
    case 'filtered':
      return 'the reply was cut off by a content filter';
    case 'unknown':
      return 'the reply finished for a reason that is not known here';
    default:
      return undefined;
  }
};
