/**
 * The test file that called a helper, relative to the folder of the tests; '' without one. `stack` is a stack trace of
 * the helper, `folder` the URL of the tests.
 */
export const callerIn = (stack: string, folder: string): string => {
  const frames = stack.split('\n').flatMap((frame) => {
    const [, path = ''] = frame.split(folder);
    const [file = '', rest] = path.split('.test.ts:');
    return rest === undefined ? [] : [`${file}.test.ts`];
  });
  return frames.at(-1) ?? '';
};
