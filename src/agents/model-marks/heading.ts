/** Interprets the header of a message between the marks of a chat template: role, channel and recipient. */

/** Treatment of a message. `foreign` ends the reply, because the model invents a turn of another role. */
export type Heading = 'spoken' | 'thought' | 'call' | 'tool result' | 'foreign';

const roles =
  /^\s*(?<role>assistant|model|chatbot|user|human|system|developer|tool|function|ipython|observation)?/iu;
const foreignRoles = new Set(['user', 'human', 'system', 'developer']);
const toolRoles = new Set(['tool', 'function', 'ipython', 'observation']);
/** Matches a recipient, as in `assistant to=functions.find_order`: such a message is a tool call, not speech. */
const recipient = /\sto=(?!user\b|assistant\b|all\b)/iu;

export const readRole = (heading: string): Heading => {
  const role = roles.exec(heading)?.groups?.['role']?.toLowerCase() ?? '';
  if (foreignRoles.has(role)) return 'foreign';
  // Format of GigaChat.
  if (/^\s*function call\b/iu.test(heading)) return 'call';
  if (toolRoles.has(role) || /^\s*(?:functions|browser|python)\b/iu.test(heading)) return 'tool result';
  if (recipient.test(heading)) return 'call';
  // Format of HyperCLOVA X: `assistant/think`, `assistant -> tool/function_call`.
  if (/^\s*assistant\s*\/\s*think/iu.test(heading)) return 'thought';
  return /^\s*assistant\s*->/iu.test(heading) ? 'call' : 'spoken';
};

const channels = /^\s*(?<channel>analysis|final|commentary|thought|thinking)?/iu;

export const readChannel = (heading: string): Heading => {
  if (recipient.test(heading)) return 'call';
  const channel = channels.exec(heading)?.groups?.['channel']?.toLowerCase();
  // Commentary without a recipient is spoken, for example "One moment, I look it up."
  return channel === undefined || channel === 'final' || channel === 'commentary' ? 'spoken' : 'thought';
};

/**
 * Returns the header's text without the role. The returned text contains words if the mark after the header is missing.
 */
export const wordsBehindRole = (heading: string): string => heading.replace(roles, '');

export const wordsBehindChannel = (heading: string): string => heading.replace(channels, '');
