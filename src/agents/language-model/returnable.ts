import type { ToolCall } from '../chat-completions/read-completion.ts';

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/**
 * Tool calls in the form that is sent back to the model beside their results. Servers are stricter than their models
 * here: every call needs an id, and arguments that are a JSON object.
 */
export const returnable = (calls: readonly ToolCall[]): ToolCall[] =>
  calls.map(({ id, name, arguments: given }, index) => ({
    id: id === '' ? `call_${index}` : id,
    name,
    arguments: isObject(given) ? given : '{}',
  }));
