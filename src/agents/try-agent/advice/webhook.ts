import { fieldNames, type Adviser } from './trouble.ts';

export const webhookAdvice: Adviser = ({ failure, text }) => {
  if (failure?.kind !== 'invalid_reply' || text.startsWith('<')) return undefined;
  const names = fieldNames(text);
  return names === undefined
    ? 'The answer is not a JSON object. Let the server answer {"reply": "…"}.'
    : `The answer has no text in "reply"; its fields are: ${names}. Let the server answer {"reply": "…"}.`;
};
