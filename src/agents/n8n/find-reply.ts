/** Replies lie one or two levels deep; anything deeper is no reply, and could exhaust the stack. */
const deepest = 8;

/** n8n's own word for a workflow that answers before it has run, in a field that otherwise holds a reply. */
const startedMessage = 'Workflow was started';

/** `controls`: what stands in the field of that name beside the words, or further out; undefined where nothing does. */
export type WorkflowReply = { words: string; controls: unknown };

/**
 * The words of a workflow's answer (guides/design/agents.md, "n8n"): a text is itself; a list gives the first reply
 * that is in it, an object the first of its fields `output`, `text` and `message`. Undefined where there is none, and
 * nothing is looked for anywhere else: the rest is data, not speech.
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

/** Whether the answer is only about the execution: what the workflow says, if anything, goes elsewhere. */
export const isStatus = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Fields = value;
  return fields.executionStarted === true || saysStarted(fields);
};
