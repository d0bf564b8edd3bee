import type { ApiServices } from '../api-services.ts';

/**
 * Answers a request that begins a call if this gateway has capacity; throws the refusal of `Admission.approach` before
 * any lookup.
 */
export const withinCapacity = async <Answer>(
  { calls: { approach } }: ApiServices,
  answer: () => Promise<Answer>,
): Promise<Answer> => {
  const request = approach();
  try {
    return await answer();
  } finally {
    request.leave();
  }
};
