import type { ApiServices } from '../api-services.ts';

/**
 * Runs the handler of a request that begins a call if this gateway has capacity. Otherwise throws the refusal of
 * `Admission.approach` before any look-up.
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
