/**
 * Assembles tool calls from their parts. OpenAI numbers the calls and repeats the number with each part; other servers
 * number every call 0, omit the number, send only an id, or repeat the complete call at the end.
 */
import type { ToolCallPart } from './chunk.ts';

/** `arguments` is the model's text: usually JSON. */
export type ToolCall = { id: string; name: string; arguments: string };

type Growing = ToolCall & { index: number | null };

const isWhole = ({ name, arguments: given }: ToolCall): boolean => {
  if (name === '') return false;
  try {
    JSON.parse(given);
    return true;
  } catch {
    return false;
  }
};

const isSame = (call: ToolCall, part: ToolCallPart): boolean =>
  part.name === call.name && part.arguments === call.arguments && isWhole(call);

/** Finds the call that a part continues; `undefined` if the part begins another one. */
const callOf = (calls: readonly Growing[], part: ToolCallPart): Growing | undefined => {
  const candidates = part.index === null ? calls : calls.filter(({ index }) => index === part.index);
  const last = candidates.at(-1);
  if (last === undefined) return undefined;
  if (part.id !== '' && last.id !== '') {
    const own = candidates.findLast(({ id }) => id === part.id);
    return own !== undefined && part.name !== '' && isWhole(own) && !isSame(own, part) ? undefined : own;
  }
  if (part.id !== '') return last.name === '' || part.name === '' ? last : undefined;
  // A name begins a call, unless the previous call still lacks its arguments.
  return part.name !== '' && (isWhole(last) || (part.index === null && last.name !== '')) ? undefined : last;
};

const grow = (call: Growing, part: ToolCallPart): void => {
  if (isSame(call, part)) return;
  if (call.id === '') call.id = part.id;
  if (part.name !== call.name) call.name += part.name;
  call.arguments += part.arguments;
};

export const assembleCalls = (parts: readonly ToolCallPart[]): ToolCall[] => {
  const calls: Growing[] = [];
  for (const part of parts) {
    const call = callOf(calls, part);
    if (call === undefined) calls.push({ ...part });
    else grow(call, part);
  }
  return calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
};
