/**
 * Like `Promise.all`, but rejects only when all work has ended, so that the caller can close everything that the work
 * has opened. Rejects with the error of the first that failed, in the order of the list.
 */
export const allOf = async <const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Key in keyof Work]: Awaited<Work[Key]> }> => {
  await Promise.allSettled(work);
  return Promise.all(work);
};
