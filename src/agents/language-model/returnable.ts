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
 * Calls of tools in the form in which they go back to the model beside their results. Servers are stricter there than
 * their models are: every call needs an id, and arguments that are a JSON object.
 */
export const returnable = (calls: readonly ToolCall[]): ToolCall[] =>
  calls.map(({ id, name, arguments: given }, index) => ({
    id: id === '' ? `call_${index}` : id,
    name,
    arguments: isObject(given) ? given : '{}',
  }));
