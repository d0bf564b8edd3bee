import type { BuiltInSettings } from '#src/domain/agent-binding.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Engines } from './choose-speech.ts';

/** Returns the models that built-in agents may use, the default first. */
export const languageModelsOf = (
  configured: { readonly model: string; readonly otherModels: readonly string[] } | null,
): string[] => (configured === null ? [] : [configured.model, ...configured.otherModels]);

/** Rejects a model that the operator does not offer for built-in agents. Null is the operator's default. */
export const requireModel = (
  { languageModels }: Pick<Engines, 'languageModels'>,
  model: BuiltInSettings['model'],
): void => {
  if (model === null || languageModels.includes(model)) return;
  const message =
    languageModels.length === 0
      ? 'This gateway has no language model (GW_LLM_BASE_URL).'
      : `The operator offers no such model (GW_LLM_MODELS); there is ${languageModels.join(', ')}.`;
  throw invalidField({ path: 'model', message });
};
