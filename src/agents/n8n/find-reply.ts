/** Maximum nesting: replies are one or two levels deep, and deeper recursion could exhaust the stack. */
const deepest = 8;

/** n8n's own message of a workflow that answers before it has run, in a field that otherwise contains a reply. */
const startedMessage = 'Workflow was started';

/** `controls`: value of the field of that name beside the words or at an outer level; undefined if there is none. */
export type WorkflowReply = { words: string; controls: unknown };

/**
 * Finds the words of a workflow's answer (guides/design/agents.md, "n8n"): a text is the reply itself; a list yields
 * its first reply, an object the first of its fields `output`, `text` and `message`. Undefined if there is none. Other
 * fields are data, not speech.
 */
export const findReply = (value: unknown, depth = 0): WorkflowReply | undefined => {
  if (typeof value === 'string') return { words: value, controls: undefined };
  if (typeof value !== 'object' || value === null || depth === deepest) return undefined;
  if (saysStarted(value)) return undefined;
  for (const inner of Array.isArray(value) ? value : fieldsOf(value)) {
    const reply = findReply(inner, depth + 1);
    if (reply !== undefined) return { ...reply, controls: reply.controls ?? controlsIn(value) };
  }
  return undefined;
};

type Fields = {
  output?: unknown;
  text?: unknown;
  message?: unknown;
  controls?: unknown;
  executionStarted?: unknown;
};

const controlsIn = ({ controls }: Fields): unknown => controls;

const fieldsOf = ({ output, text, message }: Fields): unknown[] => [output, text, message];

const saysStarted = ({ output, text, message }: Fields): boolean =>
  output === undefined && text === undefined && message === startedMessage;

/** Whether the answer only describes the execution: the workflow's words, if any, are sent elsewhere. */
export const isStatus = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Fields = value;
  return fields.executionStarted === true || saysStarted(fields);
};
