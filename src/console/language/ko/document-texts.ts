/** Translations of the API document, keyed by the English text: a changed text needs a new translation. */
import { administration } from './document/administration.ts';
import { answers } from './document/answers.ts';
import { calls } from './document/calls.ts';
import { choices } from './document/choices.ts';
import { errors } from './document/errors.ts';
import { fieldsAnswered } from './document/fields-answered.ts';
import { fieldsOfOperation } from './document/fields-of-operation.ts';
import { fieldsOfPolicies } from './document/fields-of-policies.ts';
import { fieldsSent } from './document/fields-sent.ts';
import { gateway } from './document/gateway.ts';
import { rehearsals } from './document/rehearsals.ts';

export const documentTexts: Readonly<Record<string, string>> = {
  ...calls,
  ...administration,
  ...gateway,
  ...answers,
  ...choices,
  ...fieldsSent,
  ...fieldsOfPolicies,
  ...fieldsAnswered,
  ...fieldsOfOperation,
  ...rehearsals,
  ...errors,
};
