import type { ApiServices } from './api-services.ts';

/**
 * Answers a request that begins a call where this gateway has room for it; throws the refusal of `Admission.approach`
 * before anything is looked up.
 */
export const withinCapacity = async <Answer>(
  { approach }: Pick<ApiServices, 'approach'>,
  answer: () => Promise<Answer>,
): Promise<Answer> => {
  const request = approach();
  try {
    return await answer();
  } finally {
    request.leave();
  }
};
