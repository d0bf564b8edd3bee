import { fieldNames, type Adviser } from './trouble.ts';

export const webhookAdvice: Adviser = ({ failure, status, text, quote }) => {
  if (failure?.kind !== 'invalid_reply' || text.startsWith('<')) return undefined;
  if (text === '' && status !== null) {
    return 'The answer is empty. Let the server answer {"reply": "…"}, and {"reply": ""} where it means to say nothing.';
  }
  const names = fieldNames(text);
  return names === undefined
    ? 'The answer is not a JSON object. Let the server answer {"reply": "…"}.'
    : `The answer has no text in "reply"; its fields are: ${quote(names)}. Let the server answer {"reply": "…"}.`;
};
